"""The place after which a page begins: a window's end and the group's values, as an opaque text.

A page is cut by key, not by position, so rows that arrive between two calls neither repeat nor skip one.
The key is bound to the incarnation of the query: a query that was replaced has other rows.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
from dataclasses import dataclass
from typing import Any

from optimizer.errors import InvalidInput
from optimizer.model.schema import Column, ColumnType, Kind

__all__ = ["Cursor"]

MAX_CURSOR = 60_000
_FLOATS = {"NaN": float("nan"), "Infinity": float("inf"), "-Infinity": float("-inf")}
_SHORT = frozenset({Kind.INT, Kind.DATE})
_DECIMAL = re.compile(r"-?0*([0-9]*)(?:\.([0-9]+))?", re.ASCII)
_JSON_TYPES = {Kind.BOOLEAN: bool, Kind.STRING: str, Kind.DECIMAL: str}


@dataclass(frozen=True, slots=True, kw_only=True)
class Cursor:
    """A row's key; group values as the reader selects them, decimals as text."""

    incarnation: str
    window_end: int
    groups: tuple[Any, ...]

    def encode(self) -> str:
        """The text that a client hands back."""
        raw = json.dumps(
            [self.incarnation, self.window_end, [_to_json(g) for g in self.groups]], ensure_ascii=False
        )
        return base64.urlsafe_b64encode(raw.encode()).decode().rstrip("=")

    @classmethod
    def decode(cls, text: str, *, incarnation: str, groups: tuple[Column, ...]) -> Cursor:
        """The cursor of a query with these grouping columns; an error at ``after`` for any other text."""
        try:
            raw = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
            made_for, end, values = json.loads(raw.decode())
            if made_for != incarnation:
                raise InvalidInput.at("after", "is of another query, or of one that has been replaced since")
            if not _is_long(end) or len(values) != len(groups):
                raise ValueError
            decoded = tuple(_from_json(v, column) for v, column in zip(values, groups, strict=True))
        except (binascii.Error, ValueError, TypeError, RecursionError):
            raise InvalidInput.at("after", "must be the `next` or `cursor` of an earlier page") from None
        return cls(incarnation=incarnation, window_end=end, groups=decoded)


def _to_json(value: Any) -> Any:
    if isinstance(value, float) and value in (float("inf"), float("-inf")):
        return "Infinity" if value > 0 else "-Infinity"
    return "NaN" if isinstance(value, float) and value != value else value  # noqa: PLR0124  (only NaN is not itself)


def _from_json(value: Any, column: Column) -> Any:
    kind = column.type.kind
    if value is None:
        return None
    if column.type.is_fractional:
        return _FLOATS[value] if value in _FLOATS else float(value)
    if kind in _JSON_TYPES:
        fits = type(value) is _JSON_TYPES[kind]
    else:
        fits = _is_long(value) and (kind not in _SHORT or -(2**31) <= value < 2**31)
    if not fits or (kind is Kind.DECIMAL and not _is_decimal(value, column.type)):
        raise TypeError
    return value


def _is_decimal(text: str, kind: ColumnType) -> bool:
    found = _DECIMAL.fullmatch(text)
    return (
        found is not None
        and len(found[1]) <= kind.precision - kind.scale
        and len(found[2] or "") <= kind.scale
    )


def _is_long(value: Any) -> bool:
    return type(value) is int and -(2**63) <= value < 2**63
