"""The cost of a whole plan under each execution model (doc 000 III-C).

* **TwoOps** (Eq. 3, row T-13): every tree aggregates every tuple, ``m * rate + sum E_i * Omega_i``.
* **TriOps** (Eq. 4, row T-14): one sub-aggregation at all edges, whose fragments intercede-aggregation
  coalesces for each of the m trees, ``rate + m * E + sum E_i * Omega_i``.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from costmodel.base import Cost

__all__ = ["EXECUTION_MODELS", "TRI_OPS", "TWO_OPS", "ExecutionModel", "TriOps", "TwoOps", "WeavedTree"]


@dataclass(frozen=True, slots=True, kw_only=True)
class WeavedTree:
    """A tree's own edge rate E_i and its Omega_i."""

    edge_rate: float
    omega: float

    @property
    def final_aggregation(self) -> float:
        """E_i * Omega_i."""
        return self.edge_rate * self.omega


class ExecutionModel(Protocol):
    """How the trees of a plan are run."""

    @property
    def name(self) -> str:
        """The model's name in plans."""

    def cost(self, *, rate: float, edge_rate: float, trees: Sequence[WeavedTree]) -> Cost:
        """The plan's cost; ``edge_rate`` is that of all trees together (E)."""

    def tree_cost(self, *, rate: float, edge_rate: float, tree: WeavedTree) -> float:
        """What a tree costs by itself, without what all trees share."""


@dataclass(frozen=True, slots=True)
class TwoOps:
    """A sub-aggregation for each tree, then final aggregation."""

    name: str = "twoops"

    def cost(self, *, rate: float, edge_rate: float, trees: Sequence[WeavedTree]) -> Cost:
        """Eq. 3; the edge rate of all trees together does not matter.

        >>> separate = [WeavedTree(edge_rate=0.5, omega=3.0), WeavedTree(edge_rate=0.25, omega=2.0)]
        >>> TWO_OPS.cost(rate=1.0, edge_rate=0.5, trees=separate).total
        4.0
        """
        return Cost(
            sub_aggregation=len(trees) * rate,
            intercede=0.0,
            final_aggregation=math.fsum(t.final_aggregation for t in trees),
        )

    def tree_cost(self, *, rate: float, edge_rate: float, tree: WeavedTree) -> float:
        """Eq. 1: the tree reads every tuple."""
        return rate + tree.final_aggregation


@dataclass(frozen=True, slots=True)
class TriOps:
    """One sub-aggregation for all trees, intercede-aggregation, then final aggregation."""

    name: str = "triops"

    def cost(self, *, rate: float, edge_rate: float, trees: Sequence[WeavedTree]) -> Cost:
        """Eq. 4; a plan without trees does nothing.

        >>> TRI_OPS.cost(rate=1.0, edge_rate=0.5, trees=[WeavedTree(edge_rate=0.5, omega=5.0)]).total
        4.0
        """
        return Cost(
            sub_aggregation=rate if trees else 0.0,
            intercede=len(trees) * edge_rate,
            final_aggregation=math.fsum(t.final_aggregation for t in trees),
        )

    def tree_cost(self, *, rate: float, edge_rate: float, tree: WeavedTree) -> float:
        """The tree coalesces every fragment; the tuples are read once for all trees."""
        return edge_rate + tree.final_aggregation


TWO_OPS = TwoOps()
TRI_OPS = TriOps()
EXECUTION_MODELS: tuple[ExecutionModel, ...] = (TWO_OPS, TRI_OPS)
