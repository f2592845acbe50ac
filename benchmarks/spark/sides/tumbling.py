"""Spark's own aggregation with a tumbling window: what one query costs, however little it asks (the floor)."""

from __future__ import annotations

from pathlib import Path

from pyspark.sql import SparkSession
from pyspark.sql import functions as F
from pyspark.sql.streaming.query import StreamingQuery

from benchmarks.spark.config import Config, Result
from benchmarks.spark.streams import answers, measure, read, write

__all__ = ["run"]


def run(config: Config) -> Result:
    """The first window of the configuration, which is a tumbling one."""
    window = config.windows[0]
    if len(config.windows) != 1 or window.overlap != 1:
        raise ValueError("the floor is one query with a tumbling window")

    def start(spark: SparkSession, source: Path) -> list[StreamingQuery]:
        grouped = read(spark, source).groupBy(F.window("ts", f"{window.range} seconds"), "key")
        return [write(grouped.agg(*answers(config)), config.folder / "checkpoint")]

    return measure(config, start)
