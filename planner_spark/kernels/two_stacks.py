"""TwoStacks: a queue made of two stacks of running aggregates (doc 001 2.2, Fig. 8; row I-10)."""

from __future__ import annotations

from planner_spark.kernels.history import History, arranged
from planner_spark.kernels.kernel import Sequential
from planner_spark.kernels.lane import Lane, Parts
from planner_spark.kernels.over import Array

__all__ = ["TwoStacks"]


class TwoStacks(Sequential):
    """Any aggregate, windows of one range: partials are pushed onto B and popped from F.

    F is the positions [front, middle), each with the aggregate of all from it up to the middle; B is [middle, end).
    Nobody asks for a value of F again, nor for an aggregate within B other than its top: so one row per position is
    enough, an aggregate in F and a value in B.

    Operations: three per partial at most on average, one to push it, one to flip it, and one per answer; the step that
    flips takes as many as the window has partials.
    """

    name = "two_stacks"
    multi_query = False

    def __init__(self, lane: Lane, *, slots: int, keys: int = 0) -> None:
        super().__init__(lane, slots=slots, keys=keys)
        self._rows = History(lane.parts, keys=keys)
        self._front = 0
        self._middle = 0
        self._back: Parts = ()

    def insert(self, partial: Parts) -> None:
        """Push onto B; its top is the aggregate of all that is in it."""
        if self._middle < self._rows.end:
            self._back = self._pair(self._back, partial)
        else:
            # The row is the caller's.
            self._back = tuple(part.copy() for part in partial)
        self._rows.append(tuple(part[None] for part in partial))

    def answer(self, low: int, slot: int) -> Parts:
        """The tops of both stacks together."""
        self.evict(low)
        in_front, in_back = self._front < self._middle, self._middle < self._rows.end
        if in_front and in_back:
            return self._pair(self._rows.row(self._front), self._back)
        if in_front:
            return self._rows.row(self._front)
        return self._back if in_back else self.lane.identity((self._rows.keys,))

    def evict(self, first: int) -> None:
        """Pop from F, or flip B onto it where that is not enough."""
        if first <= self._front:
            return
        self._front = first = min(first, self._rows.end)
        if first > self._middle:
            self._flip()
        self._rows.evict(first)

    def _flip(self) -> None:
        """Turn what is left of B into F; what expires at once need not be turned."""
        self._middle, self._back = self._rows.end, ()
        if self._front == self._middle:
            return
        above = self._rows.row(self._middle - 1)
        for position in range(self._middle - 2, self._front - 1, -1):
            above = self._pair(self._rows.row(position), above)
            self._rows.put(position, above)

    def _pair(self, left: Parts, right: Parts) -> Parts:
        self.operations += 1
        return self.lane.pair(left, right)

    def arrange(self, columns: Array) -> None:
        self._rows.arrange(columns)
        self._back = tuple(
            arranged(part, columns, field) for part, field in zip(self._back, self.lane.parts, strict=False)
        )
