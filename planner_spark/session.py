"""The Spark session of a job, with the settings that its correctness needs."""

from __future__ import annotations

import os
import sys

from pyspark.sql import SparkSession

__all__ = ["start_session"]

_NEEDED = {
    # Windows and dates mean the same everywhere.
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.streaming.stateStore.providerClass": (
        "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
    ),
    # State is written in proportion to what changed.
    "spark.sql.streaming.stateStore.rocksdb.changelogCheckpointing.enabled": "true",
    # Without statistics on window_end a reader has to open every file; Spark's default timestamps carry none.
    "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS",
    "spark.sql.parquet.compression.codec": "zstd",
    "spark.sql.execution.arrow.maxRecordsPerBatch": "1000000",
    # Packed rows are megabytes each.
    "spark.sql.execution.arrow.maxBytesPerBatch": str(64 << 20),
    "spark.sql.adaptive.enabled": "false",
    # Expressions are written for it, and decimals have a plain text form only with it.
    "spark.sql.ansi.enabled": "true",
    # A bounded stream ends by a batch without data.
    "spark.sql.streaming.noDataMicroBatches.enabled": "true",
}
_DEFAULTS = {
    # Counting the rows of the state costs a look-up per write.
    "spark.sql.streaming.stateStore.rocksdb.trackTotalNumberOfRows": "false",
    "spark.driver.memory": "2g",
    # Packed results are huge objects to G1: each has it mark the whole heap once more.
    "spark.driver.extraJavaOptions": "-XX:+UseParallelGC",
    # Spark counts every file as four megabytes longer than it is, and cuts a small one into unequal parts.
    "spark.sql.files.openCostInBytes": str(64 << 10),
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.streaming.stopTimeout": "60s",
}


def start_session(name: str, *, master: str, shards: int, conf: dict[str, str] | None = None) -> SparkSession:
    """A session for one job; ``conf`` may override whatever correctness does not need."""
    os.environ["PYSPARK_PYTHON"] = sys.executable
    os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
    builder = SparkSession.builder.master(master).appName(f"weft {name}")
    settings = {**_DEFAULTS, **(conf or {}), **_NEEDED, "spark.sql.shuffle.partitions": str(shards)}
    for key, value in settings.items():
        builder = builder.config(key, value)
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("WARN")
    return spark
