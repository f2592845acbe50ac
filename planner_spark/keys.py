"""Group keys on their way through Python: each value as text, and back to its type.

pandas has no whole numbers with NULLs, so keys travel as text that casts back exactly: timestamps as microseconds,
dates as days, floats in their shortest exact form.
"""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import Column
from pyspark.sql import functions as F

from optimizer.model.schema import Column as StreamColumn
from optimizer.model.schema import Kind

__all__ = ["KEY", "from_text", "key_column", "shard_key"]

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


def from_text(text: Column, column: StreamColumn) -> Column:
    """The value that a text stands for."""
    match column.type.kind:
        case Kind.TIMESTAMP:
            return F.timestamp_micros(text.cast("bigint"))
        case Kind.DATE:
            return F.date_from_unix_date(text.cast("int"))
        case _:
            return text.cast(str(column.type))
