"""Spark's own rate generator: a timestamp and a counter, so many rows a second."""

from __future__ import annotations

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from planner_spark.errors import SourceUnusable
from planner_spark.spec import StreamSpec

__all__ = ["rate"]


def rate(spark: SparkSession, stream: StreamSpec) -> DataFrame:
    """The first timestamp column is Spark's clock, the first long column its counter; others are refused."""
    rows = spark.readStream.format("rate").option("rowsPerSecond", max(1, round(stream.rate))).load()
    given = {"timestamp": F.col("timestamp"), "long": F.col("value")}
    columns = []
    for name, kind in stream.schema:
        if kind not in given:
            raise SourceUnusable(f"schema: a rate source has one timestamp and one long, not {name} {kind}")
        columns.append(given.pop(kind).alias(name))
    return rows.select(*columns)
