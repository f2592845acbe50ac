"""The native Spark aggregates that fill the lanes.

Partials leave Spark as identities with counts, never as NULL, so that longs stay longs whatever is missing. Decimals of
up to 18 digits are scaled to longs, wider ones are shipped as text. Every aggregate here is one that cannot raise,
whatever the data: an overflow is one query's affair.
"""

from __future__ import annotations

from decimal import Decimal

from pyspark.sql import Column
from pyspark.sql import functions as F

from optimizer.model.schema import ColumnType, Kind, Schema
from planner_spark.kernels.lane import Lane
from planner_spark.kernels.lanes import (
    OVERFLOW,
    BigSumLane,
    CountLane,
    ExtremeLane,
    MomentsLane,
    ObjectExtremeLane,
    SumLane,
    WideSumLane,
)

__all__ = ["lane_columns"]


def lane_columns(lane: Lane, schema: Schema) -> list[Column]:
    """The aggregates that fill the lane's arrays, under their names."""
    if lane.column == "*":
        return [F.count(F.lit(1)).alias(lane.name)]
    kind = schema.column(lane.column, field="column").type
    value = F.col(f"`{lane.column}`")
    columns: list[Column]
    match lane:
        case CountLane():
            columns = [F.count(value)]
        case WideSumLane():
            number = _scaled(value, kind)
            columns = [
                F.sum(F.shiftright(number, 32)),
                F.sum(number.bitwiseAND(F.lit(0xFFFFFFFF))),
            ]
        case BigSumLane():
            # NULL although there are values: the fragment's own sum overflowed, told apart by the word.
            total = F.try_sum(value).cast("string")
            return [
                F.when(F.count(value) == 0, F.lit("0"))
                .otherwise(F.coalesce(total, F.lit(OVERFLOW)))
                .alias(lane.name)
            ]
        case SumLane():
            columns = [F.sum(value.cast("bigint" if kind.is_integral else "double"))]
        case ExtremeLane():
            columns = [_extreme(lane.largest, _as_number(value, kind))]
        case ObjectExtremeLane():
            best = _extreme(lane.largest, value).cast("string")
            # Files may hold any bytes; Arrow takes text only.
            return [F.make_valid_utf8(best).alias(lane.name)]
        case MomentsLane():
            number = value.cast("double")
            columns = [F.avg(number), F.var_pop(number) * F.count(number)]
        case _:
            raise ValueError(f"unknown lane {lane.name!r}")
    return [
        F.coalesce(column, F.lit(field.identity)).alias(field.name)
        for column, field in zip(columns, lane.fields, strict=True)
    ]


def _extreme(largest: bool, value: Column) -> Column:
    return F.max(value) if largest else F.min(value)


def _scaled(value: Column, kind: ColumnType) -> Column:
    if kind.kind is not Kind.DECIMAL:
        return value
    return (value * F.lit(Decimal(10**kind.scale))).cast("bigint")


def _as_number(value: Column, kind: ColumnType) -> Column:
    """The value as the long or double that the lane holds."""
    match kind.kind:
        case Kind.BOOLEAN:
            return value.cast("int").cast("bigint")
        case Kind.DATE:
            return F.unix_date(value).cast("bigint")
        case Kind.TIMESTAMP:
            return F.unix_micros(value)
        case Kind.FLOAT | Kind.DOUBLE:
            return value.cast("double")
        case _:
            return _scaled(value, kind).cast("bigint")
