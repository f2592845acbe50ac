"""R-INT: prefix aggregates, a window is the difference of two (doc 004 3.2, row A-09; running synopsis, row G-15)."""

from __future__ import annotations

import numpy as np

from planner_spark.kernels.afresh import combine_afresh, lifted_fields
from planner_spark.kernels.history import History
from planner_spark.kernels.inverse import Inverse
from planner_spark.kernels.kernel import Kernel, Windows
from planner_spark.kernels.lane import InvertibleLane, Parts
from planner_spark.kernels.over import Array

__all__ = ["RInt"]


class RInt(Kernel):
    """All partials up to each position together; invertible aggregates only.

    Operations: one per partial, one per answer, whatever the ranges.
    """

    name = "r_int"
    any_order = True
    takes = InvertibleLane

    def __init__(self, lane: InvertibleLane, *, slots: int, keys: int = 0) -> None:
        super().__init__(lane, slots=slots, keys=keys)
        self._own = lane
        self._inverse: Inverse = lane.inverse
        self._exact = self._inverse.exact
        # Row p holds the partials of all positions before p.
        self._prefixes = History(lifted_fields(lane), keys=keys)
        self._prefixes.append(self._inverse.lift(lane.identity((1, keys))))
        # Only where an answer may have to be combined afresh are the partials themselves of use.
        self._partials = None if self._exact else History(lane.parts, keys=keys)
        self._begun = 0

    def advance(self, partials: Parts, windows: Windows) -> Parts:
        """One accumulation for all partials, one subtraction for all windows."""
        count = len(partials[0])
        if count:
            last = self._prefixes.rows(self._prefixes.end - 1, self._prefixes.end)
            lifted = self._inverse.lift(partials)
            chain = tuple(np.concatenate([a, b]) for a, b in zip(last, lifted, strict=True))
            self._prefixes.append(tuple(part[1:] for part in self._inverse.accumulate(chain)))
            self.operations += count
        if self._partials is not None:
            self._partials.append(partials)
        found = self._inverse.invert(self._prefixes.take(windows.highs), self._prefixes.take(windows.lows))
        self.operations += len(windows)
        return self._settled(found, windows)

    def _settled(self, found: Parts, windows: Windows) -> Parts:
        """The answers, with those that are not sound combined afresh."""
        sound = self._inverse.sound(found)
        if sound is not None and self._partials is not None:
            for place in np.nonzero(~sound.all(axis=1))[0].tolist():
                row = tuple(part[place] for part in found)
                rows = self._partials.rows(int(windows.lows[place]), int(windows.highs[place]))
                self.operations += combine_afresh(self._own, row, rows)
        return self._inverse.lower(found)

    def evict(self, first: int) -> None:
        self._prefixes.evict(first)
        if self._partials is not None:
            self._partials.evict(first)
            self._rebase()

    def _rebase(self) -> None:
        """Begin anew at what is retained, now and then: errors grow with the prefixes."""
        prefixes, partials = self._prefixes, self._partials
        if partials is None or partials.first - self._begun < max(partials.end - partials.first, 64):
            return
        self._begun = partials.first
        lifted = self._inverse.lift(partials.rows(partials.first, partials.end))
        zero = self._inverse.lift(self.lane.identity((1, partials.keys)))
        chain = tuple(np.concatenate([a, b]) for a, b in zip(zero, lifted, strict=True))
        for place, rows in enumerate(self._inverse.accumulate(chain)):
            prefixes.rows(prefixes.first, prefixes.end)[place][:] = rows
        self.operations += partials.end - partials.first

    def arrange(self, columns: Array) -> None:
        self._prefixes.arrange(columns)
        if self._partials is not None:
            self._partials.arrange(columns)
