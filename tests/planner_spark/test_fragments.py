"""The fragment column: right bounds, and the metadata that makes Spark emit it like a window of its own."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from optimizer.edges.classes import classes_of, reduce_classes
from optimizer.model.window import Window
from planner_spark.fragments import FRAGMENT, bounds_of, fragment_column

from .harness import EPOCH

pytestmark = pytest.mark.spark
SECOND = 1_000_000


def edges_of(spark: SparkSession, windows: list[tuple[int, int]], until: int) -> list[int]:
    """The fragment ends that tuples at every half second fall into."""
    classes = reduce_classes(
        c
        for r, s in windows
        for c in classes_of(Window(range=r * SECOND, slide=s * SECOND), partials="pairs")
    )
    tuples = spark.range(0, 2 * until).select(F.timestamp_micros(F.col("id") * 500_000).alias("ts"))
    rows = tuples.select("ts", fragment_column(bounds_of(F.col("ts"), classes), watermark=0)).collect()
    for row in rows:
        assert row[FRAGMENT]["start"] <= row["ts"] < row[FRAGMENT]["end"]
    ends = {row[FRAGMENT]["end"].replace(tzinfo=UTC) for row in rows}
    return sorted(int((end - EPOCH).total_seconds()) for end in ends)


def test_t04_edges_of_pairs(spark: SparkSession) -> None:
    """V-01: (8,5), (5,4), their union, and (14,8)."""
    assert edges_of(spark, [(8, 5)], 20) == [3, 5, 8, 10, 13, 15, 18, 20]
    assert edges_of(spark, [(5, 4)], 20) == [1, 4, 5, 8, 9, 12, 13, 16, 17, 20]
    assert edges_of(spark, [(8, 5), (5, 4)], 20) == [1, 3, 4, 5, 8, 9, 10, 12, 13, 15, 16, 17, 18, 20]
    assert edges_of(spark, [(14, 8)], 24) == [6, 8, 14, 16, 22, 24]
    assert edges_of(spark, [(3, 5)], 10) == [3, 5, 8, 10]


def test_metadata_makes_spark_emit_fragments(spark: SparkSession, tmp_path: Path) -> None:
    """The trick that all rests on: append mode emits a fragment exactly when the watermark passes its end."""
    data = tmp_path / "data"
    start = datetime(2026, 1, 1, tzinfo=UTC)
    for number, seconds in enumerate([[0, 1, 4], [6], [11], [11]]):
        rows = [(start + timedelta(seconds=s),) for s in seconds]
        spark.createDataFrame(rows, "ts timestamp").coalesce(1).write.mode("append").parquet(
            str(data / str(number))
        )
    stream = (
        spark.readStream.schema("ts timestamp")
        .option("recursiveFileLookup", "true")
        .option("maxFilesPerTrigger", 1)
        .parquet(str(data))
        .withWatermark("ts", "0 seconds")
    )
    classes = classes_of(Window(range=5 * SECOND, slide=5 * SECOND), partials="pairs")
    fragments = (
        stream.select(fragment_column(bounds_of(F.col("ts"), classes), watermark=0)).groupBy(FRAGMENT).count()
    )
    query = fragments.writeStream.format("memory").queryName("emitted").outputMode("append").start()
    try:
        query.processAllAvailable()
        rows = spark.table("emitted").collect()
    finally:
        query.stop()
    found = {(row[FRAGMENT]["end"].replace(tzinfo=UTC) - start).total_seconds(): row["count"] for row in rows}
    assert found == {5.0: 3, 10.0: 1}
