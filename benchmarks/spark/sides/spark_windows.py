"""Spark's own queries, one for each window: each reads the stream itself, all run in one session.

So a user of Spark would do it. They are started together and share the cores; see `benchmarks.spark.streams` for what
is measured then.
"""

from __future__ import annotations

from pathlib import Path

from pyspark.sql import SparkSession
from pyspark.sql import functions as F
from pyspark.sql.streaming.query import StreamingQuery

from benchmarks.spark.config import Config, Result
from benchmarks.spark.streams import answers, measure, read, write

__all__ = ["run"]


def run(config: Config) -> Result:
    """All windows of the configuration, with a query for each."""

    def start(spark: SparkSession, source: Path) -> list[StreamingQuery]:
        queries = []
        for number, window in enumerate(config.windows):
            bounds = F.window("ts", f"{window.range} seconds", f"{window.slide} seconds")
            grouped = read(spark, source).groupBy(bounds, "key")
            queries.append(write(grouped.agg(*answers(config)), config.folder / f"checkpoint-{number}"))
        return queries

    return measure(config, start, staged=len(config.windows) > 1)
