"""Stored values as JSON, by type.

JSON has no dates, decimals, NaN or infinities: they are strings. Whole numbers are JSON integers of any
size; clients that read them as doubles lose digits beyond 2^53, not we.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any

import numpy as np

from optimizer.model.schema import ColumnType, Kind

__all__ = ["decode_group", "decode_slot", "instant", "sql_type"]

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_FIRST_DAY = date(1970, 1, 1)

_SQL = {
    Kind.BOOLEAN: "BOOLEAN",
    Kind.INT: "INTEGER",
    Kind.LONG: "BIGINT",
    Kind.FLOAT: "FLOAT",
    Kind.DOUBLE: "DOUBLE",
    Kind.STRING: "VARCHAR",
    Kind.DATE: "DATE",
    Kind.TIMESTAMP: "TIMESTAMPTZ",
}


def sql_type(kind: ColumnType) -> str:
    """DuckDB's name of a type.

    >>> sql_type(ColumnType.parse("decimal(10,2)")), sql_type(ColumnType.parse("long"))
    ('DECIMAL(10,2)', 'BIGINT')
    """
    return f"DECIMAL({kind.precision},{kind.scale})" if kind.kind is Kind.DECIMAL else _SQL[kind.kind]


def instant(micros: int) -> str:
    """ISO-8601 in UTC, also beyond the years that Python's calendar knows.

    >>> instant(1_500_000), instant(253_402_300_800_000_000)
    ('1970-01-01T00:00:01.500000Z', '10000-01-01T00:00:00.000000Z')
    """
    try:
        return (_EPOCH + timedelta(microseconds=micros)).isoformat().replace("+00:00", "Z")
    except OverflowError:
        return f"{np.datetime64(micros, 'us')}Z"


def decode_group(kind: ColumnType) -> Callable[[Any], Any]:
    """From a group value as the reader selects it: days for dates, microseconds for timestamps."""
    if kind.kind is Kind.DECIMAL:
        return lambda value: f"{value:f}"
    return _DECODERS.get(kind.kind, _plain)


def decode_slot(kind: ColumnType) -> Callable[[Any], Any]:
    """From the value slot of an aggregate of that type."""
    if kind.kind is Kind.DECIMAL:
        # The constructor is exact; arithmetic on decimals would round to the context's precision.
        return lambda text: f"{_scaled(int(text), kind.scale):f}"
    if kind.kind is Kind.BOOLEAN:
        return bool
    return _DECODERS.get(kind.kind, _plain)


def _scaled(unscaled: int, scale: int) -> Decimal:
    digits = tuple(int(digit) for digit in str(abs(unscaled)))
    return Decimal((int(unscaled < 0), digits, -scale))


def _plain(value: Any) -> Any:
    return value


def _number(value: float) -> float | str:
    if math.isfinite(value):
        return value
    return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"


def _day(days: int) -> str:
    try:
        return (_FIRST_DAY + timedelta(days=days)).isoformat()
    except OverflowError:
        return str(np.datetime64(days, "D"))


_DECODERS: dict[Kind, Callable[[Any], Any]] = {
    Kind.FLOAT: _number,
    Kind.DOUBLE: _number,
    Kind.DATE: _day,
    Kind.TIMESTAMP: instant,
}
