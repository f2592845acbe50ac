"""Intercede-aggregation: fine fragments, coalesced once per tree at its own edges (doc 000 III-B, row T-10).

The fragments of one view wait here until every tree that reads them has passed its next edge; then they are freed (row
T-22: a fragment's reference count is the number of trees that are still to read it). A view holds the tuples of one
predicate and grouping: of what sub-aggregation emitted, keyed by all grouping attributes and by signature, it takes the
rows whose signature has the predicate's bit, and rolls them up to its own attributes.
"""

from __future__ import annotations

import numpy as np

from planner_spark.kernels.history import History
from planner_spark.kernels.lane import Lane, Parts
from planner_spark.kernels.over import Array, Runs

__all__ = ["Intercede", "next_edges"]


def next_edges(times: Array, classes: tuple[tuple[int, int], ...]) -> Array:
    """The first edge at or after each time; ``classes`` are (residue, modulus) pairs.

    >>> next_edges(np.array([1, 3, 4, 5, 8]), ((0, 5), (3, 5))).tolist()
    [3, 3, 5, 5, 8]
    """
    found = times + (classes[0][0] - times) % classes[0][1]
    for residue, modulus in classes[1:]:
        np.minimum(found, times + (residue - times) % modulus, out=found)
    return np.asarray(found)


class Intercede:
    """Fragments of one view, in the order of their ends, and how far each reader has come."""

    def __init__(self, lanes: tuple[Lane, ...]) -> None:
        self._lanes = lanes
        self._fragments = {lane.name: History(lane.parts, keys=0) for lane in lanes}
        self._ends: Array = np.empty(0, dtype=np.int64)
        self._first = 0
        self._read: list[int] = []
        self.operations = 0

    def subscribe(self) -> int:
        """The number of a new reader, which reads from the first fragment on."""
        self._read.append(0)
        return len(self._read) - 1

    @property
    def ends(self) -> Array:
        """The ends of the fragments that wait."""
        return self._ends

    def references(self) -> list[int]:
        """For each fragment that waits, how many readers are still to read it."""
        positions = range(self._first, self._first + len(self._ends))
        return [sum(read <= position for read in self._read) for position in positions]

    def append(self, ends: Array, keys: Array, partials: dict[str, Array]) -> None:
        """Add rows of partials: row i ends at ends[i] and belongs to keys[i]; all end after those that are here."""
        distinct, fragment = np.unique(ends, return_inverse=True)
        columns = next(iter(self._fragments.values())).keys
        cells = fragment * columns + keys
        order, starts = _runs_of(cells, len(distinct) * columns)
        for lane in self._lanes:
            parts = tuple(partials[part.name] for part in lane.parts)
            places = cells
            if order is not None and starts is not None:
                rolled = lane.combine(tuple(part[order] for part in parts), Runs(starts, len(cells)))
                places, parts = cells[order[starts]], rolled
            rows = lane.identity((len(distinct), columns))
            for row, part in zip(rows, parts, strict=True):
                row.reshape(-1)[places] = part
            self._fragments[lane.name].append(rows)
        self._ends = np.concatenate([self._ends, distinct])

    def coalesce(
        self, reader: int, classes: tuple[tuple[int, int], ...], until: int
    ) -> tuple[Array, dict[str, Parts]]:
        """A tree's partials up to its last edge by ``until``: their ends, and rows [partial, key] of each lane."""
        low = self._read[reader]
        edges = next_edges(self._ends[low - self._first :], classes)
        ready = int(np.searchsorted(edges, until, side="right"))
        edges, high = edges[:ready], low + ready
        starts = np.nonzero(np.diff(edges, prepend=np.iinfo(np.int64).min))[0]
        found = {lane.name: self._fragments[lane.name].rows(low, high) for lane in self._lanes}
        if len(starts) < ready:
            runs = Runs(starts, ready)
            found = {lane.name: lane.combine(found[lane.name], runs) for lane in self._lanes}
        self.operations += ready
        self._read[reader] = high
        return edges[starts], found

    def free(self) -> None:
        """Drop the fragments that every reader has read."""
        first = min(self._read)
        for history in self._fragments.values():
            history.evict(first)
        self._ends = self._ends[first - self._first :]
        self._first = first

    def arrange(self, columns: Array) -> None:
        """Other keys, as `History.arrange` takes them."""
        for history in self._fragments.values():
            history.arrange(columns)


def _runs_of(cells: Array, count: int) -> tuple[Array | None, Array | None]:
    """The order that brings rows of one cell together and where each run starts; nothing where all cells differ."""
    seen = np.zeros(count, dtype=bool)
    seen[cells] = True
    if np.count_nonzero(seen) == len(cells):
        return None, None
    order = np.argsort(cells, kind="stable")
    return order, np.nonzero(np.diff(cells[order], prepend=-1))[0]
