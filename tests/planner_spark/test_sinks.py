"""Results on disk: each batch once, whole or not at all; many small files become few; old ones go."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

from planner_spark.blocks import to_bytes
from planner_spark.final_aggregation import OUTPUT
from planner_spark.sinks.describe import describe
from planner_spark.sinks.housekeeping import Housekeeping
from planner_spark.sinks.manifest import Manifest, Segment
from planner_spark.sinks.parquet import ParquetSink
from planner_spark.work import added

SECOND = 1_000_000


def batch_file(folder: Path, batch: int, rows: int = 3) -> Segment:
    """A batch of some rows whose windows end at its own number of seconds."""
    path = folder / f"batch-{batch:010d}-x" / "part.parquet"
    path.parent.mkdir(parents=True)
    ends = pa.array([datetime.fromtimestamp(batch, UTC)] * rows, pa.timestamp("us", tz="UTC"))
    pq.write_table(
        pa.table({"query": list(range(rows, 0, -1)), "window_end": ends, "n": [batch] * rows}), path
    )
    described = describe(folder, path)
    assert described is not None
    return Segment(first_batch=batch, last_batch=batch, written=float(batch), files=(described,))


def visible(folder: Path, manifest: Manifest) -> list[tuple[int, int]]:
    tables = [pq.read_table(folder / f.path) for s in manifest.segments for f in s.files]
    return sorted((row["n"], row["query"]) for table in tables for row in table.to_pylist())


def test_compaction_keeps_every_row_and_few_files(tmp_path: Path):
    keeping = Housekeeping(fan_in=4, grace=0.0)
    manifest = Manifest()
    for batch in range(70):
        manifest = keeping.tidy(tmp_path, manifest.with_batch(batch_file(tmp_path, batch), batch * SECOND))
    assert visible(tmp_path, manifest) == sorted((b, q) for b in range(70) for q in (1, 2, 3))
    assert len(manifest.segments) <= 3 * 4
    assert [s.first_batch for s in manifest.segments[1:]] == [
        s.last_batch + 1 for s in manifest.segments[:-1]
    ]
    keeping.remove_strays(tmp_path, manifest)
    on_disk = {p.relative_to(tmp_path).parts[0] for p in tmp_path.rglob("*.parquet")}
    assert on_disk == {Path(f.path).parts[0] for s in manifest.segments for f in s.files}
    assert manifest.rows_ever == 210


def test_replaced_files_stay_for_readers_that_are_in_them(tmp_path: Path):
    keeping = Housekeeping(fan_in=2, grace=3_600.0)
    first = Manifest().with_batch(batch_file(tmp_path, 0), 0)
    second = keeping.tidy(tmp_path, first.with_batch(batch_file(tmp_path, 1), SECOND))
    assert len(second.segments) == 1
    assert visible(tmp_path, first) == [(0, 1), (0, 2), (0, 3)]


def test_retention_by_size_and_age(tmp_path: Path):
    manifest = Manifest()
    for batch in range(5):
        manifest = manifest.with_batch(batch_file(tmp_path, batch), batch * SECOND)
    size = manifest.segments[0].bytes
    small = Housekeeping(fan_in=100, grace=0.0, retain_bytes=2 * size + 10)
    kept = small.tidy(tmp_path, manifest)
    assert {n for n, _ in visible(tmp_path, kept)} == {3, 4}
    assert kept.rows_ever == 15
    small.remove_strays(tmp_path, kept)
    assert len(list(tmp_path.glob("batch-*"))) == 2
    young = Housekeeping(fan_in=100, grace=0.0, retain_age=3_600.0)
    assert young.tidy(tmp_path, kept).segments == ()


@pytest.mark.spark
def test_a_repeated_batch_is_written_once(spark: SparkSession, tmp_path: Path):
    """As after a crash between the manifest and Spark's own commit."""

    sink = ParquetSink(tmp_path, Housekeeping(), watermark=lambda: 7)
    sink(packed(spark, 1), 0)
    sink(packed(spark), 1)
    again = ParquetSink(tmp_path, Housekeeping(), watermark=lambda: 8)
    again(packed(spark, 2), 1)
    again(packed(spark, 3, 4), 2)
    manifest = Manifest.read(tmp_path)
    assert (manifest.last_batch, manifest.rows_ever, manifest.watermark) == (2, 3, 8)
    assert visible(tmp_path, manifest) == [(1, 1), (3, 1), (4, 1)]
    on_disk = {str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*.parquet")}
    assert on_disk == {file.path for segment in manifest.segments for file in segment.files}


@pytest.mark.spark
def test_t17_reports_of_the_work_are_handed_on(spark: SparkSession, tmp_path: Path):
    sink = ParquetSink(tmp_path, Housekeeping(), watermark=lambda: 7)
    sink(packed(spark, 1, 2), 0)
    work = added(sink.reports)
    assert work["tuples"] == 10
    assert work["seconds:write"] > 0


def packed(spark: SparkSession, *values: int):
    """What the operator sends: each value as a row of query 1, packed, and reports of the work."""
    stamp = pa.array([datetime(2026, 1, 1, tzinfo=UTC)], pa.timestamp("us", tz="UTC"))
    tables = [pa.table({"query": [1], "window_end": stamp, "n": [value]}) for value in values]
    rows = [(1, to_bytes(table), None) for table in tables]
    return spark.createDataFrame([*rows, (0, None, '{"tuples": 3}'), (0, None, '{"tuples": 7}')], OUTPUT)
