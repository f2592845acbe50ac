"""Weft: one job that answers all windows, run as its driver runs it but for the sink."""

from __future__ import annotations

from pathlib import Path

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.streaming.query import StreamingQuery

from benchmarks.spark.config import Config, Result
from benchmarks.spark.data import SCHEMA, STEP
from benchmarks.spark.plan import plan_of
from benchmarks.spark.streams import measure, write
from benchmarks.spark.watch import RESULTS
from benchmarks.spark.workload import DELAY
from planner_spark.admission import admit
from planner_spark.compile import compile_job
from planner_spark.home import Home
from planner_spark.sinks.housekeeping import Housekeeping
from planner_spark.sinks.parquet import ParquetSink
from planner_spark.spec import JobSpec, QuerySpec, StreamSpec

__all__ = ["job_of", "run"]

SECOND = 1_000_000


def run(config: Config) -> Result:
    """All windows of the configuration."""

    def start(spark: SparkSession, source: Path) -> list[StreamingQuery]:
        spec = job_of(config, source)
        home = Home.of(spec)
        home.path.mkdir(parents=True, exist_ok=True)
        results = compile_job(spark, spec, admit(home, spec))
        if config.sink == "parquet":
            return [_stored(results, home)]
        # A row holds many results, and a column says how many.
        return [write(results, home.checkpoint, counted=F.col("results"))]

    return measure(config, start)


def job_of(config: Config, source: Path) -> JobSpec:
    """The job as the service would write it."""
    stream = StreamSpec(
        name="bench",
        source={
            "kind": "files",
            "path": str(source),
            "format": "parquet",
            "bounded": True,
            "options": {"maxFilesPerTrigger": 1},
        },
        schema=SCHEMA,
        event_time="ts",
        watermark=DELAY * SECOND,
        rate=SECOND / STEP,
    )
    queries = tuple(
        QuerySpec(
            number=number,
            range=window.range * SECOND,
            slide=window.slide * SECOND,
            aggregates=config.aggregates,
            group_by=("key",),
        )
        for number, window in enumerate(config.windows, start=1)
    )
    return JobSpec(
        home=str(config.folder / "home"),
        generation=1,
        epoch=1,
        stream=stream,
        queries=queries,
        shards=config.shards,
        master=f"local[{config.shards}]",
        trigger=0,
        plan=plan_of(config),
    )


def _stored(results: DataFrame, home: Home) -> StreamingQuery:
    sink = ParquetSink(home.results, Housekeeping(retain_age=None, retain_bytes=None), watermark=lambda: None)
    return (
        results.observe(RESULTS, F.sum("results").alias("n"))
        .writeStream.outputMode("append")
        .option("checkpointLocation", str(home.checkpoint))
        .trigger(processingTime="0 seconds")
        .foreachBatch(sink)
        .start()
    )
