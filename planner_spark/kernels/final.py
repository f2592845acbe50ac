"""Final aggregation of one tree over one view: its windows, answered by a kernel for each lane (doc 000 II-B).

Windows of several queries that are the same are answered once, and each lane answers only the windows of queries that
are lowered from it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from planner_spark.kernels.choose import kernel_for
from planner_spark.kernels.intercede import Intercede
from planner_spark.kernels.kernel import Kernel, Windows
from planner_spark.kernels.lane import Lane, Parts
from planner_spark.kernels.over import Array
from planner_spark.kernels.windows import due_windows, next_end
from planner_spark.kernels.workload import Query, Tree

__all__ = ["Answers", "Final"]

Span = tuple[int, int]
"""Range and slide."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answers:
    """Windows of one query that are due: their starts, where keys have tuples, and rows [window, key] of lanes."""

    query: Query
    starts: Array
    present: Array
    lanes: dict[str, Parts]


@dataclass(slots=True, kw_only=True)
class _Lane:
    """A lane's kernel, and which spans it answers with which slot."""

    kernel: Kernel
    slots: dict[Span, int]
    longest: int


class Final:
    """The queries of one tree that read one view."""

    def __init__(
        self, tree: Tree, queries: tuple[Query, ...], lanes: tuple[Lane, ...], view: Intercede
    ) -> None:
        self.tree = tree
        self._view = view
        self._reader = view.subscribe()
        self._queries: dict[Span, list[Query]] = {}
        for query in queries:
            self._queries.setdefault((query.window_range, query.slide), []).append(query)
        self._counts = lanes[0].name
        self._lanes = {lane.name: self._make(lane) for lane in lanes}
        self._ends: Array = np.empty(0, dtype=np.int64)
        self._first = 0
        self.edges = 0
        self.longest = max(span for span, _ in self._queries)

    def _make(self, lane: Lane) -> _Lane:
        spans = sorted(
            span
            for span, queries in self._queries.items()
            if lane.name == self._counts or any(lane.name in query.lanes for query in queries)
        )
        technique = self.tree.techniques.get(lane.name)
        kind = kernel_for(technique, lane, ranges=len({r for r, _ in spans}))
        distinct = list(dict.fromkeys(span if kind.slot_per_query else span[0] for span in spans))
        slots = {span: distinct.index(span if kind.slot_per_query else span[0]) for span in spans}
        return _Lane(kernel=kind(lane, slots=len(distinct)), slots=slots, longest=max(r for r, _ in spans))

    def most_due(self, after: int, until: int) -> int:
        """A bound of the windows that are due, without looking for their partials."""
        return sum((until - after) // slide + 1 for _, slide in self._queries)

    def due_ends(self, after: int, until: int) -> Array:
        """The ends of the windows that are due, in no order."""
        ends = np.concatenate([self._ends, self._view.ends])
        found = [
            r + due_windows(ends, window_range=r, slide=s, after=after, until=until) for r, s in self._queries
        ]
        return np.concatenate(found)

    def next_due(self, after: int) -> int | None:
        """The next time at which a window of stored partials ends."""
        last = max((int(ends[-1]) for ends in (self._ends, self._view.ends) if len(ends)), default=None)
        if last is None:
            return None
        found = (next_end(last, window_range=r, slide=s, after=after) for r, s in self._queries)
        return min((end for end in found if end is not None), default=None)

    def advance(self, after: int, until: int) -> Iterator[Answers]:
        """Take in what the tree's edges up to ``until`` closed, and answer the windows that end in (after, until]."""
        ends, partials = self._view.coalesce(self._reader, self.tree.classes, until)
        self._ends = np.concatenate([self._ends, ends])
        self.edges += len(ends)
        starts = {
            (r, s): self._active(
                (r, s), due_windows(self._ends, window_range=r, slide=s, after=after, until=until)
            )
            for r, s in self._queries
        }
        answered: dict[Span, dict[str, Parts]] = {span: {} for span in starts}
        for name, lane in self._lanes.items():
            spans = [span for span in lane.slots if len(starts[span])]
            rows = _in_order(lane.kernel, partials[name], self._windows(spans, lane.slots, starts))
            bounds = np.cumsum([0, *(len(starts[span]) for span in spans)]).tolist()
            for span, low, high in zip(spans, bounds, bounds[1:], strict=False):
                answered[span][name] = tuple(part[low:high] for part in rows)
        self._evict(until)
        for span, lanes in answered.items():
            if lanes:
                present = lanes[self._counts][0] > 0
                for query in self._queries[span]:
                    first = _first_active(query, starts[span])
                    yield Answers(
                        query=query,
                        starts=starts[span][first:],
                        present=present[first:],
                        lanes={name: tuple(part[first:] for part in lanes[name]) for name in query.lanes},
                    )

    def _active(self, span: Span, starts: Array) -> Array:
        """The windows that some query of the span is answered for."""
        return starts[min(_first_active(query, starts) for query in self._queries[span]) :]

    def _windows(self, spans: list[Span], slots: dict[Span, int], starts: dict[Span, Array]) -> Windows:
        """Windows of several spans by the positions of their partials."""
        begins = [starts[span] for span in spans]
        lows = np.concatenate([np.empty(0, dtype=np.int64), *begins])
        highs = lows + np.repeat([r for r, _ in spans], [len(b) for b in begins]).astype(np.int64)
        return Windows(
            lows=self._first + np.searchsorted(self._ends, lows, side="right"),
            highs=self._first + np.searchsorted(self._ends, highs, side="right"),
            slots=np.repeat([slots[span] for span in spans], [len(b) for b in begins]).astype(np.int64),
        )

    def _evict(self, until: int) -> None:
        """A window that is still to come starts after ``until`` less its range."""
        for lane in self._lanes.values():
            lane.kernel.evict(self._position(until - lane.longest))
        first = self._position(until - self.longest)
        self._ends = self._ends[first - self._first :]
        self._first = first

    def _position(self, time: int) -> int:
        return self._first + int(np.searchsorted(self._ends, time, side="right"))

    def arrange(self, columns: Array) -> None:
        """Other keys, as `History.arrange` takes them."""
        for lane in self._lanes.values():
            lane.kernel.arrange(columns)

    def operations(self) -> dict[str, float]:
        """Combinations so far, by lane."""
        return {name: lane.kernel.operations for name, lane in self._lanes.items()}


def _first_active(query: Query, starts: Array) -> int:
    """The place of the first window that the query is answered for."""
    return 0 if query.active_from is None else int(np.searchsorted(starts, query.active_from))


def _in_order(kernel: Kernel, partials: Parts, windows: Windows) -> Parts:
    """Let the kernel have the windows by ascending high; the answers are in the order in which they were asked for.

    After a silent stretch windows of one range and unlike slides end with the same partial: they go by ascending low.
    """
    if kernel.any_order:
        return kernel.advance(partials, windows)
    order = np.lexsort((windows.lows, windows.highs))
    rows = kernel.advance(partials, Windows(windows.lows[order], windows.highs[order], windows.slots[order]))
    back = np.empty_like(order)
    back[order] = np.arange(len(order))
    return tuple(part[back] for part in rows)
