"""Each kind of source, from the source to answers."""

from __future__ import annotations

import json
import threading
import time
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from pyspark.errors import StreamingQueryException
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from planner_spark.admission import admit
from planner_spark.errors import SourceUnusable, in_short
from planner_spark.home import Home
from planner_spark.job import stream_job
from planner_spark.sinks.manifest import Manifest
from planner_spark.sources import source
from planner_spark.sources.synthetic import synthetic_columns
from planner_spark.spec import JobSpec, QuerySpec, StreamSpec
from planner_spark.status import StatusFile

from .harness import bounded_spec, read_rows, run

pytestmark = pytest.mark.spark
SECOND = 1_000_000
START = datetime(2026, 1, 1, tzinfo=UTC)
SCHEMA = [("ts", "timestamp"), ("k", "string"), ("n", "long"), ("x", "double")]
SUMS = QuerySpec(
    number=1, range=2 * SECOND, slide=SECOND, aggregates=(("sum", "n"), ("sum", "x")), group_by=("k",)
)
TEXTS = {
    "json": ["\n".join(json.dumps(row) for row in rows) for rows in (
        [{"ts": "2026-01-01T00:00:00Z", "k": "a", "n": 9007199254740993, "x": 0.5}, {"ts": "not a time", "n": 1}],
        [{"ts": "2026-01-01T00:00:01.5Z", "k": None, "n": None, "x": 2.0}],
    )],
    "csv": [
        "ts,k,n,x\n2026-01-01T00:00:00Z,a,9007199254740993,0.5\nnot a time,,1,\n",
        "ts,k,n,x\n2026-01-01T00:00:01.5Z,,,2.0\n",
    ],
}  # fmt: skip


@pytest.mark.parametrize("kind", ["json", "csv"])
def test_text_files(spark: SparkSession, tmp_path: Path, kind: str) -> None:
    """A value that does not parse is NULL, and a tuple whose time does not is left out and counted."""
    (tmp_path / "data").mkdir()
    for number, text in enumerate(TEXTS[kind]):
        (tmp_path / "data" / f"{number}.{kind}").write_text(text)
    spec = bounded_spec(tmp_path / "gen", tmp_path / "data", SCHEMA, [SUMS], watermark=0, files_per_batch=10)
    options = {"header": True} if kind == "csv" else {}
    spec = replace(
        spec, stream=replace(spec.stream, source={**spec.stream.source, "format": kind, "options": options})
    )
    status = run(spark, spec)
    assert status.null_event_times == 1
    second = timedelta(seconds=1)
    assert read_rows(spec)[1] == {
        (START - second, "a"): (2**53 + 1, 0.5),
        (START, "a"): (2**53 + 1, 0.5),
        (START, None): (None, 2.0),
        (START + second, None): (None, 2.0),
    }


def test_a_file_that_is_no_parquet_is_named_without_a_stack(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "broken.parquet").write_text("this is no Parquet")
    spec = bounded_spec(tmp_path / "gen", tmp_path / "data", SCHEMA, [SUMS], watermark=0, files_per_batch=10)
    with pytest.raises(StreamingQueryException) as failed:
        run(spark, spec)
    said = in_short(failed.value)
    assert "broken.parquet is not a Parquet file" in said
    assert not any(mark in said for mark in ("Traceback", "\n", "py4j", ".scala", ".java:"))


def unbounded(home: Path, stream: StreamSpec, query: QuerySpec) -> JobSpec:
    home.mkdir()
    return JobSpec(
        home=str(home),
        generation=1,
        epoch=1,
        stream=stream,
        queries=(query,),
        master="local[2]",
        trigger=200_000,
    )


def run_for_rows(spark: SparkSession, spec: JobSpec, rows: int) -> None:
    """Run an unbounded job until it has answered with so many rows."""
    home = Home.of(spec)
    status = StatusFile(home.status_file, epoch=1, generation=1)
    stopping = threading.Event()

    def watch() -> None:
        deadline = time.monotonic() + 120
        while Manifest.read(home.results).rows_ever < rows and time.monotonic() < deadline:
            time.sleep(0.1)
        stopping.set()

    watcher = threading.Thread(target=watch)
    watcher.start()
    assert not stream_job(spark, spec, home, admit(home, spec), status, stopping)
    watcher.join()


def test_synthetic_stream_is_answered_exactly(spark: SparkSession, tmp_path: Path) -> None:
    """The job's counts are those of the same tuples made in batch."""
    stream = StreamSpec(
        name="s",
        source={"kind": "synthetic", "keys": 3, "disorder": SECOND, "seed": 5, "nulls": 0.2},
        schema=(("ts", "timestamp"), ("key", "string"), ("value", "double"), ("quantity", "long")),
        event_time="ts",
        watermark=SECOND,
        rate=500.0,
    )
    query = QuerySpec(
        number=1,
        range=SECOND,
        slide=SECOND,
        aggregates=(("count", "*"), ("sum", "quantity")),
        group_by=("key",),
    )
    spec = unbounded(tmp_path / "gen", stream, query)
    run_for_rows(spark, spec, 8)
    found = read_rows(spec)[1]
    tuples = spark.range(20_000).select(*synthetic_columns(stream, F.col("id")))
    batch = tuples.groupBy(F.window("ts", "1 second").alias("w"), "key").agg(F.count("*"), F.sum("quantity"))
    wanted = {
        (row["w"]["start"].replace(tzinfo=UTC), row["key"]): (row[2], row[3]) for row in batch.collect()
    }
    assert len(found) >= 8
    assert found == {key: wanted[key] for key in found}


def test_rate_source(spark: SparkSession, tmp_path: Path) -> None:
    stream = StreamSpec(
        name="r",
        source={"kind": "rate"},
        schema=(("at", "timestamp"), ("v", "long")),
        event_time="at",
        watermark=0,
        rate=50.0,
    )
    query = QuerySpec(number=1, range=SECOND, slide=SECOND, aggregates=(("count", "*"), ("max", "v")))
    spec = unbounded(tmp_path / "gen", stream, query)
    run_for_rows(spark, spec, 2)
    counts = [count for count, _ in read_rows(spec)[1].values()]
    assert 50 in counts
    assert max(counts) <= 51


def test_a_missing_folder_is_named(spark: SparkSession, tmp_path: Path) -> None:
    spec = bounded_spec(tmp_path / "gen", tmp_path / "none", SCHEMA, [SUMS], watermark=0, files_per_batch=1)
    with pytest.raises(SourceUnusable, match=r"source\.path .* does not exist"):
        source(spark, spec.stream, trigger=SECOND)
