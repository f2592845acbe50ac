"""What an optimizer tells of its way: every merge, with what it gained."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from optimizer.problem import Partition

__all__ = ["Merge", "Observer", "Trace"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Merge:
    """Two trees became one; trees are named by the least of their atoms, and the merged one by the lesser name."""

    left: int
    right: int
    gain: float


class Observer:
    """Hears of what an optimizer does; this one forgets it."""

    def begins(self, partition: Partition) -> None:
        """Greedy merging begins with these trees."""

    def merged(self, merge: Merge) -> None:
        """Two trees were merged."""

    def improved(self, how: str, gain: float) -> None:
        """The improvement pass found something better."""


@dataclass(slots=True)
class Trace(Observer):
    """Remembers everything, and can replay it."""

    start: list[tuple[int, ...]] = field(default_factory=list)
    merges: list[Merge] = field(default_factory=list)
    improvements: list[tuple[str, float]] = field(default_factory=list)

    def begins(self, partition: Partition) -> None:
        """Forget what was before."""
        self.start = [tuple(atoms.tolist()) for atoms in partition]
        self.merges.clear()
        self.improvements.clear()

    def merged(self, merge: Merge) -> None:
        """Remember it."""
        self.merges.append(merge)

    def improved(self, how: str, gain: float) -> None:
        """Remember it."""
        self.improvements.append((how, gain))

    def replay(self, steps: int | None = None) -> list[tuple[int, ...]]:
        """The trees after that many merges, or all of them.

        >>> trace = Trace()
        >>> import numpy as np
        >>> trace.begins([np.array([0]), np.array([1]), np.array([2])])
        >>> trace.merged(Merge(left=0, right=2, gain=1.5))
        >>> trace.replay()
        [(0, 2), (1,)]
        """
        trees = {atoms[0]: atoms for atoms in self.start}
        for merge in self._first(steps):
            trees[merge.left] = tuple(sorted(trees[merge.left] + trees.pop(merge.right)))
        return sorted(trees.values())

    def steps_of(self, atom: int) -> list[tuple[Merge, set[int]]]:
        """The merges that the tree of an atom went through, each with the atoms that joined it."""
        trees = {atoms[0]: set(atoms) for atoms in self.start}
        found = []
        for merge in self.merges:
            left, right = trees[merge.left], trees.pop(merge.right)
            if atom in left:
                found.append((merge, right))
            elif atom in right:
                found.append((merge, left))
            trees[merge.left] = left | right
        return found

    def _first(self, steps: int | None) -> Sequence[Merge]:
        return self.merges if steps is None else self.merges[:steps]
