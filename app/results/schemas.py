"""What the results endpoint answers."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from pydantic import BaseModel, Field

__all__ = ["ColumnOut", "ResultsOut"]

_EXAMPLE = {
    "window_start": "2025-01-01T00:00:00Z",
    "window_end": "2025-01-01T00:05:00Z",
    "symbol": "A",
    "hi": 12.5,
    "n": 7,
}


class ColumnOut(BaseModel):
    """A field of the rows; decimals, dates and timestamps are strings."""

    name: str
    type: str = Field(examples=["double"])


class ResultsOut(BaseModel):
    """A page of answers."""

    columns: list[ColumnOut]
    rows: list[dict[str, Any]] = Field(
        description="In the order of window end, then group values with null first. NaN and infinities are "
        'the strings "NaN", "Infinity" and "-Infinity". An aggregate that does not fit its type is null, and '
        "the row's `overflow` names it.",
        examples=[[_EXAMPLE]],
    )
    next: str | None = Field(description="`after` of the next page; null when there are no more rows now.")
    cursor: str | None = Field(
        description="`after` that goes on behind this page once more rows have come; null before the first."
    )
    watermark: datetime | None = Field(
        description="Windows that end at or before it are complete; null before the first results."
    )
