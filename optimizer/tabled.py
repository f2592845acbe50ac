"""A small problem with the cost of every possible tree looked up: the same search, many times faster.

The masks of its space are sets of atoms, its "edge rate" of a set is what final aggregation costs in a tree of them,
and its technique takes one operation: so that every search works on it as on the problem itself.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from costmodel import Need, Summaries, Technique, WindowGroups
from costmodel.summaries import FloatArray
from optimizer.best_partition import subset_costs
from optimizer.edges.space import EdgeSpace
from optimizer.problem import Problem

__all__ = ["MAX_ATOMS", "tabled"]

MAX_ATOMS = 12


def tabled(problem: Problem) -> Problem:
    """The problem with all costs looked up, where it has few atoms; else itself."""
    count = len(problem.atoms)
    if count > MAX_ATOMS:
        return problem
    return replace(
        problem,
        space=_Costs(subset_costs(problem, np.arange(count)) - problem.fixed, count),
        technique=_OneOperation(),
        summaries=Summaries((np.zeros(count),), (np.add,)),
        edges_per_unit=1.0,
    )


class _Costs(EdgeSpace):
    def __init__(self, final: FloatArray, count: int) -> None:
        self._final = final
        self.masks = (1 << np.arange(count, dtype=np.int64))[:, None]
        self.length = None

    def rates(self, masks: NDArray[Any]) -> FloatArray:
        found: FloatArray = self._final[masks[:, 0]]
        return found


class _OneOperation(Technique):
    name = formula = capability = "one operation"
    serves = frozenset(Need)
    width = 1

    def summarise(self, windows: WindowGroups, *, coarse: bool = False) -> Summaries:
        return Summaries((np.zeros(windows.count),), (np.add,))

    def per_edge(self, trees: Summaries, edge_rates: FloatArray) -> FloatArray:
        return np.ones(len(edge_rates))
