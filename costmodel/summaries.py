"""Trees in columns: what a formula has to remember of each tree, and how two trees are taken together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["BitArray", "FloatArray", "IntArray", "Summaries", "packed_sets"]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
BitArray = NDArray[np.uint64]


@dataclass(frozen=True, slots=True)
class Summaries:
    """Columns with a row for each tree, and the operation by which rows of each column are combined.

    >>> trees = Summaries((np.array([1.0, 2.0, 4.0]),), (np.add,))
    >>> trees.with_row(trees, 2).columns[0].tolist()
    [5.0, 6.0, 8.0]
    >>> trees.union(np.array([0, 1])).columns[0].tolist()
    [3.0]
    """

    columns: tuple[NDArray[Any], ...]
    combine: tuple[np.ufunc, ...]

    def __len__(self) -> int:
        return len(self.columns[0])

    def take(self, rows: IntArray | slice) -> Summaries:
        """Those trees."""
        return Summaries(tuple(column[rows] for column in self.columns), self.combine)

    def joined(self, others: Summaries) -> Summaries:
        """Each tree taken together with the other one in its row."""
        pairs = zip(self.combine, self.columns, others.columns, strict=True)
        return Summaries(tuple(combine(mine, theirs) for combine, mine, theirs in pairs), self.combine)

    def with_row(self, others: Summaries, row: int) -> Summaries:
        """Each tree taken together with the same one of the others."""
        return self.joined(others.take(slice(row, row + 1)))

    def union(self, rows: IntArray) -> Summaries:
        """A single tree of them all."""
        pairs = zip(self.combine, self.columns, strict=True)
        return Summaries(
            tuple(combine.reduce(column[rows], axis=0, keepdims=True) for combine, column in pairs),
            self.combine,
        )

    def put(self, row: int, other: Summaries) -> None:
        """Overwrite a tree by the other one's only row."""
        for mine, theirs in zip(self.columns, other.columns, strict=True):
            mine[row] = theirs[0]

    def followed_by(self, others: Summaries) -> Summaries:
        """These trees, then the others."""
        pairs = zip(self.columns, others.columns, strict=True)
        return Summaries(tuple(np.concatenate(pair) for pair in pairs), self.combine)

    def emptied(self) -> Summaries:
        """As many trees without windows."""
        return Summaries(tuple(np.zeros_like(column) for column in self.columns), self.combine)

    def beside(self, others: Summaries) -> Summaries:
        """Both summaries of the same trees."""
        return Summaries(self.columns + others.columns, self.combine + others.combine)


def packed_sets(member: IntArray, group: IntArray, count: int) -> BitArray:
    """Sets of small numbers as rows of bits: ``member[k]`` is in the set ``group[k]`` of ``count``.

    >>> packed_sets(np.array([0, 2]), np.array([1, 1]), 2).tolist()
    [[0], [5]]
    """
    words = int(member.max(initial=-1)) // 64 + 1
    sets = np.zeros((count, words), dtype=np.uint64)
    np.bitwise_or.at(sets, (group, member // 64), np.uint64(1) << (member % 64).astype(np.uint64))
    return sets
