"""DABA: two stacks of which a little is flipped at every step (doc 001 2.2, Fig. 9; row I-11).

The queue is F to E, and its back stack begins at B. L, R and A divide the front one, of which a part is on its way:

    [F, L)  each with the aggregate up to B: flipped
    [L, R)  each with the aggregate up to R: to be carried on to B
    [R, A)  each with the aggregate from R: still as it was pushed
    [A, B)  each with the aggregate up to B: flipped
    [B, E)  each with the aggregate from B: the back stack

[L, R) and [R, A) are equally long, and each step takes one off both. So all is flipped before F gets to L.
"""

from __future__ import annotations

from planner_spark.kernels.history import History
from planner_spark.kernels.kernel import Sequential
from planner_spark.kernels.lane import Lane, Parts
from planner_spark.kernels.over import Array

__all__ = ["Daba"]


class Daba(Sequential):
    """Any aggregate, windows of one range: never a long step.

    Operations: one to insert, one to answer, and at most three to set right what each insertion and each eviction
    leaves. So a step of one partial takes eight at most.
    """

    name = "daba"
    multi_query = False

    def __init__(self, lane: Lane, *, slots: int, keys: int = 0) -> None:
        super().__init__(lane, slots=slots, keys=keys)
        self._vals = History(lane.parts, keys=keys)
        self._aggs = History(lane.parts, keys=keys)
        self._f = self._l = self._r = self._a = self._b = 0

    def insert(self, partial: Parts) -> None:
        """Push onto the back stack."""
        end = self._aggs.end
        together = self._pair(self._aggs.row(end - 1), partial) if self._b < end else partial
        self._vals.append(tuple(part[None] for part in partial))
        self._aggs.append(tuple(part[None] for part in together))
        self._fix_up()

    def answer(self, low: int, slot: int) -> Parts:
        """The front stack's aggregate and the back stack's."""
        self.evict(low)
        end = self._aggs.end
        if self._f == end:
            return self.lane.identity((self._aggs.keys,))
        # A queue that is not empty has something in front.
        front = self._aggs.row(self._f)
        return self._pair(front, self._aggs.row(end - 1)) if self._b < end else front

    def evict(self, first: int) -> None:
        """Pop from the front, one by one: each makes the others move on."""
        while self._f < min(first, self._aggs.end):
            self._f += 1
            self._fix_up()
        self._vals.evict(first)
        self._aggs.evict(first)

    def _fix_up(self) -> None:
        """Restore what the pointers mean, at most three operations."""
        end = self._aggs.end
        if self._f == self._b:
            # Nothing is in front, and one value at most in the back.
            self._l = self._r = self._a = self._b = end
            return
        if self._l == self._b:
            # All is flipped, and front and back are equally long: the back becomes the part that is to be flipped.
            self._l, self._a, self._b = self._f, end, end
        if self._l == self._r:
            # Only [A, B) is left between L and B, and its aggregates are already right.
            self._l += 1
            self._r += 1
            self._a += 1
            return
        rest = self._aggs.row(self._a - 1)
        if self._a < self._b:
            flipped = self._aggs.row(self._a)
            rest = self._pair(rest, flipped)
            last = self._pair(self._vals.row(self._a - 1), flipped)
        else:
            last = self._vals.row(self._a - 1)
        # Before [R, A) loses its last one: L's aggregate needs all of it.
        self._aggs.put(self._l, self._pair(self._aggs.row(self._l), rest))
        self._aggs.put(self._a - 1, last)
        self._l += 1
        self._a -= 1

    def _pair(self, left: Parts, right: Parts) -> Parts:
        self.operations += 1
        return self.lane.pair(left, right)

    def arrange(self, columns: Array) -> None:
        self._vals.arrange(columns)
        self._aggs.arrange(columns)
