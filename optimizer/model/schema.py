"""A stream's schema: named, typed columns."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from optimizer.errors import FieldError, InvalidInput

__all__ = ["Column", "ColumnType", "Kind", "Schema"]

MAX_NAME = 128
MAX_COLUMNS = 1_000
MAX_PRECISION = 38
_DECIMAL = re.compile(r"decimal\(\s*([0-9]{1,2})\s*,\s*([0-9]{1,2})\s*\)", re.ASCII)
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*", re.ASCII)
RESERVED = frozenset({"window", "window_start", "window_end", "overflow"})
"""Names that a result row uses itself."""


class Kind(StrEnum):
    """The families of column types."""

    BOOLEAN = "boolean"
    INT = "int"
    LONG = "long"
    FLOAT = "float"
    DOUBLE = "double"
    DECIMAL = "decimal"
    STRING = "string"
    DATE = "date"
    TIMESTAMP = "timestamp"


_SIMPLE = frozenset(str(k) for k in Kind if k is not Kind.DECIMAL)


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnType:
    """A column type; precision and scale are for decimals only.

    >>> ColumnType.parse("decimal(10,2)").scale, str(ColumnType.parse("decimal(10, 2)"))
    (2, 'decimal(10,2)')
    """

    kind: Kind
    precision: int = 0
    scale: int = 0

    @classmethod
    def parse(cls, text: str, *, field: str = "type") -> ColumnType:
        """The type of that name; ``field`` is named in the error."""
        lowered = text.strip().lower() if isinstance(text, str) else ""
        found = _DECIMAL.fullmatch(lowered)
        if found is not None:
            precision, scale = int(found[1]), int(found[2])
            if not 1 <= precision <= MAX_PRECISION or scale > precision:
                raise InvalidInput.at(field, "decimal(p,s) needs 1 <= p <= 38 and 0 <= s <= p")
            return cls(kind=Kind.DECIMAL, precision=precision, scale=scale)
        if lowered in _SIMPLE:
            return cls(kind=Kind(lowered))
        names = ", ".join("decimal(p,s)" if k is Kind.DECIMAL else k for k in Kind)
        raise InvalidInput.at(field, f"unknown type: use one of {names}")

    @property
    def is_numeric(self) -> bool:
        return self.kind in {Kind.INT, Kind.LONG, Kind.FLOAT, Kind.DOUBLE, Kind.DECIMAL}

    @property
    def is_integral(self) -> bool:
        return self.kind in {Kind.INT, Kind.LONG}

    @property
    def is_fractional(self) -> bool:
        """Binary floating point."""
        return self.kind in {Kind.FLOAT, Kind.DOUBLE}

    def __str__(self) -> str:
        return f"decimal({self.precision},{self.scale})" if self.kind is Kind.DECIMAL else str(self.kind)


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """One column of a stream."""

    name: str
    type: ColumnType

    def __post_init__(self) -> None:
        if not self.name or len(self.name) > MAX_NAME:
            raise InvalidInput.at("name", f"must have 1 to {MAX_NAME} characters")
        if not _NAME.fullmatch(self.name):
            raise InvalidInput.at(
                "name", "must be letters, digits and underscores, and not begin with a digit"
            )
        if self.name.startswith("__"):
            raise InvalidInput.at("name", "must not begin with two underscores: such names are Weft's own")
        if self.name.lower() in RESERVED:
            raise InvalidInput.at(
                "name", f"{self.name!r} is a name of Weft's own result columns: choose another"
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class Schema:
    """The columns of a stream; names are unlike each other even without regard to case, as Spark's are."""

    columns: tuple[Column, ...]

    def __post_init__(self) -> None:
        if not self.columns or len(self.columns) > MAX_COLUMNS:
            raise InvalidInput.at("schema", f"must have 1 to {MAX_COLUMNS} columns")
        seen: dict[str, int] = {}
        errors = []
        for position, column in enumerate(self.columns):
            if column.name.lower() in seen:
                errors.append(
                    FieldError(field=f"schema.{position}.name", message=f"{column.name!r} is declared twice")
                )
            seen[column.name.lower()] = position
        if errors:
            raise InvalidInput(errors)

    def __iter__(self) -> Iterator[Column]:
        return iter(self.columns)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(c.name for c in self.columns)

    def find(self, name: str) -> Column | None:
        """The column of that name, in any case, as Spark would find it."""
        return next((c for c in self.columns if c.name.lower() == name.lower()), None)

    def column(self, name: str, *, field: str) -> Column:
        """The column of that name, or an error at ``field`` that lists what there is."""
        found = self.find(name)
        if found is None:
            shown = ", ".join(self.names[:20])
            raise InvalidInput.at(field, f"unknown column {name[:MAX_NAME]!r}: the stream has {shown}")
        return found
