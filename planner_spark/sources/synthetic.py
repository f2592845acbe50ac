"""A seeded, replayable stream: number of keys, their skew, disorder, distribution of values, tuples a second.

Every column is a pure function of the seed and of a tuple's number, computed natively, so a restart or another run
gives the same tuples. A batch is one trigger's worth of tuples: event time moves on while the job runs and waits while
it does not.
"""

from __future__ import annotations

import math
from datetime import UTC, datetime
from typing import Any

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

from planner_spark.spec import StreamSpec

__all__ = ["synthetic", "synthetic_columns"]

_BITS = 53
_SECOND = 1_000_000


def synthetic(spark: SparkSession, stream: StreamSpec, *, trigger: int) -> DataFrame:
    """The stream, one batch of ``rate * trigger`` tuples per trigger (microseconds)."""
    per_batch = max(1, round(stream.rate * trigger / _SECOND))
    rows = (
        spark.readStream.format("rate-micro-batch")
        .option("rowsPerBatch", per_batch)
        .option("numPartitions", spark.sparkContext.defaultParallelism)
        .load()
    )
    return rows.select(*synthetic_columns(stream, F.col("value")))


def synthetic_columns(stream: StreamSpec, number: Column) -> list[Column]:
    """The columns of tuple ``number``; also makes batches for tests and benchmarks, from ``spark.range``."""
    source = stream.source
    seed = int(source.get("seed", 0))
    columns = []
    for position, (name, kind) in enumerate(stream.schema):
        if name == stream.event_time:
            columns.append(_event_time(stream, number, seed).alias(name))
            continue
        column = _value(kind, source, _uniform(number, seed, position), _uniform(number, seed, -1 - position))
        nulls = float(source.get("nulls", 0))
        if nulls > 0:
            column = F.when(_uniform(number, seed, 1_000_000 + position) >= nulls, column)
        columns.append(column.alias(name))
    return columns


def _uniform(number: Column, seed: int, salt: int) -> Column:
    """A double in [0, 1) that depends on the tuple's number, the seed and the salt alone."""
    mixed = F.xxhash64(number, F.lit(seed).cast("bigint"), F.lit(salt).cast("bigint"))
    return F.shiftrightunsigned(mixed, 64 - _BITS) / F.lit(float(1 << _BITS))


def _event_time(stream: StreamSpec, number: Column, seed: int) -> Column:
    start = datetime.fromisoformat(stream.source.get("start", "2026-01-01T00:00:00+00:00"))
    start_micros = int(start.astimezone(UTC).timestamp() * _SECOND)
    disorder = int(stream.source.get("disorder", 0))
    steady = F.lit(start_micros) + F.floor(number * F.lit(_SECOND / stream.rate))
    return F.timestamp_micros(steady - F.floor(_uniform(number, seed, -1_000_000) * F.lit(disorder)))


def _rank(source: dict[str, Any], uniform: Column) -> Column:
    """A key's rank, 1 to keys, bounded Zipf by inversion of its continuous form."""
    keys, skew = int(source.get("keys", 10)), float(source.get("skew", 0))
    if skew == 0:
        rank = uniform * keys + 1
    elif skew == 1:
        rank = F.exp(uniform * math.log(keys + 1))
    else:
        power = 1 - skew
        rank = F.pow(uniform * ((keys + 1) ** power - 1) + 1, F.lit(1 / power))
    return F.least(F.floor(rank), F.lit(keys))


def _value(kind: str, source: dict[str, Any], uniform: Column, other: Column) -> Column:
    rank = _rank(source, uniform)
    match kind:
        case "string":
            return F.concat(F.lit("k"), rank.cast("string"))
        case "boolean":
            return uniform < 0.5
        case "int" | "long":
            return F.floor(uniform * 1_000).cast("int" if kind == "int" else "bigint")
        case "timestamp":
            return F.timestamp_micros(F.floor(uniform * 1e15).cast("bigint"))
        case "date":
            return F.date_from_unix_date(F.floor(uniform * 20_000).cast("int"))
        case _:
            return _drawn(str(source.get("values", "uniform")), uniform, other).try_cast(kind)


def _drawn(distribution: str, uniform: Column, other: Column) -> Column:
    match distribution:
        case "normal":
            radius = F.sqrt(-2.0 * F.log(1.0 - uniform))
            return 100.0 + 15.0 * radius * F.cos(2 * math.pi * other)
        case "exponential":
            return -100.0 * F.log(1.0 - uniform)
        case "steps":
            return F.floor(uniform * 10) * 10.0
        case _:
            return uniform * 100.0
