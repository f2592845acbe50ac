"""SlickDeque (Non-Inv): a monotonic deque per key for all ranges (doc 001 2.2, Fig. 10, Eq. 7; rows I-13, G-06).

A partial that a younger one beats can never be an answer again. So what is kept of each key becomes worse from the
head to the tail, and the answer of a window is the first node that lies in it.
"""

from __future__ import annotations

import numpy as np

from planner_spark.kernels.history import arranged
from planner_spark.kernels.kernel import Kernel, Windows
from planner_spark.kernels.lane import Field, Parts, SelectiveLane
from planner_spark.kernels.over import Array

__all__ = ["SlickDequeNonInv"]

_FIRST = 16
_PLACE = Field(name="position", dtype=np.dtype(np.int64), identity=0)


class SlickDequeNonInv(Kernel):
    """Deques of (position, value), side by side in arrays [place, key]; selective aggregates only.

    Operations, of one key on the average: the comparisons with the tail that an insertion makes, which tend to
    2 - 2/P for P partials in the longest window; and where there are several ranges, the comparisons of positions
    that the traversal makes, one per answer and one per node that is passed. The head answers a single range
    without any.
    """

    name = "slickdeque_noninv"
    takes = SelectiveLane

    def __init__(self, lane: SelectiveLane, *, slots: int, keys: int = 0) -> None:
        super().__init__(lane, slots=slots, keys=keys)
        self._beats = lane.beats
        (self._field,) = lane.parts
        # Arrays [place, key], flat: nodes are told by their index, and that of the next place is K larger for K keys.
        # The nodes of key k are those from heads[k] to before tails[k].
        self._positions = np.full(_FIRST * keys, _PLACE.identity, _PLACE.dtype)
        self._values = np.full(_FIRST * keys, self._field.identity, self._field.dtype)
        self._heads = np.arange(keys)
        self._tails = np.arange(keys)
        self._end = 0
        # Where the last window of each slot began, and before which no other one does.
        self._lows = [0] * slots
        self._first = 0
        # As many insertions as surely fit behind every tail.
        self._room = _FIRST

    def nodes(self, key: int) -> list[tuple[int, object]]:
        """One key's deque as (position, value), from head to tail."""
        stretch = slice(self._heads[key], self._tails[key], len(self._heads))
        return list(zip(self._positions[stretch].tolist(), self._values[stretch].tolist(), strict=True))

    def advance(self, partials: Parts, windows: Windows) -> Parts:
        """Step by step; expire, insert, answer, in the order of Fig. 10."""
        (rows,) = partials
        (answers,) = self.lane.identity((len(windows), len(self._heads)))
        steps = np.arange(self._end, self._end + len(rows) + 1)
        due = np.searchsorted(windows.highs, steps, side="right").tolist()
        lows, slots = windows.lows.tolist(), windows.slots.tolist()
        place = 0
        for step, until in enumerate(due):
            # Of a slot's windows that end together the first one begins first.
            for window in reversed(range(place, until)):
                self._lows[slots[window]] = lows[window]
            if until > place:
                # The windows that end with a partial tell what expires before it comes.
                self._first = max(self._first, min(self._lows))
            if step:
                self._expire()
                self._insert(rows[step - 1])
            if until > place:
                self._answer(lows[place:until], answers[place:until])
            place = until
        return (answers,)

    def _expire(self) -> None:
        """Heads that no window reaches back to; they come off one after the other."""
        late = (self._heads < self._tails).nonzero()[0]
        while len(late := late[self._positions[self._heads[late]] < self._first]):
            self._heads[late] += len(self._heads)
            late = late[self._heads[late] < self._tails[late]]

    def _insert(self, row: Array) -> None:
        """Remove from the tail what the new value beats, then append it."""
        count = len(self._heads)
        rivals = (self._heads < self._tails).nonzero()[0]
        nodes = self._tails[rivals] - count
        while len(rivals):
            self.operations += len(rivals) / count
            beaten = self._beats(row[rivals], self._values[nodes])
            rivals, nodes = rivals[beaten], nodes[beaten]
            self._tails[rivals] = nodes
            more = self._heads[rivals] < nodes
            rivals, nodes = rivals[more], nodes[more] - count
        if self._room == 0:
            self._make_room()
        self._room -= 1
        self._positions[self._tails] = self._end
        self._values[self._tails] = row
        self._tails += count
        self._end += 1

    def _answer(self, lows: list[int], answers: Array) -> None:
        """All windows that end now in one traversal, the longest first."""
        cursors = self._heads.copy()
        # A key's nodes that are passed, on the average: what the head answers takes none.
        share = 1 / max(len(cursors), 1) if self.slots > 1 else 0.0
        for window in sorted(range(len(lows)), key=lows.__getitem__):
            if lows[window] >= self._end:
                # This one and the others are empty.
                break
            self.operations += share * len(cursors)
            # The last partial is every deque's tail, so no cursor comes to the end.
            behind = (self._positions[cursors] < lows[window]).nonzero()[0]
            while len(behind):
                self.operations += share * len(behind)
                cursors[behind] += len(cursors)
                behind = behind[self._positions[cursors[behind]] < lows[window]]
            answers[window] = self._values[cursors]

    def _make_room(self) -> None:
        """Let all deques begin at the first place again, with room for as many nodes more as the longest one has."""
        keys = np.arange(len(self._heads))
        lengths = (self._tails - self._heads) // max(len(keys), 1)
        longest = int(lengths.max(initial=0))
        capacity = max(_FIRST, 2 * longest)
        nodes = self._heads + np.arange(capacity)[:, np.newaxis] * len(keys)
        # What is taken beyond the last place is never looked at.
        self._positions = self._positions.take(nodes, mode="clip").reshape(-1)
        self._values = self._values.take(nodes, mode="clip").reshape(-1)
        self._heads, self._tails = keys, keys + lengths * len(keys)
        self._room = capacity - longest

    def evict(self, first: int) -> None:
        self._first = max(self._first, first)

    def arrange(self, columns: Array) -> None:
        count, fresh = len(self._heads), columns < 0
        numbers = np.arange(len(columns))
        shape = (-1, count)
        if not count:
            # Nothing tells how many places there were.
            shape, self._room = (_FIRST, 0), _FIRST - 1
        self._positions = arranged(self._positions.reshape(shape), columns, _PLACE).reshape(-1)
        self._values = arranged(self._values.reshape(shape), columns, self._field).reshape(-1)
        self._heads, self._tails = (
            arranged(ends // max(count, 1), columns, _PLACE) * len(columns) + numbers
            for ends in (self._heads, self._tails)
        )
        if self._end:
            # A new key had no value in the last partial, which is all that can be told of it.
            self._positions[numbers[fresh]] = self._end - 1
            self._tails[fresh] += len(columns)
