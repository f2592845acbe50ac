"""Rows of partials at running positions: appended at the end, forgotten at the front, one column per group key.

Positions never change: the first row that was ever appended is 0. Rows are stored next to each other, so any stretch
of positions is one slice (row G-14: memory stays in proportion to what is retained).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from planner_spark.kernels.lane import Field, Parts
from planner_spark.kernels.over import Array

__all__ = ["History", "arranged"]

_FIRST = 16


class History:
    """Arrays [position, key], one per field."""

    def __init__(self, fields: Sequence[Field], *, keys: int) -> None:
        self._fields = tuple(fields)
        self._arrays: list[Array] = [np.full((_FIRST, keys), f.identity, f.dtype) for f in self._fields]
        self._base = 0
        self.first = 0
        self.end = 0

    @property
    def keys(self) -> int:
        """How many columns there are."""
        return int(self._arrays[0].shape[1])

    def append(self, parts: Parts) -> None:
        """Add rows [n, key] behind the last one."""
        count = len(parts[0])
        start = self._room_for(count)
        for array, rows in zip(self._arrays, parts, strict=True):
            array[start : start + count] = rows
        self.end += count

    def rows(self, low: int, high: int) -> Parts:
        """The rows at positions [low, high), as views."""
        return tuple(array[low - self._base : high - self._base] for array in self._arrays)

    def take(self, positions: Array) -> Parts:
        """The rows at these positions, copied."""
        return tuple(array[positions - self._base] for array in self._arrays)

    def row(self, position: int) -> Parts:
        """One row, as views."""
        return tuple(array[position - self._base] for array in self._arrays)

    def put(self, position: int, parts: Parts) -> None:
        """Overwrite one row."""
        for array, row in zip(self._arrays, parts, strict=True):
            array[position - self._base] = row

    def evict(self, first: int) -> None:
        """Forget the rows before that position; what they took is used again by later ones."""
        self.first = max(self.first, min(first, self.end))

    def start_at(self, position: int) -> None:
        """Let the next row be that of a later position; nothing may be retained."""
        if self.first < self.end:
            raise ValueError("rows are retained")
        self._base = self.first = self.end = position

    def arrange(self, columns: Array) -> None:
        """Other keys: the new column j is the old one ``columns[j]``, or a key without values for -1."""
        live = slice(self.first - self._base, self.end - self._base)
        self._arrays = [
            arranged(array[live], columns, field)
            for array, field in zip(self._arrays, self._fields, strict=True)
        ]
        self._base = self.first

    def _room_for(self, count: int) -> int:
        """The place of the next rows: behind the last one, after the dead ones were moved out or room was made."""
        start = self.end - self._base
        have = len(self._arrays[0])
        if start + count <= have:
            return start
        live = self.end - self.first
        need = live + count
        # At least half as much room again as is needed, so that moving costs little per row.
        room = have if need + need // 2 <= have else need + need // 2
        for position, (array, field) in enumerate(zip(self._arrays, self._fields, strict=True)):
            rows = array[self.first - self._base : start]
            if room == have:
                array[:live] = rows
            else:
                larger = np.full((room, array.shape[1]), field.identity, field.dtype)
                larger[:live] = rows
                self._arrays[position] = larger
        self._base = self.first
        return live


def arranged(array: Array, columns: Array, field: Field) -> Array:
    """An array [..., key] with other keys: column j is the old ``columns[j]``, identities for -1."""
    fresh = np.full((*array.shape[:-1], len(columns)), field.identity, field.dtype)
    known = columns >= 0
    fresh[..., known] = array[..., columns[known]]
    return fresh
