"""An aggregate continuous query (ACQ): aggregates over a window, with predicate and group-by (row T-01).

An `Acq` holds resolved columns, not names, so one that exists is valid. Its `canonical` form leaves out what
does not change the computation (aliases, the order of aggregates and of grouping columns): ACQs of the same
stream with equal canonical forms are computed once.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

from optimizer.errors import FieldError, InvalidInput
from optimizer.model.aggregates import Aggregate
from optimizer.model.predicate import Predicate
from optimizer.model.schema import MAX_NAME, RESERVED, Column, ColumnType
from optimizer.model.window import Window

__all__ = ["Acq", "AggregateCall"]

MAX_AGGREGATES = 60
_ALIAS = re.compile(r"[A-Za-z_][A-Za-z0-9_]*", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class AggregateCall:
    """One aggregate of a query; ``column`` is None only for ``count(*)``."""

    function: Aggregate
    column: Column | None
    alias: str

    def __post_init__(self) -> None:
        if self.column is None:
            if self.function.name != "count":
                raise InvalidInput.at("column", f"{self.function.name} needs a column")
        else:
            refusal = self.function.refusal(self.column.type)
            if refusal is not None:
                raise InvalidInput.at("column", refusal)
        if not self.alias or len(self.alias) > MAX_NAME or not _ALIAS.fullmatch(self.alias):
            raise InvalidInput.at(
                "as", f"must be 1 to {MAX_NAME} letters, digits and underscores, not beginning with a digit"
            )
        if self.alias.lower() in RESERVED:
            raise InvalidInput.at(
                "as", f"{self.alias!r} is a name of Weft's own result columns: choose another"
            )

    @property
    def key(self) -> tuple[str, str]:
        """Function and column, without the alias; ``count(*)`` has the column ``*``."""
        return self.function.name, self.column.name if self.column else "*"

    @property
    def result_type(self) -> ColumnType:
        """The answer's type, as Spark types it; ``count(*)`` is a long like every count."""
        return self.function.result_type(self.column.type if self.column else ColumnType.parse("long"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Acq:
    """An aggregate continuous query over one stream."""

    stream: str
    window: Window
    aggregates: tuple[AggregateCall, ...]
    predicate: Predicate | None = None
    group_by: tuple[Column, ...] = ()

    def __post_init__(self) -> None:
        if not self.aggregates or len(self.aggregates) > MAX_AGGREGATES:
            raise InvalidInput.at("aggregates", f"must have 1 to {MAX_AGGREGATES} entries")
        errors = []
        taken: dict[str, str] = {}
        for position, column in enumerate(self.group_by):
            if column.name.lower() in taken:
                errors.append(
                    FieldError(field=f"group_by.{position}", message=f"{column.name!r} is listed twice")
                )
            taken[column.name.lower()] = "a grouping column"
        for position, call in enumerate(self.aggregates):
            if call.alias.lower() in taken:
                errors.append(
                    FieldError(
                        field=f"aggregates.{position}.as",
                        message=f"{call.alias!r} is already the name of {taken[call.alias.lower()]}",
                    )
                )
            taken[call.alias.lower()] = "another aggregate"
        if errors:
            raise InvalidInput(errors)

    @property
    def canonical_aggregates(self) -> tuple[tuple[str, str], ...]:
        """The distinct (function, column) pairs in a fixed order: the value slots of the result rows."""
        return tuple(sorted({call.key for call in self.aggregates}))

    @property
    def canonical_group_by(self) -> tuple[str, ...]:
        """The grouping columns in a fixed order."""
        return tuple(sorted(column.name for column in self.group_by))

    @property
    def canonical(self) -> str:
        """A text that is equal exactly for the ACQs of one stream that are computed as one."""
        return json.dumps(
            {
                "unit": self.window.unit,
                "range": self.window.range,
                "slide": self.window.slide,
                "aggregates": self.canonical_aggregates,
                "where": self.predicate.sql if self.predicate else None,
                "group_by": self.canonical_group_by,
            },
            separators=(",", ":"),
        )
