"""The SQL of a page: DuckDB's text with all values as parameters.

What is put into the text are column names, which the stream's schema allows only as letters, digits and
underscores, and slots, which are ours.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from app.results.cursor import Cursor
from app.results.layout import Layout
from app.results.values import sql_type
from optimizer.model.schema import Column, Kind

__all__ = ["FIXED", "page_statement", "slots_in_order"]

FIXED = ("epoch_us(window_start)", "epoch_us(window_end)", "valid", "overflow")
"""What every row begins with; group values and slots follow."""
_SLOT_TYPES = {"l": "BIGINT", "d": "DOUBLE", "s": "VARCHAR"}


def slots_in_order(layout: Layout) -> list[str]:
    """The slots that are selected, each once."""
    return sorted({value.slot for value in layout.values})


def page_statement(
    layout: Layout,
    *,
    number: int,
    low: int,
    high: int,
    active_from: int | None,
    after: Cursor | None,
) -> tuple[str, list[Any]]:
    """The rows with window ends in [low, high), in order; the files come first, the limit last."""
    groups = [f'"g_{column.name}"' for column in layout.groups]
    slots = slots_in_order(layout)
    selected = [
        *FIXED,
        *(_selected(name, column) for name, column in zip(groups, layout.groups, strict=True)),
        *slots,
    ]
    conditions = ["query = ?", "window_end >= make_timestamptz(?)", "window_end < make_timestamptz(?)"]
    parameters: list[Any] = [number, low, high]
    if active_from is not None:
        conditions.append("window_start >= make_timestamptz(?)")
        parameters.append(active_from)
    if after is not None:
        condition, values = _after(after, groups, layout.groups)
        conditions.append(condition)
        parameters += values
    order = ["window_end", *(f"{name} NULLS FIRST" for name in groups)]
    text = (
        f"SELECT {', '.join(selected)} FROM (SELECT * FROM read_parquet(?, union_by_name = true) "  # noqa: S608
        f"UNION ALL BY NAME ({_all_columns(layout)})) "
        f"WHERE {' AND '.join(conditions)} ORDER BY {', '.join(order)} LIMIT ?"
    )
    return text, parameters


def _all_columns(layout: Layout) -> str:
    """An empty relation that names every column: files written before a query was there may lack its own."""
    named = [f'NULL::{sql_type(column.type)} AS "g_{column.name}"' for column in layout.groups]
    named += [f"NULL::{_SLOT_TYPES[slot[0]]} AS {slot}" for slot in slots_in_order(layout)]
    return f"SELECT {', '.join(named)} WHERE false"


def _selected(name: str, column: Column) -> str:
    if column.type.kind is Kind.TIMESTAMP:
        return f"epoch_us({name})"
    return f"datediff('day', DATE '1970-01-01', {name})" if column.type.kind is Kind.DATE else name


def _bound(column: Column) -> str:
    """A parameter of a column's type, from the value that a cursor holds."""
    match column.type.kind:
        case Kind.TIMESTAMP:
            return "make_timestamptz(?)"
        case Kind.DATE:
            return "(DATE '1970-01-01' + ?::INTEGER)"
        case _:
            return f"?::{sql_type(column.type)}"


def _after(cursor: Cursor, names: Sequence[str], columns: Sequence[Column]) -> tuple[str, list[Any]]:
    """The condition that a row's key is greater than the cursor's."""
    choices = ["window_end > make_timestamptz(?)"]
    parameters: list[Any] = [cursor.window_end]
    equal, equal_values = ["window_end = make_timestamptz(?)"], [cursor.window_end]
    for name, column, value in zip(names, columns, cursor.groups, strict=True):
        greater, same, values = _compared(name, column, value)
        choices.append(" AND ".join([*equal, greater]))
        parameters += [*equal_values, *(values if "?" in greater else [])]
        equal.append(same)
        equal_values += values
    return f"({' OR '.join(f'({choice})' for choice in choices)})", parameters


def _compared(name: str, column: Column, value: Any) -> tuple[str, str, list[Any]]:
    """The conditions that a column is greater than a value and that it equals it, and the value as parameter.

    NULL is less than every value and NaN greater. NaN is asked for apart: the bounds that Parquet keeps of
    a column leave it out, so DuckDB would skip files for a plain comparison that hold it.
    """
    if value is None:
        return f"{name} IS NOT NULL", f"{name} IS NULL", []
    if isinstance(value, float) and math.isnan(value):
        return "false", f"isnan({name})", []
    same = f"{name} = {_bound(column)}"
    greater = f"{name} > {_bound(column)}"
    return f"({greater} OR isnan({name}))" if column.type.is_fractional else greater, same, [value]
