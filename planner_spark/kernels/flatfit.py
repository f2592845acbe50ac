"""FlatFIT: partials that point to the end of what they already cover (doc 001 2.2, Fig. 7, row I-09; X-09).

Two circular arrays: `partials` holds at a position all values from there up to the position that `pointers` names. A
window follows the pointers from its start to the current position, and leaves behind at every position on its way
the combination of the rest, the current partial included, so that the next window that comes along skips it.
"""

from __future__ import annotations

from planner_spark.kernels.history import arranged
from planner_spark.kernels.kernel import Sequential
from planner_spark.kernels.lane import Lane, Parts
from planner_spark.kernels.over import Array

__all__ = ["FlatFit"]

_FIRST = 16


class FlatFit(Sequential):
    """Partials with skipping pointers; any aggregate.

    Operations per answer: one less than the positions on its way. That is 3n - 3 for the n + 1 slides of a single
    range of n, of which n - 1 are those of one slide, the reset.
    """

    name = "flatfit"

    def __init__(self, lane: Lane, *, slots: int, keys: int = 0) -> None:
        super().__init__(lane, slots=slots, keys=keys)
        self._first = 0
        self._partials = lane.identity((_FIRST, keys))
        self._pointers = [0] * _FIRST

    def insert(self, partial: Parts) -> None:
        """A partial covers itself alone."""
        if self.end - self._first == len(self._pointers):
            self._resize(2 * len(self._pointers))
        place = self.end % len(self._pointers)
        for array, row in zip(self._partials, partial, strict=True):
            array[place] = row
        self._pointers[place] = self.end + 1

    def answer(self, low: int, slot: int) -> Parts:
        """Follow the pointers, then combine backwards and store what there is at each position."""
        pointers, size = self._pointers, len(self._pointers)
        positions = []
        at = low
        while at < self.end:
            positions.append(at % size)
            at = pointers[positions[-1]]
        if not positions:
            return self.lane.identity(self._partials[0].shape[1:])
        last = positions.pop()
        suffix = tuple(array[last] for array in self._partials)
        self.operations += len(positions)
        while positions:
            place = positions.pop()
            suffix = self.lane.pair(tuple(array[place] for array in self._partials), suffix)
            for array, row in zip(self._partials, suffix, strict=True):
                array[place] = row
            pointers[place] = self.end
        return suffix

    def _resize(self, size: int) -> None:
        """The same positions in circular arrays of another size."""
        live = range(self._first, self.end)
        places, old = [at % size for at in live], [at % len(self._pointers) for at in live]
        partials = self.lane.identity((size, self._partials[0].shape[1]))
        pointers = [0] * size
        for array, before in zip(partials, self._partials, strict=True):
            array[places] = before[old]
        for place, was in zip(places, old, strict=True):
            pointers[place] = self._pointers[was]
        self._partials, self._pointers = partials, pointers

    def evict(self, first: int) -> None:
        self._first = max(self._first, min(first, self.end))
        size = max(_FIRST, 2 * (self.end - self._first))
        if 4 * size <= len(self._pointers):
            self._resize(size)

    def arrange(self, columns: Array) -> None:
        self._partials = tuple(
            arranged(array, columns, field)
            for array, field in zip(self._partials, self.lane.parts, strict=True)
        )
