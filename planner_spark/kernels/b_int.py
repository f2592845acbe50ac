"""B-INT: dyadic intervals, a window is covered by few of them (doc 004 3.1.1, rows A-05, A-06, I-08, G-16).

Level l holds the partials of positions ``[i * 2^l, (i + 1) * 2^l)`` together, for every whole i that has come. A
window of P partials is covered by at most 2 log2 P of them, and all windows that are due are covered at once, level
by level.
"""

from __future__ import annotations

import numpy as np

from planner_spark.kernels.history import History
from planner_spark.kernels.kernel import Kernel, Windows
from planner_spark.kernels.lane import Lane, Parts
from planner_spark.kernels.over import Array

__all__ = ["BInt"]


class BInt(Kernel):
    """Base intervals on levels; any aggregate.

    Operations: less than one per partial to build the levels, and one per answer less than the intervals of its cover.
    """

    name = "b_int"
    any_order = True

    def __init__(self, lane: Lane, *, slots: int, keys: int = 0) -> None:
        super().__init__(lane, slots=slots, keys=keys)
        self._levels = [History(lane.parts, keys=keys)]
        self._longest = 1

    @property
    def intervals(self) -> int:
        """How many intervals are stored."""
        return sum(level.end - level.first for level in self._levels)

    def advance(self, partials: Parts, windows: Windows) -> Parts:
        """Extend the levels, then cover all windows together."""
        self._levels[0].append(partials)
        if len(windows):
            self._longest = max(self._longest, int((windows.highs - windows.lows).max()))
        self._build()
        return self._cover(windows)

    def _build(self) -> None:
        """Every interval of which both halves have come."""
        depth = 0
        while depth + 1 < len(self._levels) or self._is_worth_a_level(depth):
            halves = self._levels[depth]
            if depth + 1 == len(self._levels):
                self._levels.append(History(self.lane.parts, keys=halves.keys))
            level = self._levels[depth + 1]
            low, high = max(level.end, -(-halves.first // 2)), halves.end // 2
            if low > level.end:
                # Halves that nobody needs any more are gone.
                level.start_at(low)
            if high > low:
                left, right = (
                    tuple(part[side::2] for part in halves.rows(2 * low, 2 * high)) for side in (0, 1)
                )
                level.append(self.lane.pair(left, right))
                self.operations += high - low
            depth += 1

    def _is_worth_a_level(self, depth: int) -> bool:
        """Whether an interval twice as long fits a window."""
        return 2 << depth <= self._longest

    def _cover(self, windows: Windows) -> Parts:
        """Go up the levels; at each one an interval at either end that the next level does not have is taken."""
        lows, highs = windows.lows.copy(), windows.highs.copy()
        answers = self.lane.identity((len(windows), self._levels[0].keys))
        filled = np.zeros(len(windows), dtype=bool)
        for depth, level in enumerate(self._levels):
            top = depth + 1 == len(self._levels)
            if top:
                # Whatever is left is a few of the longest intervals.
                while (rest := lows < highs).any():
                    self._take(answers, filled, np.nonzero(rest)[0], level.take(lows[rest]))
                    lows[rest] += 1
                break
            left = (lows < highs) & (lows & 1 == 1)
            self._take(answers, filled, np.nonzero(left)[0], level.take(lows[left]))
            lows[left] += 1
            right = (lows < highs) & (highs & 1 == 1)
            highs[right] -= 1
            self._take(answers, filled, np.nonzero(right)[0], level.take(highs[right]))
            lows >>= 1
            highs >>= 1
        return answers

    def _take(self, answers: Parts, filled: Array, places: Array, found: Parts) -> None:
        """Combine one more interval into some answers."""
        if not len(places):
            return
        more = filled[places]
        if more.all() and len(places) == len(filled):
            combined = self.lane.pair(answers, found)
        else:
            combined = self.lane.pair(tuple(answer[places] for answer in answers), found)
        for answer, part in zip(answers, combined, strict=True):
            answer[places] = part
        self.operations += int(np.count_nonzero(more))
        filled[places] = True

    def evict(self, first: int) -> None:
        for depth, level in enumerate(self._levels):
            level.evict(-(-first >> depth))

    def arrange(self, columns: Array) -> None:
        for level in self._levels:
            level.arrange(columns)
