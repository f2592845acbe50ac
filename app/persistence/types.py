"""Column types that behave the same on SQLite and PostgreSQL."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from sqlalchemy import BigInteger, Dialect, String
from sqlalchemy.types import TypeDecorator

__all__ = ["Instant", "from_micros", "iso", "name_type", "to_micros"]

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


def to_micros(moment: datetime) -> int:
    """Microseconds since the epoch, exactly.

    >>> to_micros(datetime(1970, 1, 1, 0, 0, 1, 5, tzinfo=UTC))
    1000005
    """
    return (moment - _EPOCH) // _MICROSECOND


def from_micros(micros: int) -> datetime:
    """The moment that many microseconds after the epoch."""
    return _EPOCH + micros * _MICROSECOND


def iso(moment: datetime) -> str:
    """ISO-8601 in UTC, as the API shows it.

    >>> iso(datetime(2025, 1, 2, 3, 4, 5, tzinfo=UTC))
    '2025-01-02T03:04:05Z'
    """
    return moment.isoformat().replace("+00:00", "Z")


class Instant(TypeDecorator[datetime]):
    """A moment in UTC, kept as microseconds: SQLite has no time zones to get wrong."""

    impl = BigInteger
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> int | None:
        return None if value is None else to_micros(value)

    def process_result_value(self, value: int | None, dialect: Dialect) -> datetime | None:
        return None if value is None else from_micros(value)


def name_type(length: int) -> String:
    """A name that sorts by its bytes on both databases, so that pages have the same order."""
    return String(length).with_variant(String(length, collation="C"), "postgresql")
