"""One query of Spark for all windows: a tuple is copied to every window of every query and aggregated once.

The source is read once, but the copies are as many as with a query per window. Who knows Spark well may write this.
"""

from __future__ import annotations

from pathlib import Path

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.streaming.query import StreamingQuery

from benchmarks.spark.config import Config, Result
from benchmarks.spark.streams import answers, measure, read, write
from benchmarks.spark.workload import DELAY

__all__ = ["run"]

SECOND = 1_000_000
DELAY_KEY = "spark.watermarkDelayMs"


def run(config: Config) -> Result:
    """All windows of the configuration in one query."""

    def start(spark: SparkSession, source: Path) -> list[StreamingQuery]:
        grouped = copies(config, read(spark, source)).groupBy("query", "window", "key")
        return [write(grouped.agg(*answers(config)), config.folder / "checkpoint")]

    return measure(config, start)


def copies(config: Config, tuples: DataFrame) -> DataFrame:
    """A row for each tuple and window that it is in."""
    every = ", ".join(
        f"struct({number} as query, {window.range * SECOND}L as width, {window.slide * SECOND}L as slide,"
        f" {place * window.slide * SECOND}L as back)"
        for number, window in enumerate(config.windows)
        for place in range(window.overlap)
    )
    rows = tuples.select("*", F.explode(F.expr(f"array({every})")).alias("at"))
    start = F.expr("unix_micros(ts) - pmod(unix_micros(ts), at.slide) - at.back")
    bounds = F.struct(
        F.timestamp_micros(start).alias("start"), F.timestamp_micros(start + F.col("at.width")).alias("end")
    )
    # With this metadata, which its own window column has too, Spark closes a group when the watermark has passed it.
    return rows.select(
        *(f"`{column}`" for column in tuples.columns),
        F.col("at.query").alias("query"),
        bounds.alias("window", metadata={DELAY_KEY: DELAY * 1_000}),
    )
