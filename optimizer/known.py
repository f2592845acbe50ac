"""Which windows and edges the trees of a live plan hold, looked up without walking through a million queries."""

from __future__ import annotations

import numpy as np

from optimizer.edges.space import Atoms
from optimizer.model.plan import measured
from optimizer.problem import Partition
from optimizer.trees import Trees
from optimizer.workload import ANY_SCOPE, Workload

__all__ = ["Known"]


class Known:
    """Which windows and edges the trees hold: looked up in the workload's own order, and what came since."""

    def __init__(self, workload: Workload, trees: Partition, live: Trees) -> None:
        self._workload = workload
        self._ranges = [np.sort(workload.items.ranges[items]) for items in trees]
        self._tree_of_item = np.zeros(len(workload.items), dtype=np.int64)
        for tree, items in enumerate(trees):
            self._tree_of_item[items] = tree
        self._new_items: dict[tuple[int, int, int], int] = {}
        self._new_ranges: dict[int, set[int]] = {}
        atoms, scope = live.problem.atoms, live.problem.scope
        keys = zip(atoms.modulus.tolist(), atoms.offset.tolist(), scope.tolist(), strict=True)
        tree_of_atom = {atom: tree for tree, members in enumerate(live.members) for atom in members}
        self.atoms = {key: tree_of_atom[atom] for atom, key in enumerate(keys)}
        self.scopes: dict[tuple[str, ...], int] = {(): ANY_SCOPE}
        # Numbered as the workload numbers them: in the order of the queries.
        for columns in dict.fromkeys(q.lanes for q in workload.queries):
            self.scopes.setdefault(measured(columns), len(self.scopes))

    def item(self, length: int, slide: int, scope: int) -> int | None:
        """The tree of a window that is there."""
        items = self._workload.items
        begin, end = np.searchsorted(items.slides, [slide, slide + 1])
        first = begin + np.searchsorted(items.ranges[begin:end], length)
        last = begin + np.searchsorted(items.ranges[begin:end], length, side="right")
        for item in range(int(first), int(last)):
            if items.scope[item] == scope or scope == ANY_SCOPE:
                return int(self._tree_of_item[item])
        return self._new_items.get((length, slide, scope))

    def ranges_in(self, length: int, count: int) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
        """Which trees have a window of that range."""
        found = np.zeros(count, dtype=np.bool_)
        for tree, ranges in enumerate(self._ranges):
            place = int(np.searchsorted(ranges, length))
            found[tree] = place < len(ranges) and ranges[place] == length
        for tree, new in self._new_ranges.items():
            found[tree] |= length in new
        return found

    def note(self, length: int, slide: int, scope: int, tree: int, edges: Atoms) -> None:
        """Remember a window that has come."""
        self._new_items[length, slide, scope] = tree
        self._new_ranges.setdefault(tree, set()).add(length)
        self.atoms[int(edges.modulus[0]), int(edges.offset[0]), scope] = tree
