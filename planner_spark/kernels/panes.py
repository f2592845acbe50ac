"""Panes: every window combines all of its partials anew (doc 001 2.2, row I-05; basic intervals, row G-17)."""

from __future__ import annotations

import numpy as np

from planner_spark.kernels.history import History
from planner_spark.kernels.kernel import Kernel, Windows
from planner_spark.kernels.lane import Lane, Parts
from planner_spark.kernels.over import Array

__all__ = ["Panes"]


class Panes(Kernel):
    """Partials in a row; any aggregate, no work before a window is due.

    Operations per answer: the number of its partials.
    """

    name = "panes"
    any_order = True

    def __init__(self, lane: Lane, *, slots: int, keys: int = 0) -> None:
        super().__init__(lane, slots=slots, keys=keys)
        self._partials = History(lane.parts, keys=keys)

    def advance(self, partials: Parts, windows: Windows) -> Parts:
        """One reduction per window."""
        self._partials.append(partials)
        answers = self.lane.identity((len(windows), self._partials.keys))
        for place, (low, high) in enumerate(zip(windows.lows.tolist(), windows.highs.tolist(), strict=True)):
            found = self.lane.reduce(self._partials.rows(low, high))
            for answer, part in zip(answers, found, strict=True):
                answer[place] = part
        self.operations += float(np.sum(windows.highs - windows.lows))
        return answers

    def evict(self, first: int) -> None:
        self._partials.evict(first)

    def arrange(self, columns: Array) -> None:
        self._partials.arrange(columns)
