"""Running aggregates: what comes into a window is added, what leaves it is inverted out (doc 001 2.2; rows I-06, I-12).

Panes (Inv) and SlickDeque (Inv) are this; they differ in which windows share a running aggregate.
"""

from __future__ import annotations

from collections.abc import Callable

from planner_spark.kernels.afresh import combine_afresh, lifted_fields
from planner_spark.kernels.history import History, arranged
from planner_spark.kernels.inverse import Inverse
from planner_spark.kernels.kernel import Kernel, Windows
from planner_spark.kernels.lane import InvertibleLane, Parts
from planner_spark.kernels.over import Array

__all__ = ["RunningAggregates"]


class RunningAggregates(Kernel):
    """One aggregate per slot, moved on to each of its windows.

    Operations: one per partial that a slot takes in and one per partial that leaves it. A float sum whose bound of
    error has grown too large is combined afresh, which is one more per partial of the window.
    """

    takes = InvertibleLane

    def __init__(self, lane: InvertibleLane, *, slots: int, keys: int = 0) -> None:
        super().__init__(lane, slots=slots, keys=keys)
        self._own = lane
        self._inverse: Inverse = lane.inverse
        self._exact = self._inverse.exact
        self._fields = lifted_fields(lane)
        self._partials = History(lane.parts, keys=keys)
        self._running = [self._zero() for _ in range(slots)]
        # A slot's aggregate is that of the positions [begun, done).
        self._begun = [0] * slots
        self._done = [0] * slots

    def _zero(self) -> Parts:
        return self._inverse.lift(self.lane.identity((self._partials.keys,)))

    def advance(self, partials: Parts, windows: Windows) -> Parts:
        """Window by window: a slot has nothing to do before one of its windows is due."""
        self._partials.append(partials)
        answers = self.lane.identity((len(windows), self._partials.keys))
        due = zip(windows.lows.tolist(), windows.highs.tolist(), windows.slots.tolist(), strict=True)
        for place, (low, high, slot) in enumerate(due):
            self._move(slot, low, high)
            running = self._running[slot]
            if not self._exact:
                self.operations += combine_afresh(self._own, running, self._partials.rows(low, high))
            for answer, part in zip(answers, self._inverse.lower(running), strict=True):
                answer[place] = part
        return answers

    def _move(self, slot: int, low: int, high: int) -> None:
        """Take in what came since, then invert what expired."""
        if low >= self._done[slot]:
            # Nothing that was taken in is still of use; what came between two windows never is.
            self._running[slot] = self._zero()
            self._begun[slot] = self._done[slot] = low
        self._fold(slot, self._inverse.pair, self._done[slot], high)
        self._fold(slot, self._inverse.invert, self._begun[slot], low)
        self._begun[slot], self._done[slot] = low, high

    def _fold(self, slot: int, operation: Callable[[Parts, Parts], Parts], low: int, high: int) -> None:
        """One operation per partial: several are taken together first, which are as many."""
        if low < high:
            together = self._inverse.lift(self._partials.rows(low, high))
            if high - low > 1:
                together = self._inverse.accumulate(together)
            self._running[slot] = operation(self._running[slot], tuple(part[-1] for part in together))
            self.operations += high - low

    def evict(self, first: int) -> None:
        for slot, begun in enumerate(self._begun):
            if begun < first:
                # What goes now could not be inverted later.
                self._move(slot, first, max(first, self._done[slot]))
        self._partials.evict(first)

    def arrange(self, columns: Array) -> None:
        self._partials.arrange(columns)
        self._running = [
            tuple(arranged(part, columns, field) for part, field in zip(running, self._fields, strict=True))
            for running in self._running
        ]
