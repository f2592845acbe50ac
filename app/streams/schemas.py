"""What the stream endpoints take and answer."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from fastapi import Path
from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from app.streams.sources import DurationText, Source, StrictModel
from optimizer.model.schema import MAX_COLUMNS

__all__ = ["RATE", "ColumnIn", "RateChange", "RateIn", "StreamIn", "StreamName", "StreamOut", "StreamPage"]

NAME_PATTERN = r"^[A-Za-z_][A-Za-z0-9_-]{0,127}$"

StreamName = Annotated[
    str, Path(pattern=NAME_PATTERN, max_length=128, description="The stream's name.", examples=["trades"])
]
_ColumnName = Annotated[str, StringConstraints(min_length=1, max_length=128)]
RATE = Field(gt=0, le=1e9, allow_inf_nan=False, description="Expected tuples per second.", examples=[5000])

_EXAMPLE: dict[str, Any] = {
    "source": {"kind": "files", "path": "/data/trades", "format": "parquet"},
    "schema": [
        {"name": "ts", "type": "timestamp"},
        {"name": "symbol", "type": "string"},
        {"name": "price", "type": "double"},
    ],
    "event_time": "ts",
    "watermark": "10s",
    "rate": 5000,
}


class ColumnIn(StrictModel):
    """A named, typed column."""

    name: _ColumnName
    type: Annotated[str, StringConstraints(min_length=1, max_length=32)] = Field(
        description="boolean, int, long, float, double, decimal(p,s), string, date or timestamp.",
        examples=["double"],
    )


class StreamIn(StrictModel):
    """A stream's definition."""

    model_config = ConfigDict(json_schema_extra={"examples": [_EXAMPLE]})

    source: Source
    columns: list[ColumnIn] | None = Field(
        default=None,
        alias="schema",
        min_length=1,
        max_length=MAX_COLUMNS,
        description="The columns. Sources that generate tuples have a default.",
    )
    event_time: _ColumnName | None = Field(default=None, description="The column of type timestamp to go by.")
    watermark: DurationText = Field(default="10s", description="How late a tuple may be; 0s to 7d.")
    rate: Annotated[float, RATE] = 1000.0
    idle_heartbeat: DurationText | None = Field(
        default=None, description="After this long without tuples, time goes on without them."
    )
    cardinalities: dict[_ColumnName, int] = Field(
        default_factory=dict,
        max_length=MAX_COLUMNS,
        description="How many distinct values columns have, for estimates; 100 where it is not said.",
        examples=[{"symbol": 1000}],
    )


MAX_CARDINALITY = 10**9


class StreamOut(BaseModel):
    """A stream as it is stored."""

    name: str
    source: dict[str, Any] = Field(description="The source with its defaults.")
    columns: list[ColumnIn] = Field(alias="schema")
    event_time: str
    watermark: str
    rate: float
    idle_heartbeat: str | None
    cardinalities: dict[str, int] = Field(description="Distinct values of columns, as they were given.")
    queries: int = Field(description="Number of registered queries.")
    created: datetime
    updated: datetime


class StreamPage(BaseModel):
    """A page of streams in the order of their names."""

    items: list[StreamOut]
    next: str | None


class RateIn(StrictModel):
    """A new input rate."""

    rate: Annotated[float, RATE]


class RateChange(BaseModel):
    """What the new rate changed."""

    rate: float
    previous: float
    plan: dict[str, Any] | None = Field(description="The plan in force; null without queries.")
    changed: bool = Field(description="Whether the plan is another one.")
    reason: str
