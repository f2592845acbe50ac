"""Times in parameters: ISO-8601, and not the bare numbers that would be taken for seconds or milliseconds."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator

__all__ = ["IsoTime"]

_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", re.ASCII)


def _is_date(value: Any) -> Any:
    if isinstance(value, str) and not _DATE.match(value):
        raise ValueError("must be a time such as 2025-01-31T12:00:00Z")
    return value


def _in_utc(value: datetime) -> datetime:
    try:
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)
    except OverflowError:
        raise ValueError("is out of range") from None


IsoTime = Annotated[datetime, BeforeValidator(_is_date), AfterValidator(_in_utc)]
"""A moment in UTC; one without a zone is taken to be in UTC."""
