"""A view: the partials of one (predicate, grouping) pair as dense arrays [fragment, key].

Sub-aggregation groups by all grouping attributes of the job and by the predicates' signature. A view rolls those
partials up: it takes the rows whose signature has its predicate's bit and combines those that agree in its own
grouping columns. All queries with that predicate and grouping read the same view.
"""

from __future__ import annotations

import numpy as np

from planner_spark.kernels.lanes import Lane
from planner_spark.kernels.over import Array, Fragments, Runs

__all__ = ["View"]

Key = tuple[str | None, ...]
_FIRST = 16
_ALL = Fragments()


class View:
    """Partials by fragment and group key; the arrays' rows are fragments in the order of their ends.

    ``lanes[0]`` counts tuples: a key is part of an answer where that count is positive.
    """

    def __init__(self, *, lanes: tuple[Lane, ...], columns: tuple[int, ...]) -> None:
        self._lanes = lanes
        self._columns = columns
        self._numbers: dict[Key, int] = {}
        self._key_columns: list[Array] = [np.empty(_FIRST, dtype=object) for _ in columns]
        self._fields = {f.name: f for lane in lanes for f in lane.fields}
        self._arrays = {f.name: np.full((_FIRST, _FIRST), f.identity, f.dtype) for f in self._fields.values()}
        self._fragments = 0

    @property
    def keys(self) -> int:
        """How many group keys there are."""
        return len(self._numbers)

    @property
    def fields(self) -> tuple[str, ...]:
        """The names of its arrays."""
        return tuple(self._arrays)

    def number(self, key: Key) -> int:
        """The column of the arrays for a full key, one of all grouping attributes of the job."""
        own = tuple(key[c] for c in self._columns)
        found = self._numbers.get(own)
        if found is None:
            found = len(self._numbers)
            self._grow(self._fragments, found + 1)
            self._numbers[own] = found
            for column, value in zip(self._key_columns, own, strict=True):
                column[found] = value
        return found

    def key_column(self, position: int, keys: Array) -> Array:
        """The values of one grouping column for those keys."""
        return np.asarray(self._key_columns[position][keys])

    def append(self, fragments: int, rows: Array, keys: Array, partials: dict[str, Array]) -> None:
        """Add new fragments; row i of the partials belongs to the rows[i]-th of them and to keys[i]."""
        base = self._fragments
        self._grow(base + fragments, self.keys)
        self._fragments += fragments
        if not len(rows):
            return
        order = np.lexsort((keys, rows))
        rows, keys = rows[order], keys[order]
        first = np.ones(len(rows), dtype=bool)
        first[1:] = (rows[1:] != rows[:-1]) | (keys[1:] != keys[:-1])
        starts = np.nonzero(first)[0]
        runs = Runs(starts, len(rows))
        sorted_partials = {name: values[order] for name, values in partials.items()}
        for lane in self._lanes:
            combined = lane.combine(sorted_partials, runs)
            for field, values in zip(lane.fields, combined, strict=True):
                self._arrays[field.name][base + rows[starts], keys[starts]] = values

    def combine(self, lane: Lane, chosen: slice | Array) -> tuple[Array, ...]:
        """The lane's partials of the chosen fragments together, per key."""
        return lane.combine({name: self._arrays[name][chosen, : self.keys] for name in lane.reads}, _ALL)

    def drop_oldest(self, fragments: int) -> None:
        """Forget that many fragments, and the keys that no other fragment has."""
        kept = slice(fragments, self._fragments)
        counts = self._arrays[self._lanes[0].name][kept, : self.keys]
        alive = np.nonzero(counts.any(axis=0))[0]
        self._fragments -= fragments
        shape = (_room(self._fragments), _room(len(alive)))
        for name, array in self._arrays.items():
            field = self._fields[name]
            fresh = np.full(shape, field.identity, field.dtype)
            fresh[: self._fragments, : len(alive)] = array[kept][:, alive]
            self._arrays[name] = fresh
        by_number = list(self._numbers)
        self._numbers = {by_number[old]: new for new, old in enumerate(alive.tolist())}
        for position, column in enumerate(self._key_columns):
            renewed: Array = np.empty(shape[1], dtype=object)
            renewed[: len(alive)] = column[alive]
            self._key_columns[position] = renewed

    def _grow(self, fragments: int, keys: int) -> None:
        have = next(iter(self._arrays.values())).shape
        shape = tuple(h if n <= h else _room(n) for n, h in zip((fragments, keys), have, strict=True))
        if shape == have:
            return
        for name, array in self._arrays.items():
            field = self._fields[name]
            larger = np.full(shape, field.identity, field.dtype)
            larger[: have[0], : have[1]] = array
            self._arrays[name] = larger
        for position, column in enumerate(self._key_columns):
            longer: Array = np.empty(shape[1], dtype=object)
            longer[: len(column)] = column
            self._key_columns[position] = longer


def _room(need: int) -> int:
    """The capacity for so many: the next power of two, so that growing costs little per element."""
    return max(_FIRST, 1 << max(need - 1, 0).bit_length())
