"""A shard's memory: the fragments of the longest range, and all queries' windows answered from them.

Panes evaluation (doc 001 2.2, row I-05): each due window is combined afresh from the fragments that it contains.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from planner_spark.kernels.answers import Answer, Lowering
from planner_spark.kernels.lanes import Lane
from planner_spark.kernels.over import Array
from planner_spark.kernels.view import View
from planner_spark.kernels.windows import contained, due_windows, next_end

__all__ = ["WORD", "Block", "Query", "Rows", "Shard", "Workload"]

WORD = 63
"""Bits of a signature per word: those of a long that are not its sign."""
ViewName = tuple[int | None, tuple[int, ...]]
Window = tuple[ViewName, int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """A canonical ACQ as the kernels see it.

    ``bit`` is its predicate's bit in the signature, None for all tuples; ``columns`` are positions among the job's
    grouping attributes; ``active_from`` is the first window start that it is answered for; ``slots`` are the value
    slots of its canonical aggregates.
    """

    number: int
    window_range: int
    slide: int
    lowerings: tuple[Lowering, ...]
    bit: int | None
    columns: tuple[int, ...]
    active_from: int | None
    slots: tuple[str, ...]

    @property
    def view(self) -> ViewName:
        """What names the view that the query reads."""
        return self.bit, self.columns


@dataclass(frozen=True, slots=True, kw_only=True)
class Workload:
    """All queries of a job, and the lanes that they need; ``lanes[0]`` counts tuples."""

    queries: tuple[Query, ...]
    lanes: tuple[Lane, ...]

    def lanes_of(self, view: ViewName) -> tuple[Lane, ...]:
        """The lanes that the queries of a view are lowered from; tuples are always counted."""
        names = {name for q in self.queries if q.view == view for low in q.lowerings for name in low.lanes}
        return (self.lanes[0], *(lane for lane in self.lanes[1:] if lane.name in names))

    @property
    def longest_range(self) -> int:
        """How long a fragment may be needed."""
        return max(query.window_range for query in self.queries)


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """Rows that sub-aggregation emitted together: bounds, key, signature and decoded partials of each.

    Distinct ``keys`` (values of all grouping attributes as text) and distinct ``signatures`` (an array [signature,
    word] with 63 bits a word) are listed once; the codes say which one a row has.
    """

    starts: Array
    ends: Array
    keys: list[tuple[str | None, ...]]
    key_codes: Array
    signatures: Array
    signature_codes: Array
    partials: dict[str, Array]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rows:
    """The answer of one window of one query: an element per key."""

    query: Query
    window_start: int
    groups: tuple[Array, ...]
    answers: tuple[Answer, ...]

    def __len__(self) -> int:
        return len(self.answers[0].values)


class Shard:
    """Fragments by view, and the queries over them."""

    def __init__(self, workload: Workload) -> None:
        self._workload = workload
        self._lanes = {lane.name: lane for lane in workload.lanes}
        self._views = {
            view: View(lanes=workload.lanes_of(view), columns=view[1])
            for view in dict.fromkeys(q.view for q in workload.queries)
        }
        self._starts: Array = np.empty(0, dtype=np.int64)
        self._ends: Array = np.empty(0, dtype=np.int64)

    def ingest(self, block: Block) -> None:
        """Add the fragments of a block; all of them end after those that are here."""
        starts, ends, rows = _distinct(block.starts, block.ends)
        for (bit, _), view in self._views.items():
            if bit is None:
                chosen: slice | Array = slice(None)
            else:
                chosen = _with_bit(block.signatures, bit)[block.signature_codes]
            codes = block.key_codes[chosen]
            numbers = np.zeros(len(block.keys), dtype=np.int64)
            for code in np.unique(codes).tolist():
                numbers[code] = view.number(block.keys[code])
            partials = {name: block.partials[name][chosen] for name in view.fields}
            view.append(len(ends), rows[chosen], numbers[codes], partials)
        self._ends = np.concatenate([self._ends, ends])
        self._starts = np.concatenate([self._starts, starts])

    def due(self, *, after: int, until: int) -> Iterator[Rows]:
        """The answers of all windows that end in ``(after, until]``."""
        combined: dict[Window, dict[str, tuple[Array, ...]]] = {}
        for query in self._workload.queries:
            for start in due_windows(
                self._starts,
                self._ends,
                window_range=query.window_range,
                slide=query.slide,
                after=after,
                until=until,
            ):
                if query.active_from is None or start >= query.active_from:
                    window = (query.view, start, query.window_range)
                    rows = self._answer(query, start, combined.setdefault(window, {}))
                    if len(rows):
                        yield rows

    def _answer(self, query: Query, start: int, combined: dict[str, tuple[Array, ...]]) -> Rows:
        """The rows of one window; ``combined`` has what other queries made of the same view and window."""
        view = self._views[query.view]
        chosen = contained(self._starts, self._ends, start, start + query.window_range)

        def partials(name: str) -> tuple[Array, ...]:
            if name not in combined:
                combined[name] = view.combine(self._lanes[name], chosen)
            return combined[name]

        keys = np.nonzero(partials(self._workload.lanes[0].name)[0])[0]
        return Rows(
            query=query,
            window_start=start,
            groups=tuple(view.key_column(position, keys) for position in range(len(query.columns))),
            answers=tuple(lowering.lower(partials, keys) for lowering in query.lowerings),
        )

    def next_due(self, after: int) -> int | None:
        """The next time at which a window of stored fragments ends."""
        ends = (
            next_end(self._starts, window_range=query.window_range, slide=query.slide, after=after)
            for query in self._workload.queries
        )
        return min((end for end in ends if end is not None), default=None)

    def evict(self, watermark: int) -> None:
        """Forget fragments that no later window contains, in bulk so that it costs little per fragment."""
        old = int(np.searchsorted(self._ends, watermark - self._workload.longest_range, side="right"))
        if old and 2 * old >= len(self._ends):
            for view in self._views.values():
                view.drop_oldest(old)
            self._starts, self._ends = self._starts[old:], self._ends[old:]


def _distinct(starts: Array, ends: Array) -> tuple[Array, Array, Array]:
    """The distinct fragments by ascending end, and for each row the position of its fragment."""
    order = np.lexsort((starts, ends))
    first = np.ones(len(order), dtype=bool)
    first[1:] = (np.diff(ends[order]) != 0) | (np.diff(starts[order]) != 0)
    rows = np.empty(len(order), dtype=np.int64)
    rows[order] = np.cumsum(first) - 1
    chosen = order[first]
    return starts[chosen], ends[chosen], rows


def _with_bit(signatures: Array, bit: int) -> Array:
    """Which signatures have that bit; those from before it was given out do not."""
    word, place = divmod(bit, WORD)
    if word >= signatures.shape[1]:
        return np.zeros(len(signatures), dtype=bool)
    return np.asarray(signatures[:, word] >> place & 1, dtype=bool)
