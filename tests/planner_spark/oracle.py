"""The oracle: each query alone, by Spark's own ``groupBy(window(...))`` over the same files in batch.

Floats are then compared with ``math.fsum`` over the values of the window, which the oracle collects beside Spark's
own answer: Spark adds doubles in no particular order.
"""

from __future__ import annotations

import math
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from planner_spark.sources.files import ddl
from planner_spark.spec import JobSpec, QuerySpec

from .harness import OVERFLOW, _hashable, result_type

TOLERANCE = 1e-9
_SPARK = {"count": F.count, "sum": F.sum, "avg": F.avg, "min": F.min, "max": F.max, "var_samp": F.var_samp,
          "var_pop": F.var_pop, "stddev_samp": F.stddev_samp, "stddev_pop": F.stddev_pop}  # fmt: skip


def load(spark: SparkSession, spec: JobSpec) -> DataFrame:
    return spark.read.schema(ddl(spec.stream)).parquet(str(Path(spec.stream.source["path"]))).cache()


def expected_of_all(spark: SparkSession, spec: JobSpec) -> dict[int, dict[tuple, tuple]]:
    """What each query of the job should answer, by its number."""
    tuples = load(spark, spec)
    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(lambda query: expected(tuples, spec, query), spec.queries))
    tuples.unpersist()
    return {query.number: answer for query, answer in zip(spec.queries, answers, strict=True)}


def expected(tuples: DataFrame, spec: JobSpec, query: QuerySpec) -> dict[tuple, tuple]:
    """Per (window start, *group values): Spark's values, and for floats the values that they came from."""
    if query.where is not None:
        tuples = tuples.where(F.expr(query.where))
    length, slide = f"{query.range} microseconds", f"{query.slide} microseconds"
    if query.range >= query.slide:
        window = F.window("ts", length, slide)
    else:
        # Spark refuses windows shorter than their slide: take tumbling windows of the slide, and their beginnings.
        window = F.window("ts", slide)
        tuples = tuples.where(F.pmod(F.unix_micros("ts"), F.lit(query.slide)) < query.range)
    columns = []
    for position, (function, column) in enumerate(query.aggregates):
        value = F.lit(1) if column == "*" else F.col(column)
        answer = F.try_sum(value) if function == "sum" else _SPARK[function](value)
        columns.append(answer.alias(f"a{position}"))
        columns.append(
            (F.collect_list(value.cast("double")) if _is_float(query, position, spec) else F.lit(None)).alias(
                f"v{position}"
            )
        )
    rows = tuples.groupBy(window.alias("__window"), *query.group_by).agg(*columns).collect()
    answers = {}
    for row in rows:
        start = row["__window"]["start"].replace(tzinfo=UTC)
        key = tuple(_hashable(v) for v in (start, *(_aware(row[name]) for name in query.group_by)))
        answers[key] = tuple(
            (_aware(row[f"a{position}"]), row[f"v{position}"]) for position in range(len(query.aggregates))
        )
    return answers


def _aware(value: Any) -> Any:
    return value.replace(tzinfo=UTC) if isinstance(value, datetime) else value


def _is_float(query: QuerySpec, position: int, spec: JobSpec) -> bool:
    function, column = query.aggregates[position]
    if function in {"min", "max"} or column == "*":
        return False
    return result_type(function, column, spec.stream.columns).is_fractional


def difference(function: str, actual: Any, wanted: Any, values: list[float] | None) -> str | None:
    """What is wrong with a value, or None."""
    if values is None:
        if actual is OVERFLOW:
            return "overflow"
        return None if _same(actual, wanted) else f"{actual} != {wanted}"
    if (actual is None) != (wanted is None):
        return f"{actual} != {wanted}"
    if actual is None:
        return None
    if not all(math.isfinite(v) for v in values):
        # Infinities and NaN: Spark's own word is exact.
        return None if _same(actual, wanted) else f"{actual} != {wanted} over {values[:10]}"
    exact, allowed = _by_fsum(function, values)
    return (
        None if abs(actual - exact) <= allowed else f"{actual} != {exact} within {allowed} over {values[:10]}"
    )


def _same(actual: Any, wanted: Any) -> bool:
    if isinstance(actual, float) and isinstance(wanted, float) and math.isnan(actual):
        return math.isnan(wanted)
    return type(actual) is type(wanted) and actual == wanted


def _by_fsum(function: str, values: list[float]) -> tuple[float, float]:
    n, magnitude = len(values), math.fsum(abs(v) for v in values)
    total = math.fsum(values)
    if function == "sum":
        return total, TOLERANCE * magnitude
    if function == "avg":
        return total / n, TOLERANCE * magnitude / n
    mean = total / n
    squares = math.fsum((v - mean) ** 2 for v in values)
    variance = squares / (n - 1 if function.endswith("_samp") else n)
    scale = TOLERANCE * math.fsum(v * v for v in values) / n
    if function.startswith("var"):
        return variance, scale
    return math.sqrt(variance), math.sqrt(max(variance, 0) + scale) - math.sqrt(variance) + 1e-12
