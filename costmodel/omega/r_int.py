"""Omega of R-INT: a prefix at each edge, and one subtraction a query (doc 004 3.2, row A-09)."""

from __future__ import annotations

import numpy as np

from costmodel.base import Need, Technique, WindowGroups
from costmodel.summaries import FloatArray, Summaries

__all__ = ["R_INT", "RInt"]


class RInt(Technique):
    """Prefix aggregates: a window is the difference of two.

    >>> from costmodel.base import TreeStats
    >>> R_INT(TreeStats.of(edge_rate=0.5, windows=[(6, 2), (8, 4)]))
    3.0
    """

    name = "r_int"
    formula = "1 + Q"
    capability = "an invertible aggregate: count, sum, avg"
    serves = frozenset({Need.INVERTIBLE})
    width = 1

    def summarise(self, windows: WindowGroups, *, coarse: bool = False) -> Summaries:
        """The number of distinct windows."""
        return Summaries((windows.total(np.ones(len(windows.group))),), (np.add,))

    def per_edge(self, trees: Summaries, edge_rates: FloatArray) -> FloatArray:
        """The formula; without windows nobody asks for a prefix."""
        queries = trees.columns[0]
        return np.where(queries > 0, 1.0 + queries, 0.0)


R_INT = RInt()
