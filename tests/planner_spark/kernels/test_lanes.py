"""Lanes over whole columns say the same as the aggregates' definitions, value by value (rows T-03, I-16, G-05)."""

from __future__ import annotations

import functools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from optimizer.model.aggregates import AGGREGATES, Aggregate
from optimizer.model.schema import Column, ColumnType, Schema
from planner_spark.kernels.answers import Lowering
from planner_spark.kernels.lane import Lane
from planner_spark.kernels.over import Fragments, Runs
from planner_spark.lanes import lanes_of

LONG, DOUBLE = ColumnType.parse("long"), ColumnType.parse("double")
longs = st.integers(-(2**62), 2**62)
doubles = st.floats(-1e6, 1e6) | st.sampled_from([0.0, 1.0, -1.0])


def partials_of(values: list, lane: Lane) -> dict[str, object]:
    """What Spark ships for the values of one fragment; lanes are filled by their definition, not by Spark."""
    seen = [v for v in values if v is not None]
    identities = {f.name: f.identity for f in lane.fields}
    if not seen:
        return identities
    names = [f.name for f in lane.fields]
    match lane.name.split(":")[0]:
        case "count":
            return {names[0]: len(seen)}
        case "sum" if len(names) == 2:
            return {names[0]: sum(v >> 32 for v in seen), names[1]: sum(v & 0xFFFFFFFF for v in seen)}
        case "sum":
            return {names[0]: sum(seen)}
        case "min" | "max":
            pick = max if lane.name.startswith("max") else min
            return {names[0]: pick(seen)}
        case _:
            mean = math.fsum(seen) / len(seen)
            return {names[0]: mean, names[1]: math.fsum((v - mean) ** 2 for v in seen)}


def lowered(aggregate: Aggregate, kind: ColumnType, fragments: list[list], over_runs: bool) -> object:
    schema = Schema(columns=(Column(name="v", type=kind),))
    lanes = {lane.name: lane for lane in lanes_of([(aggregate.name, "v")], schema)}
    arrays: dict[str, np.ndarray] = {}
    for lane in lanes.values():
        if lane.column == "*":
            continue
        rows = [partials_of(values, lane) for values in fragments]
        for field in lane.fields:
            arrays[field.name] = np.array([row[field.name] for row in rows], dtype=field.dtype)
    over = Runs(np.array([0]), len(fragments)) if over_runs else Fragments()
    if not over_runs:
        arrays = {name: column.reshape(-1, 1) for name, column in arrays.items()}
    combined = {
        name: lane.combine(tuple(arrays[part.name] for part in lane.parts), over)
        for name, lane in lanes.items()
        if lane.column != "*"
    }
    answer = Lowering(function=aggregate.name, column="v", type=kind).lower(combined.__getitem__)
    if answer.overflow is not None and answer.overflow[0]:
        return "overflow"
    return answer.values[0] if answer.valid[0] else None


def defined(aggregate: Aggregate, values: list) -> object:
    seen = [aggregate.lift(v) for v in values if v is not None]
    if not seen:
        return 0 if aggregate.name == "count" else None
    return aggregate.lower(functools.reduce(aggregate.combine, seen))


def assert_close(aggregate: Aggregate, actual: float, wanted: float, values: list) -> None:
    """Within 1e-9 of the magnitude of what went in: of its squares for variances."""
    power = 2 if aggregate.name.startswith(("var", "stddev")) else 1
    scale = max((float(abs(v)) ** power for v in values if v is not None), default=0.0)
    if aggregate.name.startswith("stddev"):
        actual, wanted = actual**2, wanted**2
    assert actual == pytest.approx(wanted, rel=1e-9, abs=1e-9 * scale + 1e-12)


@pytest.mark.parametrize("over_runs", [False, True], ids=["window", "roll-up"])
@pytest.mark.parametrize("aggregate", AGGREGATES, ids=lambda a: a.name)
@given(data=st.data())
def test_longs(aggregate, over_runs, data):
    fragments = data.draw(st.lists(st.lists(longs | st.none(), max_size=4), min_size=1, max_size=6))
    values = [v for fragment in fragments for v in fragment]
    wanted = defined(aggregate, values)
    actual = lowered(aggregate, LONG, fragments, over_runs)
    if aggregate.name == "sum" and wanted is not None and not -(2**63) <= wanted < 2**63:
        assert actual == "overflow"
    elif isinstance(wanted, float):
        assert_close(aggregate, actual, wanted, values)
    else:
        assert actual == wanted


@pytest.mark.parametrize("over_runs", [False, True], ids=["window", "roll-up"])
@pytest.mark.parametrize("aggregate", AGGREGATES, ids=lambda a: a.name)
@given(data=st.data())
def test_doubles(aggregate, over_runs, data):
    fragments = data.draw(st.lists(st.lists(doubles | st.none(), max_size=4), min_size=1, max_size=6))
    values = [v for fragment in fragments for v in fragment]
    wanted = defined(aggregate, values)
    actual = lowered(aggregate, DOUBLE, fragments, over_runs)
    if wanted is None:
        assert actual is None
    else:
        assert_close(aggregate, actual, wanted, values)


def test_nan_is_the_largest_number():
    nan = math.nan
    by_name = {a.name: a for a in AGGREGATES}
    assert math.isnan(lowered(by_name["max"], DOUBLE, [[1.0], [nan]], False))
    assert lowered(by_name["min"], DOUBLE, [[nan], [1.0], []], False) == 1.0
    assert math.isnan(lowered(by_name["min"], DOUBLE, [[nan]], False))
