"""Trees while an optimizer merges them: a row each, so that one tree is weighed against all others in one pass."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from costmodel import Summaries
from costmodel.summaries import FloatArray, IntArray
from optimizer.edges.space import EdgeSpace
from optimizer.problem import Partition, Problem

__all__ = ["BoundEdges", "MaskEdges", "TreeEdges", "Trees"]


class TreeEdges(Protocol):
    """The edges of trees in rows."""

    rates: FloatArray

    def with_row(self, row: int) -> FloatArray:
        """The edge rate of each tree merged with that one."""

    def merge(self, row: int, other: int) -> None:
        """Put the edges of the other tree into the row's."""

    def counted(self, row: int, other: int) -> float | None:
        """The edge rate of two trees merged, counted anew; None where it is counted already."""


class MaskEdges:
    """Edges as masks of an exact space."""

    def __init__(self, space: EdgeSpace, partition: Partition) -> None:
        self._space = space
        nothing = np.zeros_like(space.masks[:1])
        self._masks = np.concatenate([space.union(a) if len(a) else nothing for a in partition])
        self.rates = space.rates(self._masks)

    def with_row(self, row: int) -> FloatArray:
        """One pass over all masks."""
        return self._space.rates(self._masks | self._masks[row])

    def merge(self, row: int, other: int) -> None:
        """OR."""
        self._masks[row] |= self._masks[other]
        self.rates[row] = self._space.rates(self._masks[row : row + 1])[0]

    def counted(self, row: int, other: int) -> float | None:
        """Masks are exact."""
        return None


class BoundEdges:
    """Edge rates only: merged trees have at most the edges of both."""

    def __init__(self, rates: FloatArray) -> None:
        self.rates = rates

    def with_row(self, row: int) -> FloatArray:
        """Both rates."""
        merged: FloatArray = np.minimum(self.rates + self.rates[row], 1.0)
        merged[row] = self.rates[row]
        return merged

    def merge(self, row: int, other: int) -> None:
        """Both rates."""
        self.rates[row] = self.with_row(row)[other]

    def counted(self, row: int, other: int) -> float | None:
        """A bound is enough."""
        return None


class Trees:
    """The trees of a partition, with their costs and what each merge would gain."""

    def __init__(
        self,
        problem: Problem,
        edges: TreeEdges,
        *,
        summaries: Summaries,
        scope: IntArray,
        members: list[list[int]],
    ) -> None:
        self.problem = problem
        self.edges = edges
        self.summaries = summaries
        self.scope = scope
        self.members = members
        self.final = problem.final(edges.rates, summaries)
        self.alive = np.ones(len(members), dtype=np.bool_)

    @classmethod
    def of(cls, problem: Problem, partition: Partition) -> Trees:
        """The trees of a partition in an exact space."""
        parts = [problem.summaries.union(atoms) for atoms in partition]
        summaries = parts[0]
        if len(parts) > 1:
            columns = zip(*(part.columns for part in parts), strict=True)
            summaries = Summaries(tuple(np.concatenate(c) for c in columns), summaries.combine)
        return cls(
            problem,
            MaskEdges(problem.exact, partition),
            summaries=summaries,
            scope=np.array([problem.scope[atoms].max() for atoms in partition]),
            members=[atoms.tolist() for atoms in partition],
        )

    def __len__(self) -> int:
        return len(self.members)

    @property
    def total(self) -> float:
        """What all trees cost by themselves."""
        return float(self.problem.fixed * self.alive.sum() + self.final[self.alive].sum())

    def gains(self, row: int) -> FloatArray:
        """How much cheaper each merge with that tree is; minus infinity where none is possible."""
        rates = self.edges.with_row(row)
        merged = self.problem.final(rates, self.summaries.with_row(self.summaries, row))
        gains: FloatArray = self.problem.fixed + (self.final[row] - merged) + self.final
        apart = ~self.alive
        if self.scope[row]:
            apart = apart | ((self.scope != self.scope[row]) & (self.scope > 0))
        gains[apart] = -np.inf
        gains[row] = -np.inf
        return gains

    def true_gain(self, row: int, other: int, estimate: float) -> float:
        """What a merge gains by counted edges, where the estimate is one."""
        rate = self.edges.counted(row, other)
        if rate is None:
            return estimate
        joined = self.summaries.take(slice(row, row + 1)).with_row(self.summaries, other)
        merged = float(self.problem.final(np.array([rate]), joined)[0])
        return float(self.problem.fixed + (self.final[row] - merged) + self.final[other])

    def merge(self, row: int, other: int) -> None:
        """Put the other tree into the row's."""
        self.edges.merge(row, other)
        joined = self.summaries.take(slice(row, row + 1)).with_row(self.summaries, other)
        self.summaries.put(row, joined)
        self.final[row] = self.problem.final(self.edges.rates[row : row + 1], joined)[0]
        self.scope[row] = max(self.scope[row], self.scope[other])
        self.members[row] += self.members[other]
        self.members[other] = []
        self.alive[other] = False

    def partition(self) -> Partition:
        """The atoms of the trees that are left, in the order of their first atoms."""
        found = [np.array(sorted(atoms), dtype=np.int64) for atoms in self.members if atoms]
        return sorted(found, key=lambda atoms: int(atoms[0]))
