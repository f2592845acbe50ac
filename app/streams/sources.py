"""The kinds of sources, as a union that ``kind`` tells apart."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from app.streams.file_options import FileOptions

__all__ = [
    "DurationText",
    "FilesSource",
    "KafkaSource",
    "RateSource",
    "Source",
    "StrictModel",
    "SyntheticSource",
]


class StrictModel(BaseModel):
    """JSON types as they are, and no field that is not known."""

    model_config = ConfigDict(strict=True, extra="forbid")


DurationText = Annotated[
    str,
    StringConstraints(min_length=1, max_length=100),
    Field(description='A duration: "90s", "5m", "1h", "250ms", "1 minute" or "PT5M".', examples=["90s"]),
]


class FilesSource(StrictModel):
    """Files in a folder, and those that are put there later."""

    kind: Literal["files"]
    path: Annotated[str, StringConstraints(min_length=1, max_length=4096)] = Field(
        description="Absolute path of the folder.", examples=["/data/trades"]
    )
    format: Literal["parquet", "json", "csv"]
    bounded: bool = Field(default=False, description="The files that are there are all there is.")
    options: FileOptions = Field(default_factory=FileOptions)


class RateSource(StrictModel):
    """Spark's own generator: columns timestamp and value."""

    kind: Literal["rate"]


class SyntheticSource(StrictModel):
    """Weft's own generator: seeded, with key skew, disorder and NULLs."""

    kind: Literal["synthetic"]
    keys: int = Field(default=100, ge=1, le=10_000_000, description="Number of distinct keys.")
    skew: float = Field(default=0.0, ge=0, le=10, allow_inf_nan=False, description="Exponent of Zipf's law.")
    disorder: DurationText = Field(default="0s", description="Tuples are out of order by up to this.")
    seed: int = Field(default=0, ge=0, le=2**31 - 1)
    start: Annotated[str, StringConstraints(min_length=10, max_length=40)] | None = Field(
        default=None,
        description="Event time of the first tuple, in ISO-8601.",
        examples=["2026-01-01T00:00:00Z"],
    )
    values: Literal["uniform", "normal", "exponential", "steps"] = "uniform"
    nulls: float = Field(default=0.0, ge=0, le=1, allow_inf_nan=False, description="Fraction of NULL values.")


class KafkaSource(StrictModel):
    """A Kafka topic; modelled, and refused until an engine for it exists."""

    kind: Literal["kafka"]
    bootstrap_servers: Annotated[str, StringConstraints(min_length=1, max_length=1024)]
    topic: Annotated[str, StringConstraints(min_length=1, max_length=249)]
    format: Literal["json"] = "json"


Source = Annotated[FilesSource | RateSource | SyntheticSource | KafkaSource, Field(discriminator="kind")]
