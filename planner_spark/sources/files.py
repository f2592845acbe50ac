"""Files of a folder: Parquet, JSON lines or CSV, read as they come or, when bounded, as they are."""

from __future__ import annotations

from pathlib import Path

from pyspark.sql import DataFrame, SparkSession

from planner_spark.errors import SourceUnusable
from planner_spark.spec import StreamSpec

__all__ = ["files"]

_TYPES = {"long": "bigint"}


def files(spark: SparkSession, stream: StreamSpec) -> DataFrame:
    """The folder as a stream."""
    path = Path(stream.source["path"])
    if not path.exists():
        raise SourceUnusable(f"source.path {str(path)!r} does not exist")
    reader = (
        spark.readStream.format(stream.source["format"])
        .schema(ddl(stream))
        # Spark passes over files older than a week once it has seen a newer one; an old file is data all the same.
        .option("maxFileAge", "3650d")
    )
    for name, value in stream.source.get("options", {}).items():
        reader = reader.option(name, value)
    return reader.load(str(path))


def ddl(stream: StreamSpec) -> str:
    """The stream's schema in Spark's words."""
    return ", ".join(f"`{name}` {_TYPES.get(kind, kind)}" for name, kind in stream.schema)
