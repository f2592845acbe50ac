"""Which columns of the wide result rows are a query's answer.

All queries of a job share one shape of row: grouping attributes under ``g_<name>``, and value slots in
three families that a query's canonical aggregates take in order. A query with aliases, or with an aggregate
twice, reads the slots of the canonical query that it subscribes to.
"""

from __future__ import annotations

from dataclasses import dataclass

from optimizer.model.acq import Acq
from optimizer.model.schema import Column, ColumnType
from planner_spark.kernels.answers import slots_of

__all__ = ["Layout", "Value"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Value:
    """One aggregate of an answer: its name, its type, its slot, and its bit in ``valid`` and ``overflow``."""

    alias: str
    type: ColumnType
    slot: str
    bit: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """The columns of a query's answer."""

    groups: tuple[Column, ...]
    values: tuple[Value, ...]

    @classmethod
    def of(cls, acq: Acq) -> Layout:
        """The layout of a query's rows."""
        types = {call.key: call.result_type for call in acq.aggregates}
        order = acq.canonical_aggregates
        slots = dict(zip(order, slots_of([types[key] for key in order]), strict=True))
        values = tuple(
            Value(alias=call.alias, type=types[call.key], slot=slots[call.key], bit=order.index(call.key))
            for call in acq.aggregates
        )
        return cls(groups=acq.group_by, values=values)

    @property
    def columns(self) -> list[dict[str, str]]:
        """Names and types, in the order of a row's fields."""
        return [
            {"name": "window_start", "type": "timestamp"},
            {"name": "window_end", "type": "timestamp"},
            *({"name": column.name, "type": str(column.type)} for column in self.groups),
            *({"name": value.alias, "type": str(value.type)} for value in self.values),
        ]
