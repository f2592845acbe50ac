"""Which lanes a workload needs; `planner_spark.lane_columns` fills them."""

from __future__ import annotations

from collections.abc import Iterable

from optimizer.model.aggregates import find_aggregate
from optimizer.model.schema import ColumnType, Kind, Schema
from planner_spark.kernels.lane import Lane
from planner_spark.kernels.lanes import (
    BigSumLane,
    CountLane,
    ExtremeLane,
    MomentsLane,
    ObjectExtremeLane,
    SumLane,
    WideSumLane,
)

__all__ = ["lanes_of"]

ROWS = CountLane(column="*")
NARROW_DIGITS = 18
"""Decimals of so many digits fit a long."""


def lanes_of(aggregates: Iterable[tuple[str, str]], schema: Schema) -> tuple[Lane, ...]:
    """The lanes of all (function, column) pairs, each once, in a fixed order; tuples are always counted."""
    lanes: dict[str, Lane] = {ROWS.name: ROWS}
    for function, name in aggregates:
        if name == "*":
            continue
        aggregate = find_aggregate(function)
        if aggregate is None:
            raise ValueError(f"unknown aggregate {function!r}")
        column = schema.column(name, field="column")
        for operation in aggregate.partials:
            lane = _lane(operation, column.name, column.type)
            lanes[lane.name] = lane
    return (ROWS, *sorted((lane for lane in lanes.values() if lane != ROWS), key=lambda lane: lane.name))


def _lane(operation: str, column: str, kind: ColumnType) -> Lane:
    wide_decimal = kind.kind is Kind.DECIMAL and kind.precision > NARROW_DIGITS
    match operation:
        case "count":
            return CountLane(column=column)
        case "moments":
            return MomentsLane(column=column)
        case "sum" if wide_decimal:
            return BigSumLane(column=column)
        case "sum" if kind.kind in {Kind.LONG, Kind.DECIMAL}:
            return WideSumLane(column=column)
        case "sum":
            return SumLane(column=column, fractional=kind.is_fractional)
        case "min" | "max" if kind.kind is Kind.STRING or wide_decimal:
            return ObjectExtremeLane(column=column, largest=operation == "max", decimal=wide_decimal)
        case "min" | "max":
            return ExtremeLane(column=column, largest=operation == "max", fractional=kind.is_fractional)
        case _:
            raise ValueError(f"unknown operation {operation!r}")
