"""What is optimized: atoms to be put into trees, and what a tree of atoms costs.

Eq. 3 (TwoOps) and Eq. 4 (TriOps) differ only in what a tree costs besides its final aggregation: the input rate, as
it reads every tuple, or the edge rate of all queries together, as it coalesces every fragment. Everything else
does not depend on the partition, so that one search serves both (doc 000 III-C).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from costmodel import TRI_OPS, ExecutionModel, Summaries, Technique
from costmodel.summaries import FloatArray, IntArray
from optimizer.distinct import distinct_rows
from optimizer.edges.classes import PartialsRule
from optimizer.edges.count import count_atoms
from optimizer.edges.lattice_space import LatticeSpace
from optimizer.edges.space import Atoms, EdgeSpace, atom_of
from optimizer.edges.subset_space import SubsetSpace
from optimizer.workload import Items, Workload

__all__ = ["FEW", "MANY", "Partition", "Problem", "edge_space"]

FEW = 400
"""Items up to which each is an atom of its own, whatever the technique."""
MANY = 1_500
"""Atoms up to which all pairs of trees are compared at each merge."""

Partition = list[IntArray]
"""The atoms of each tree."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """Atoms, and the cost of trees of them under one technique and one execution model."""

    atoms: Atoms
    atom_of: IntArray
    """The atom of each item."""
    scope: IntArray
    """The scope of each atom."""
    summaries: Summaries
    technique: Technique
    fixed: float
    """What each tree costs besides its final aggregation."""
    edges_per_unit: float
    is_shared: bool
    """Whether that is the edge rate of all queries, which new queries may raise."""
    space: EdgeSpace | None
    """None where no exact one is small enough: then edge rates are estimated from overlaps."""

    @classmethod
    def of(
        cls,
        workload: Workload,
        *,
        technique: Technique,
        partials: PartialsRule,
        execution: ExecutionModel,
    ) -> Problem:
        """The problem of a workload."""
        items = workload.items
        edges = atom_of(items.ranges, items.slides, partials)
        together = technique.additive or len(items) > FEW
        atoms, atom_of_item, scope = _atoms(edges, items, together=together)
        count = len(atoms)
        summaries = technique.summarise(items.groups(atom_of_item, count), coarse=count > MANY)
        factor = workload.units.edges_per_unit
        space = edge_space(atoms) if 0 < count <= MANY else None
        shared = execution is TRI_OPS
        fixed = factor * _total_rate(atoms, space) if shared else workload.units.rate
        return cls(
            atoms=atoms,
            atom_of=atom_of_item,
            scope=scope,
            summaries=summaries,
            technique=technique,
            fixed=fixed,
            edges_per_unit=factor,
            is_shared=shared,
            space=space,
        )

    @property
    def exact(self) -> EdgeSpace:
        """The exact space, for those who have made sure that there is one."""
        if self.space is None:
            raise ValueError("no exact edge space of these atoms is small enough")
        return self.space

    def final(self, rates: FloatArray, trees: Summaries) -> FloatArray:
        """What final aggregation costs in trees with these edge rates."""
        cost: FloatArray = self.edges_per_unit * rates * self.technique.per_edge(trees, rates)
        return cost

    def costs(self, masks: NDArray[Any], trees: Summaries) -> FloatArray:
        """What trees with these edges cost by themselves."""
        return self.fixed + self.final(self.exact.rates(masks), trees)

    def cost(self, atoms: IntArray) -> float:
        """What a tree of these atoms costs by itself."""
        return float(self.costs(self.exact.union(atoms), self.summaries.union(atoms))[0])

    def total(self, partition: Sequence[IntArray]) -> float:
        """What the trees of a partition cost together."""
        return float(sum(self.cost(atoms) for atoms in partition))

    def may_share(self, atoms: IntArray) -> bool:
        """Whether queries of these atoms measure the same columns (A-26)."""
        return len(np.unique(self.scope[atoms][self.scope[atoms] > 0])) <= 1


def edge_space(atoms: Atoms) -> EdgeSpace | None:
    """An exact space that is small enough to be fast, or None."""
    return LatticeSpace.of(atoms) or SubsetSpace.of(atoms)


def _total_rate(atoms: Atoms, space: EdgeSpace | None) -> float:
    """The edge rate of all atoms together."""
    if not len(atoms):
        return 0.0
    if space is not None:
        return space.rate(np.arange(len(atoms)))
    return count_atoms(atoms).edge_rate


def _atoms(edges: Atoms, items: Items, *, together: bool) -> tuple[Atoms, IntArray, IntArray]:
    """Items with equal edges and one scope as one atom, or each item as an atom of its own."""
    if not together:
        return edges, np.arange(len(items)), items.scope
    first, row = distinct_rows(edges.modulus, edges.offset, items.scope)
    # In the order of their first items, so that ties are broken as if each item were an atom.
    order = np.argsort(first)
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    first = first[order]
    return edges.take(first), place[row], items.scope[first]
