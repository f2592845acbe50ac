"""FlatFAT: a flat binary tree over circular leaves (doc 001 2.2, Fig. 5, row I-07).

Node 1 is the root, the children of node i are 2i and 2i + 1, and the leaves are the nodes from `capacity` on: the
partial of position p is in leaf ``p mod capacity``. What left the windows stays in its leaf until a new partial takes
the place, and no cover asks for it.
"""

from __future__ import annotations

import numpy as np

from planner_spark.kernels.history import arranged
from planner_spark.kernels.kernel import Kernel, Windows
from planner_spark.kernels.lane import Lane, Parts
from planner_spark.kernels.over import Array

__all__ = ["FlatFat"]

_SMALLEST = 2
_SPARSE = 8
"""A tree with so many times the leaves that are needed is made smaller."""
_CELLS = 2**15
"""Windows times keys that are covered together: what is copied on the way stays in the processor's cache."""


class FlatFat(Kernel):
    """A binary tree in an array; any aggregate.

    Operations: log2 of the capacity per partial for the nodes above its leaf, where partials that come together share
    nodes; one less than the nodes of its minimal cover per answer; one per inner node when the tree changes its size.
    """

    name = "flatfat"
    any_order = True

    def __init__(self, lane: Lane, *, slots: int, keys: int = 0) -> None:
        super().__init__(lane, slots=slots, keys=keys)
        self._first = 0
        self._end = 0
        self._keys = keys
        self.capacity = _SMALLEST
        self._nodes = lane.identity((2 * self.capacity, keys))

    def advance(self, partials: Parts, windows: Windows) -> Parts:
        """Put partials into leaves, renew the nodes above them, and cover all windows together."""
        count = len(partials[0])
        self._fit(self._end - self._first + count)
        leaves = self.capacity + np.arange(self._end, self._end + count) % self.capacity
        for nodes, rows in zip(self._nodes, partials, strict=True):
            nodes[leaves] = rows
        self._end += count
        self._renew(leaves)
        return self._answers(windows)

    def _renew(self, nodes: Array) -> None:
        """Bottom-up, a level at a time."""
        while len(nodes) and nodes[0] > 1:
            nodes = np.unique(nodes >> 1)
            self._combine(nodes, 2 * nodes, 2 * nodes + 1)

    def _combine(self, nodes: Array | slice, left: Array | slice, right: Array | slice) -> None:
        """Make inner nodes from their children."""
        pairs = self.lane.pair(tuple(n[left] for n in self._nodes), tuple(n[right] for n in self._nodes))
        for array, rows in zip(self._nodes, pairs, strict=True):
            array[nodes] = rows
        self.operations += len(pairs[0])

    def _answers(self, windows: Windows) -> Parts:
        """The minimal covers of all windows; a window round the end of the leaves is two ranges of them."""
        answers = self.lane.identity((len(windows), self._keys))
        widths = windows.highs - windows.lows
        # All the leaves are the root, wherever the window begins.
        begins = np.where(widths == self.capacity, 0, windows.lows % self.capacity)
        ends = begins + widths
        taken = 0
        step = max(1, _CELLS // max(self._keys, 1))
        for start in range(0, len(windows), step):
            part = slice(start, start + step)
            some = tuple(answer[part] for answer in answers)
            taken += self._cover(some, begins[part], np.minimum(ends[part], self.capacity))
            taken += self._cover(some, np.zeros_like(ends[part]), np.maximum(ends[part] - self.capacity, 0))
        self.operations += taken - int(np.count_nonzero(widths))
        return answers

    def _cover(self, answers: Parts, begins: Array, ends: Array) -> int:
        """Combine the nodes that cover ranges of leaves into the answers; how many there were."""
        places = np.nonzero(begins < ends)[0]
        lows, highs = begins[places] + self.capacity, ends[places] + self.capacity
        taken = 0
        while len(places):
            # A right child at the left end, and a left child at the right end, have a parent that covers too much.
            left, right = lows & 1 == 1, highs & 1 == 1
            for chosen, nodes in ((left, lows), (right, highs - 1)):
                if chosen.any():
                    self._take(answers, places[chosen], nodes[chosen])
                    taken += int(np.count_nonzero(chosen))
            lows, highs = (lows + 1) >> 1, highs >> 1
            rest = lows < highs
            places, lows, highs = places[rest], lows[rest], highs[rest]
        return taken

    def _take(self, answers: Parts, places: Array, nodes: Array) -> None:
        """Combine one more node into some answers."""
        so_far = tuple(answer[places] for answer in answers)
        combined = self.lane.pair(so_far, tuple(array[nodes] for array in self._nodes))
        for answer, part in zip(answers, combined, strict=True):
            answer[places] = part

    def _fit(self, need: int) -> None:
        """Build another tree where the leaves are too few, or far too many."""
        if need <= self.capacity and self.capacity <= _SPARSE * max(need, _SMALLEST):
            return
        live = np.arange(self._first, self._end)
        old = tuple(array[self.capacity + live % self.capacity] for array in self._nodes)
        self.capacity = max(_SMALLEST, 1 << (need - 1).bit_length())
        self._nodes = self.lane.identity((2 * self.capacity, self._keys))
        for array, rows in zip(self._nodes, old, strict=True):
            array[self.capacity + live % self.capacity] = rows
        level = self.capacity
        while level > 1:
            level >>= 1
            children = slice(2 * level, 4 * level, 2), slice(2 * level + 1, 4 * level, 2)
            self._combine(slice(level, 2 * level), *children)

    def evict(self, first: int) -> None:
        self._first = max(self._first, min(first, self._end))

    def arrange(self, columns: Array) -> None:
        self._keys = len(columns)
        self._nodes = tuple(
            arranged(array, columns, field) for array, field in zip(self._nodes, self.lane.parts, strict=True)
        )
