"""A shard's memory: what the plan's trees need of the fragments so far, and all queries' windows answered from it.

    block ▶ view (predicate, grouping): roll-up ▶ intercede: coalesce per tree ▶ final: a kernel per lane ▶ answers

Under TriOps all trees read the same fragments; under TwoOps the fragments of each tree carry its own tag, and a view
has a single reader. The code is the same for both.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator

import numpy as np

from planner_spark.kernels.final import Answers, Final
from planner_spark.kernels.intercede import Intercede
from planner_spark.kernels.keyspace import KeySpace
from planner_spark.kernels.lane import Lane
from planner_spark.kernels.over import Array
from planner_spark.kernels.workload import WORD, Block, Query, ViewName, Workload

__all__ = ["Shard"]

AT_ONCE = 1 << 22
"""Answers, windows times keys, that are worked out at a time: so much memory they may take."""
FeedName = tuple[frozenset[int], ViewName]


class Shard:
    """Views of the fragments, and the trees' finals over them."""

    def __init__(self, workload: Workload) -> None:
        self._workload = workload
        self._spaces: dict[tuple[int, ...], KeySpace] = {}
        self._views: dict[FeedName, Intercede] = {}
        self._finals: dict[FeedName, list[Final]] = {}
        self._came: Counter[str] = Counter()
        for name, lanes in _lanes_by_view(workload).items():
            self._spaces.setdefault(name[1][1], KeySpace(name[1][1]))
            self._views[name] = Intercede(lanes)
            self._finals[name] = []
        for tree in workload.trees:
            for view in dict.fromkeys(query.view for query in tree.queries):
                queries = tuple(query for query in tree.queries if query.view == view)
                lanes = workload.lanes_of(frozenset().union(*(query.lanes for query in queries)))
                name = (tree.tags, view)
                self._finals[name].append(Final(tree, queries, lanes, self._views[name]))

    def ingest(self, block: Block) -> None:
        """Add the fragments of a block; all of them end after those that are here."""
        numbers = {columns: space.number(block.keys) for columns, space in self._spaces.items()}
        for columns, space in self._spaces.items():
            self._arrange(columns, space.grown())
            space.touch(numbers[columns][block.key_codes], block.ends)
        self._came["tuples"] += int(block.partials[self._workload.lanes[0].name].sum())
        self._came["partials"] += len(block.ends)
        for (tags, (bit, columns)), view in self._views.items():
            chosen = np.isin(block.tags, list(tags))
            if bit is not None:
                chosen &= _with_bit(block.signatures, bit)[block.signature_codes]
            rows: slice | Array = slice(None) if chosen.all() else chosen
            partials = {name: values[rows] for name, values in block.partials.items()}
            view.append(block.ends[rows], numbers[columns][block.key_codes[rows]], partials)

    def advance(self, *, after: int, until: int) -> Iterator[tuple[KeySpace, Answers]]:
        """The answers of all windows that end in ``(after, until]``, a bounded number of them at a time."""
        for step in self._steps(after, until):
            for (_, (_, columns)), finals in self._finals.items():
                for final in finals:
                    for answers in final.advance(after, step):
                        yield self._spaces[columns], answers
            after = step

    def skip(self, until: int) -> None:
        """Move on to a time up to which all windows are answered already."""
        for _ in self.advance(after=until, until=until):
            raise AssertionError("a window was due")
        self.forget(until)

    def _steps(self, after: int, until: int) -> Iterator[int]:
        """Where to stop on the way, so that no step answers too much."""
        keys = sum(max(len(space), 1) for space in self._spaces.values())
        if (
            sum(final.most_due(after, until) for finals in self._finals.values() for final in finals) * keys
            <= AT_ONCE
        ):
            yield until
            return
        found = [
            (ends, max(len(self._spaces[columns]), 1))
            for (_, (_, columns)), finals in self._finals.items()
            for ends in (final.due_ends(after, until) for final in finals)
        ]
        if sum(len(ends) * keys for ends, keys in found) > AT_ONCE:
            ends = np.concatenate([ends for ends, _ in found])
            weights = np.concatenate([np.full(len(ends), keys) for ends, keys in found])
            order = np.argsort(ends, kind="stable")
            ends, parts = ends[order], np.cumsum(weights[order]) // AT_ONCE
            # A step ends with the last window before the sum of answers passes another such number.
            last = np.nonzero((parts[1:] != parts[:-1]) & (ends[1:] != ends[:-1]))[0]
            yield from (end for end in np.unique(ends[last]).tolist() if end < until)
        yield until

    def next_due(self, after: int) -> int | None:
        """The next time at which a window of stored fragments ends."""
        found = (final.next_due(after) for finals in self._finals.values() for final in finals)
        return min((end for end in found if end is not None), default=None)

    def forget(self, watermark: int) -> None:
        """Free what every tree has read, and the keys that have been silent for the longest range.

        Keys are renumbered by that, so it comes when the answers are made into rows.
        """
        for view in self._views.values():
            view.free()
        for columns, space in self._spaces.items():
            longest = max(
                final.longest
                for (_, (_, own)), finals in self._finals.items()
                for final in finals
                if own == columns
            )
            self._arrange(columns, space.without_idle(watermark - longest))

    def _arrange(self, columns: tuple[int, ...], arrangement: Array | None) -> None:
        if arrangement is None:
            return
        for (tags, view), intercede in self._views.items():
            if view[1] == columns:
                intercede.arrange(arrangement)
                for final in self._finals[tags, view]:
                    final.arrange(arrangement)

    def work(self) -> dict[str, float]:
        """Operations since this memory began (rows T-08, T-10, T-17, I-15).

        ``tuples`` and ``partials`` that came, ``intercede`` operations, and for tree 3 its ``3:edges`` and the
        operations of each lane, ``3:sum:price``. An operation is one for all keys of the shard.
        """
        work: defaultdict[str, float] = defaultdict(float, self._came)
        for view in self._views.values():
            work["intercede"] += view.operations
        for final in (final for finals in self._finals.values() for final in finals):
            work[f"{final.tree.number}:edges"] += final.edges
            for lane, operations in final.operations().items():
                work[f"{final.tree.number}:{lane}"] += operations
        return dict(work)


def _lanes_by_view(workload: Workload) -> dict[FeedName, tuple[Lane, ...]]:
    """What each view measures: the lanes of all queries that read it, in whichever tree."""
    queries: dict[FeedName, list[Query]] = {}
    for tree in workload.trees:
        for query in tree.queries:
            queries.setdefault((tree.tags, query.view), []).append(query)
    return {
        name: workload.lanes_of(frozenset().union(*(query.lanes for query in members)))
        for name, members in queries.items()
    }


def _with_bit(signatures: Array, bit: int) -> Array:
    """Which signatures have that bit; those from before it was given out do not."""
    word, place = divmod(bit, WORD)
    if word >= signatures.shape[1]:
        return np.zeros(len(signatures), dtype=bool)
    return np.asarray(signatures[:, word] >> place & 1, dtype=bool)
