"""The control stream: heartbeats that move the watermark when the source does not (row G-09).

Heartbeats are small JSON files in the job's folder, read as a second source and unioned with the first before the
watermark. A far-future one closes the last windows of a bounded source.
"""

from __future__ import annotations

from pathlib import Path

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

__all__ = ["HEARTBEAT", "above_watermark", "control_stream"]

HEARTBEAT = "__heartbeat"


def control_stream(spark: SparkSession, folder: Path, like: DataFrame, event_time: str) -> DataFrame:
    """Heartbeats with the columns of ``like``; all but the event time are NULL."""
    beats = (
        spark.readStream.schema("at bigint")
        .option("maxFileAge", "3650d")
        .option("cleanSource", "delete")
        .json(str(folder))
    )
    columns = [
        F.timestamp_micros("at").alias(f.name)
        if f.name == event_time
        else F.lit(None).cast(f.dataType).alias(f.name)
        for f in like.schema.fields
        if f.name != HEARTBEAT
    ]
    return beats.select(*columns, F.lit(True).alias(HEARTBEAT))


def above_watermark(condition: Column, event_time: str) -> Column:
    """The condition in a form that Spark does not push below the watermark.

    There it would keep heartbeats, or tuples that no predicate wants, from moving the watermark: a condition that
    names the event time stays where it is, and no event time is that old.
    """
    return condition | (F.col(f"`{event_time}`") < F.lit("1900-01-01").cast("timestamp"))
