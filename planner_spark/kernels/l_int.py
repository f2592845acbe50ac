"""L-INT: landmark intervals, a window is at most two of them (doc 004 3.1.2, rows A-07, A-08).

Landmarks are the multiples of the shortest width. A window that is at most twice as wide holds one: the first at or
after its start, less than a shortest width away. So it is what leads up to that landmark, and what begins there and
ends in the block behind it or in the next one. Windows of other widths are a matter of other partitions, each with
landmarks of its own (gamma of them); a partition that no window asks for is forgotten with its partials.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from planner_spark.kernels.history import History
from planner_spark.kernels.kernel import Kernel, Windows
from planner_spark.kernels.lane import InvertibleLane, Lane, Parts, SelectiveLane
from planner_spark.kernels.over import Array, Prefixes

__all__ = ["LInt", "Landmarks"]

_CELLS = 2**15
"""Windows times keys that are looked up together: what is copied on the way stays in the processor's cache."""


class LInt(Kernel):
    """Landmark intervals for windows of similar widths; any aggregate.

    Operations: at most three per partial and partition, and at most one per answer.
    """

    name = "l_int"
    any_order = True

    def __init__(self, lane: Lane, *, slots: int, keys: int = 0) -> None:
        super().__init__(lane, slots=slots, keys=keys)
        self._partials = History(lane.parts, keys=keys)
        self._partitions: list[Landmarks] = []

    @property
    def partitions(self) -> int:
        """Gamma: how many sets of landmarks there are."""
        return len(self._partitions)

    def advance(self, partials: Parts, windows: Windows) -> Parts:
        """Each partition answers the windows of its widths."""
        self._partials.append(partials)
        answers = self.lane.identity((len(windows), self._partials.keys))
        widths = windows.highs - windows.lows
        shares = self._partitioned(widths)
        step = max(1, _CELLS // max(self._partials.keys, 1))
        for number, partition in enumerate(self._partitions):
            places = np.nonzero(shares == number)[0]
            if len(places):
                partition.extend(self._partials, int(windows.highs[places].max()))
                for start in range(0, len(places), step):
                    some = places[start : start + step]
                    found = partition.answers(windows.lows[some], windows.highs[some])
                    for answer, part in zip(answers, found, strict=True):
                        answer[some] = part
                self.operations += partition.counted()
        return answers

    def _partitioned(self, widths: Array) -> Array:
        """The partition of each width, -1 for none; the smallest width without one begins another.

        That is one of a power of two, so that widths that go down bit by bit do not begin one each.
        """
        while True:
            shortest = np.array([p.shortest for p in self._partitions], dtype=np.int64)
            shares = np.searchsorted(2 * shortest, widths)
            served = np.append(shortest, widths.max(initial=0) + 1)[shares] <= widths
            lacking = widths[~served & (widths > 0)]
            if not len(lacking):
                return np.where(served & (widths > 0), shares, -1)
            shortest_yet = 1 << (int(lacking.min()).bit_length() - 1)
            begun = Landmarks(self.lane, shortest_yet, start=self._partials)
            self._partitions = sorted([*self._partitions, begun], key=lambda p: p.shortest)

    def evict(self, first: int) -> None:
        self._partials.evict(first)
        self._partitions = [p for p in self._partitions if p.end > self._partials.first]
        for partition in self._partitions:
            partition.evict(first)

    def arrange(self, columns: Array) -> None:
        self._partials.arrange(columns)
        for partition in self._partitions:
            partition.arrange(columns)


class Landmarks:
    """Intervals from and to the multiples of ``shortest``, for windows of that width up to twice as much."""

    def __init__(self, lane: Lane, shortest: int, *, start: History) -> None:
        self.shortest = shortest
        self._lane = lane
        # At each position: all from the last landmark on, from the one before it, and up to the next one.
        self._near, self._far, self._towards = (History(lane.parts, keys=start.keys) for _ in range(3))
        for intervals in self._all:
            intervals.start_at(start.first)
        self._operations = 0

    @property
    def _all(self) -> tuple[History, ...]:
        return self._near, self._far, self._towards

    @property
    def end(self) -> int:
        """Up to where there are intervals: they are made when a window asks for them."""
        return self._near.end

    def counted(self) -> int:
        """The combinations since the last time."""
        count, self._operations = self._operations, 0
        return count

    def next_landmarks(self, positions: Array) -> Array:
        """The first landmarks at or after positions."""
        return -(-positions // self.shortest) * self.shortest

    def answers(self, lows: Array, highs: Array) -> Parts:
        """Windows as the union of an interval to a landmark and one from it."""
        landmarks = self.next_landmarks(lows)
        answers = self._near.take(highs - 1)
        beyond = highs > landmarks + self.shortest
        for answer, part in zip(answers, self._far.take(highs[beyond] - 1), strict=True):
            answer[beyond] = part
        before = lows < landmarks
        both = self._lane.pair(self._towards.take(lows[before]), tuple(a[before] for a in answers))
        for answer, part in zip(answers, both, strict=True):
            answer[before] = part
        self._operations += int(np.count_nonzero(before))
        return answers

    def extend(self, partials: History, until: int) -> None:
        """Make the intervals of the partials up to there."""
        begin, width = self._near.end, self.shortest
        for low, high in _stretches(begin, until, width):
            inside = low % width and low > self._near.first
            carry = self._near.rows(low - 1, low) if inside else self._near.rows(low, low)
            rows = _joined(carry, partials.rows(low, high))
            self._near.append(tuple(part[len(carry[0]) :] for part in self._running(rows, high - low)))
        if until > begin:
            at = np.arange(begin, until)
            # An interval from a landmark that is gone is never asked for, so that it may hold anything.
            ends = np.maximum(at // width * width - 1, self._near.first)
            self._far.append(self._lane.pair(self._near.take(ends), self._near.rows(begin, until)))
            self._operations += until - begin
        reached = max(self._towards.end, partials.first)
        if reached > self._towards.end:
            self._towards.start_at(reached)
        for low, high in _stretches(reached, self._near.end // width * width, width):
            backwards = tuple(part[::-1] for part in partials.rows(low, high))
            self._towards.append(tuple(part[::-1] for part in self._running(backwards, high - low)))

    def _running(self, rows: Parts, count: int) -> Parts:
        """All rows of a block up to each one, for whole blocks together or for a part of one."""
        blocks = max(1, count // self.shortest)
        folded = tuple(p.reshape(blocks, len(p) // blocks, p.shape[1]).swapaxes(0, 1) for p in rows)
        self._operations += len(rows[0]) - blocks
        # Those are combined element by element, so that one pass of numpy does it.
        if isinstance(self._lane, InvertibleLane | SelectiveLane):
            sums = self._lane.combine(folded, Prefixes())
        else:
            sums = tuple(part.copy() for part in folded)
            for place in range(1, len(sums[0])):
                pair = self._lane.pair(tuple(s[place - 1] for s in sums), tuple(s[place] for s in sums))
                for part, row in zip(sums, pair, strict=True):
                    part[place] = row
        return tuple(s.swapaxes(0, 1).reshape(r.shape) for s, r in zip(sums, rows, strict=True))

    def evict(self, first: int) -> None:
        """No window begins before that position any more."""
        for intervals in self._all:
            intervals.evict(first)

    def arrange(self, columns: Array) -> None:
        """Other keys."""
        for intervals in self._all:
            intervals.arrange(columns)


def _stretches(low: int, high: int, width: int) -> list[tuple[int, int]]:
    """The rest of a block, all whole blocks, and what there is of the last one."""
    head = min(high, -(-low // width) * width)
    return [(a, b) for a, b in pairwise((low, head, max(head, high // width * width), high)) if a < b]


def _joined(above: Parts, below: Parts) -> Parts:
    return tuple(np.concatenate([a, b]) for a, b in zip(above, below, strict=True))
