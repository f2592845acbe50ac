"""Streaming queries of Spark over the files of a dataset: one file is a micro-batch, and each is timed.

A single query finds all files at its start; the measured time is from the end of its last warm-up batch to the end of
its last batch with tuples. Independent queries drift apart, so they get the warm-up's files first, and the others when
all of them are through: the measured time is from then until the slowest has finished.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.streaming.query import StreamingQuery

from benchmarks.spark.config import Config, Emitted, Result
from benchmarks.spark.data import SCHEMA, link_files
from benchmarks.spark.watch import RESULTS, Batch, Watch
from benchmarks.spark.workload import DELAY
from planner_spark.session import start_session

__all__ = ["Start", "answers", "measure", "read", "write"]

Start = Callable[[SparkSession, Path], list[StreamingQuery]]
"""Starts a side's queries over a folder of files; either one for all windows, or one per window in their order."""

_TYPES = {"long": "bigint"}
_POLL = 0.05


def read(spark: SparkSession, source: Path) -> DataFrame:
    """The files as a stream under its watermark."""
    schema = ", ".join(f"`{name}` {_TYPES.get(kind, kind)}" for name, kind in SCHEMA)
    reader = spark.readStream.format("parquet").schema(schema)
    # The files' times are those of their tuples, years ago.
    reader = reader.option("maxFilesPerTrigger", 1).option("maxFileAge", "36500d")
    return reader.load(str(source)).withWatermark("ts", f"{DELAY} seconds")


def answers(config: Config) -> list[Column]:
    """The aggregates that every query asks for."""
    return [F.expr(f"{function}(`{column}`)") for function, column in config.aggregates]


def write(results: DataFrame, checkpoint: Path, *, counted: Column | None = None) -> StreamingQuery:
    """Start the query with a sink that does nothing; ``counted`` is what one row counts, without it 1."""
    n = F.count(F.lit(1)) if counted is None else F.sum(counted)
    return (
        results.observe(RESULTS, n.alias("n"))
        .writeStream.format("noop")
        .outputMode("append")
        .option("checkpointLocation", str(checkpoint))
        .trigger(processingTime="0 seconds")
        .start()
    )


def measure(config: Config, start: Start, *, staged: bool = False, note: str = "") -> Result:
    """Run a side; ``staged`` holds the measured files back until all queries are warm."""
    source, data = config.folder / "source", Path(config.data)
    link_files(data, 0, config.warmup if staged else config.files, source)
    spark = start_session(
        config.side,
        master=f"local[{config.shards}]",
        shards=config.shards,
        conf={"spark.driver.memory": config.memory},
    )
    watch = Watch()
    spark.streams.addListener(watch)
    began = time.time()
    runs = [str(query.runId) for query in start(spark, source)]
    warm = None
    if staged:
        _wait(lambda: all(_through(watch.batches(run), config.warmup) for run in runs))
        cold, warm = time.time() - began, time.time()
        link_files(data, config.warmup, config.files, source)
    else:
        _wait(lambda: all(len(_fed(watch.batches(run))) >= config.warmup for run in runs))
        cold = _end(watch, runs, config.warmup, began) - began
    _wait(lambda: _done(config, watch, runs))
    for query in spark.streams.active:
        query.stop()
    result = _result(config, watch, runs, cold=cold, since=warm or began + cold, note=note)
    spark.stop()
    return result


def _wait(done: Callable[[], bool]) -> None:
    # Not bounded here: who started the process ends it when its time is over.
    while not done():
        time.sleep(_POLL)


def _fed(batches: list[Batch]) -> list[Batch]:
    return [batch for batch in batches if batch.rows]


def _through(batches: list[Batch], files: int) -> bool:
    """Whether so many files are read, and the batch without tuples that follows them has closed their windows."""
    return len(_fed(batches)) >= files and not batches[-1].rows


def _end(watch: Watch, runs: list[str], files: int, began: float) -> float:
    """When the slowest query had read so many files."""
    if files == 0:
        return began
    return max(_fed(watch.batches(run))[files - 1].end for run in runs)


def _least(watch: Watch, runs: list[str]) -> int:
    return min(len(_fed(watch.batches(run))) for run in runs)


def _done(config: Config, watch: Watch, runs: list[str]) -> bool:
    if all(_through(watch.batches(run), config.files) for run in runs):
        return True
    first = config.warmup + 1
    if config.budget is None or _least(watch, runs) < first:
        return False
    # In whole seconds of the slowest query's warm-up on: a budget is no measurement.
    return time.time() - _end(watch, runs, config.warmup, 0.0) > config.budget


def _result(config: Config, watch: Watch, runs: list[str], *, cold: float, since: float, note: str) -> Result:
    every = [watch.batches(run) for run in runs]
    files = min(_least(watch, runs), config.files)
    until = _end(watch, runs, files, since)
    measured = [batch for batches in every for batch in batches if since < batch.end <= until]
    if files < config.files:
        note = f"{note}; stopped after {files} of {config.files} files".lstrip("; ")
    per_file = _fed(every[0])[0].rows
    return Result(
        tuples=(files - config.warmup) * per_file,
        seconds=until - since,
        results=sum(batch.results for batch in measured),
        batches=[batch.seconds for batch in measured if batch.rows],
        cold_seconds=cold,
        state_rows=sum(max(batch.state_rows for batch in batches) for batches in every),
        state_bytes=sum(max(batch.state_bytes for batch in batches) for batches in every),
        emitted=[
            Emitted(
                query=place if len(runs) > 1 else None,
                until=batches[-1].until,
                counted=sum(batch.results for batch in batches),
            )
            for place, batches in enumerate(every)
        ],
        note=note,
    )
