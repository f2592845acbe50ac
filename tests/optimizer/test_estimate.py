"""Estimates of plans, and what `auto` makes of them (rows I-37, I-39)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from costmodel.defaults import ASSUMED
from optimizer.auto import auto
from optimizer.estimate import Estimator
from optimizer.model.plan import PlannedQuery, check_plan
from optimizer.model.window import Unit, Window
from optimizer.reoptimize import reoptimize
from planner_spark.kernels.techniques import find_kernel

MINUTE = 60_000_000
MEASURED = replace(ASSUMED, measured=True)


def query(name, range_, slide, *calls, group_by=("k",), where=None):
    window = Window(range=range_, slide=slide)
    named = tuple((function, column) for function, column in calls) or (("sum", "v"),)
    return PlannedQuery.named(name, "s", window, named, group_by=group_by, where=where)


QUERIES = [
    query("a", 5 * MINUTE, MINUTE // 6, ("sum", "v"), ("max", "v")),
    query("b", 10 * MINUTE, MINUTE // 2, ("avg", "v")),
    query("c", MINUTE, MINUTE // 4, ("stddev_pop", "v"), where="v > 1"),
    query("d", 20 * MINUTE, MINUTE, ("count", None), group_by=()),
]


def test_every_level_has_a_part_and_the_id_stays():
    plain = reoptimize(QUERIES, 1000.0, optimizer="triweave", technique="auto", improve=True)
    estimator = Estimator(calibration=ASSUMED, cardinalities={"k": 1000})
    plan = reoptimize(
        QUERIES, 1000.0, optimizer="triweave", technique="auto", improve=True, estimator=estimator
    )
    assert plan.id == plain.id and plain.estimate is None
    assert plan.estimate is not None and not plan.estimate.measured
    document = plan.document()["estimate"]
    assert all(value > 0 for name, value in document.items() if name != "measured")
    assert all(tree["estimated_seconds_per_second"] > 0 for tree in plan.document()["trees"])
    assert plain.document()["estimate"] is None


def test_what_was_never_measured_chooses_nothing():
    estimator = Estimator(calibration=ASSUMED)
    plain, told = (auto(QUERIES, 1000.0), auto(QUERIES, 1000.0, estimator=estimator))
    assert (
        replace(told, estimate=None).document()["trees"][0]["lanes"] == plain.document()["trees"][0]["lanes"]
    )
    assert told.id == plain.id


def test_I_39_auto_takes_what_takes_least_time():
    estimator = Estimator(calibration=MEASURED, cardinalities={"k": 1000})
    plan = auto(QUERIES, 1000.0, estimator=estimator)
    assert check_plan(plan, {q.id for q in QUERIES}) == []
    assert plan.requested.optimizer == "auto" and plan.estimate is not None
    # No other technique of any lane takes less.
    for tree in plan.trees:
        for place, (lane, _) in enumerate(tree.lane_techniques):
            kind = "extreme" if lane.operation in ("min", "max") else lane.operation
            for other in MEASURED.techniques(kind):
                kernel = find_kernel(other)
                assert kernel is not None
                if not kernel.multi_query:
                    continue
                lanes = list(tree.lane_techniques)
                lanes[place] = (lane, other)
                trees = tuple(
                    replace(tree, lane_techniques=tuple(lanes)) if t is tree else t for t in plan.trees
                )
                found = estimator.of(replace(plan, trees=trees)).estimate
                assert found is not None
                assert found.seconds_per_second >= plan.estimate.seconds_per_second - 1e-9


def test_a_technique_that_was_asked_for_stays():
    estimator = Estimator(calibration=MEASURED)
    plan = reoptimize(
        QUERIES, 1000.0, optimizer="auto", technique="flatfit", improve=True, estimator=estimator
    )
    assert {name for tree in plan.trees for _, name in tree.lane_techniques} == {"flatfit"}


def test_auto_follows_its_last_plan_by_time_too():
    estimator = Estimator(calibration=MEASURED)
    first = reoptimize(
        QUERIES[:3], 10.0, optimizer="auto", technique="auto", improve=True, estimator=estimator
    )
    later = reoptimize(
        QUERIES, 1e6, optimizer="auto", technique="auto", improve=True, last=first, estimator=estimator
    )
    assert check_plan(later, {q.id for q in QUERIES}) == []
    # A million tuples a second are not read twice.
    assert later.execution == "triops" or len(later.trees) == 1
    assert later.estimate is not None and later.estimate.measured


def test_keys_are_the_product_of_cardinalities_and_at_most_the_tuples():
    few, many = (
        Estimator(calibration=ASSUMED, cardinalities={"k": keys}).of(auto(QUERIES[:1], 100.0)).estimate
        for keys in (10, 10**9)
    )
    assert few is not None and many is not None
    assert few.results_per_second == pytest.approx(10 / 10, rel=0.01)
    # 30,000 tuples in 5 minutes, as many keys.
    assert many.results_per_second == pytest.approx(30_000 / 10, rel=0.01)
    assert few.seconds_per_second < many.seconds_per_second


@pytest.mark.parametrize("unit", [Unit.TUPLES, Unit.ABSTRACT])
def test_windows_that_are_not_by_time_have_no_estimate(unit):
    window = Window(range=10, slide=5, unit=unit)
    queries = [PlannedQuery.named("a", "s", window, (("sum", "v"),))]
    plan = auto(queries, 10.0, estimator=Estimator(calibration=MEASURED))
    assert plan.estimate is None


def test_no_queries_have_no_estimate():
    assert auto([], 10.0, estimator=Estimator(calibration=MEASURED)).estimate is None
