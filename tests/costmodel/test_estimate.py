"""The calibrated model: constants, their JSON, and seconds (row I-37)."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import pytest

from costmodel.calibration import Calibration, KernelCost, Line
from costmodel.defaults import ASSUMED
from costmodel.estimate import FinalWork, LaneWork, PlanWork, distinct_keys, estimate, lane_seconds
from costmodel.tree_work import TreeWork

NOTHING = Line(fixed=0.0, per_key=0.0)
UNIT = Calibration(
    measured=True,
    cores=2,
    tuple=100.0,
    edge=10.0,
    tree=50.0,
    partial=1000.0,
    roll_up=100.0,
    intercede=Line(fixed=1000.0, per_key=1.0),
    window=0.0,
    result=Line(fixed=0.0, per_key=100.0),
    batch=1e8,
    kernels={
        "panes/count": KernelCost(
            call=NOTHING, partial=NOTHING, answer=NOTHING, operation=Line(fixed=1000.0, per_key=10.0)
        )
    },
)
LANE = LaneWork(kind="count", technique="panes", work=TreeWork.of(edge_rate=1.0, windows=[(10, 1)]))
WORK = PlanWork(
    rate=1e6,
    classes=3,
    readers=2,
    entries=1000.0,
    roll_ups=1000.0,
    finals=(FinalWork(tree=7, keys=200.0, fragments=10.0, windows=1, lanes=(LANE,)),),
    answers=1.0,
    results=200.0,
    batches=1.0,
    shards=2,
)


def test_json_comes_back_as_it_was():
    for each in (ASSUMED, UNIT):
        assert Calibration.parse(json.loads(json.dumps(each.document()))) == each


@pytest.mark.parametrize(
    "change", [{"version": 0}, {"kernels": {"panes/count": {}}}, {"kernels": 3}, {"more": 1}]
)
def test_another_version_or_a_damaged_file_is_none(change):
    assert Calibration.parse(UNIT.document() | change) is None
    assert Calibration.parse(None) is None


def test_levels_add_up_to_the_whole():
    found, trees = estimate(WORK, UNIT)
    assert found.sub_aggregation == pytest.approx(1e6 * (100 + 2 * 10 + 50) * 1e-9 + 1000 * 1e-6)
    # Two shards on two cores: each has 100 of the 200 keys.
    assert found.final_aggregation == pytest.approx(10 * (1000 + 10 * 100) * 1e-9)
    assert found.intercede == pytest.approx((1000 * 100 / 2 + 10 * 1100) * 1e-9)
    assert found.results == pytest.approx(200 * 100 / 2 * 1e-9)
    assert found.batches == pytest.approx(0.1)
    assert found.seconds_per_second == pytest.approx(
        found.sub_aggregation + found.intercede + found.final_aggregation + found.results + found.batches
    )
    assert trees == {7: pytest.approx(found.final_aggregation + 10 * 1100e-9)}
    assert found.results_per_second == 200.0 and found.measured


def test_more_shards_than_cores_take_their_turns():
    two, _ = estimate(WORK, UNIT)
    eight, _ = estimate(replace(WORK, shards=8), UNIT)
    # What an operation takes whatever the keys is paid in each shard.
    assert eight.final_aggregation > two.final_aggregation
    one, _ = estimate(WORK, replace(UNIT, cores=1))
    assert one.final_aggregation == pytest.approx(2 * two.final_aggregation)


def test_a_technique_that_nobody_measured_takes_for_ever():
    unknown = replace(LANE, technique="guess")
    assert lane_seconds(unknown, 10.0, UNIT, batches=1.0, shards=1) == math.inf
    # One that was measured over another kind of lane is taken to be the same over this one.
    other = replace(LANE, kind="sum")
    assert lane_seconds(other, 10.0, UNIT, batches=1.0, shards=1) < math.inf
    assert list(UNIT.techniques("count")) == ["panes"] and not list(UNIT.techniques("sum"))


def test_distinct_keys_are_at_most_keys_and_at_most_tuples():
    assert distinct_keys(100, 1e9) == pytest.approx(100)
    assert distinct_keys(1e9, 100) == pytest.approx(100)
    assert distinct_keys(0, 100) == 0
