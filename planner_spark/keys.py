"""Group keys on their way through Python: each value as text, and back to its type.

pandas has no whole numbers with NULLs, so keys travel as text that casts back exactly: timestamps as microseconds,
dates as days, floats in their shortest exact form.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import Any

import pyarrow as pa
from pyspark.sql import Column
from pyspark.sql import functions as F

from optimizer.model.schema import Column as StreamColumn
from optimizer.model.schema import ColumnType, Kind

__all__ = ["KEY", "arrow_type", "key_column", "shard_key", "typed"]

KEY = "key"


def key_column(columns: Sequence[StreamColumn]) -> Column:
    """All grouping values as one JSON list of texts."""
    return F.to_json(F.array(*(_to_text(column) for column in columns)).cast("array<string>")).alias(KEY)


def shard_key(columns: Sequence[StreamColumn], labels: Sequence[int]) -> Column:
    """The shard of a key: one of the labels, by a hash of the columns that every query groups by."""
    if not columns:
        return F.lit(labels[0])
    chosen = F.pmod(F.hash(*(F.col(f"`{c.name}`") for c in columns)), F.lit(len(labels)))
    return F.element_at(F.array(*(F.lit(label) for label in labels)), chosen + 1)


def _to_text(column: StreamColumn) -> Column:
    value = F.col(f"`{column.name}`")
    match column.type.kind:
        case Kind.TIMESTAMP:
            return F.unix_micros(value).cast("string")
        case Kind.DATE:
            return F.unix_date(value).cast("string")
        case Kind.STRING:
            # Files may hold any bytes; Arrow takes text only.
            return F.make_valid_utf8(value)
        case _:
            return value.cast("string")


def arrow_type(kind: ColumnType) -> pa.DataType:
    """The Arrow type of a column."""
    if kind.kind is Kind.DECIMAL:
        return pa.decimal128(kind.precision, kind.scale)
    return _ARROW[kind.kind]


def typed(texts: Sequence[str | None], kind: ColumnType) -> pa.Array:
    """The values that texts stand for.

    >>> typed(["1.5E10", None, "NaN"], ColumnType.parse("double")).to_pylist()
    [15000000000.0, None, nan]
    """
    read = _READ.get(kind.kind, str)
    values = [None if text is None else read(text) for text in texts]
    return pa.array(values, arrow_type(kind), from_pandas=False)


_ARROW = {
    Kind.BOOLEAN: pa.bool_(),
    Kind.INT: pa.int32(),
    Kind.LONG: pa.int64(),
    Kind.FLOAT: pa.float32(),
    Kind.DOUBLE: pa.float64(),
    Kind.STRING: pa.string(),
    Kind.DATE: pa.date32(),
    Kind.TIMESTAMP: pa.timestamp("us", tz="UTC"),
}
_READ: dict[Kind, Callable[[str], Any]] = {
    Kind.BOOLEAN: lambda text: text == "true",
    Kind.INT: int,
    Kind.LONG: int,
    Kind.FLOAT: float,
    Kind.DOUBLE: float,
    Kind.DATE: int,
    Kind.TIMESTAMP: int,
    Kind.DECIMAL: Decimal,
}
