"""Sources of tuples, one file per kind.

| module | what it reads |
|---|---|
| files | a folder of Parquet, JSON or CSV files, bounded or not |
| rate | Spark's own generator |
| synthetic | a seeded, replayable generator |
| control | heartbeats |
"""

from __future__ import annotations

from pyspark.sql import DataFrame, SparkSession

from planner_spark.errors import SourceUnusable
from planner_spark.sources.files import files
from planner_spark.sources.rate import rate
from planner_spark.sources.synthetic import synthetic
from planner_spark.spec import StreamSpec

__all__ = ["source"]


def source(spark: SparkSession, stream: StreamSpec, *, trigger: int) -> DataFrame:
    """The stream's tuples with the columns of its schema; ``trigger`` in microseconds."""
    match stream.source["kind"]:
        case "files":
            return files(spark, stream)
        case "rate":
            return rate(spark, stream)
        case "synthetic":
            return synthetic(spark, stream, trigger=trigger)
        case kind:
            raise SourceUnusable(f"source.kind {kind!r} has no engine")
