"""Omega of Panes (Inv): two operations a query (doc 001 2.2, Table 2, row I-06).

Each query has a running aggregate of its own, which adds the new partial and inverts the expired one.
"""

from __future__ import annotations

import numpy as np

from costmodel.base import Need, Technique, WindowGroups
from costmodel.summaries import FloatArray, Summaries

__all__ = ["PANES_INV", "PanesInv"]


class PanesInv(Technique):
    """A running aggregate per query: subtract-on-evict.

    >>> from costmodel.base import TreeStats
    >>> PANES_INV(TreeStats.of(edge_rate=0.5, windows=[(6, 2), (8, 4)]))
    4.0
    """

    name = "panes_inv"
    formula = "2 Q"
    capability = "an invertible aggregate: count, sum, avg"
    serves = frozenset({Need.INVERTIBLE})
    width = 1
    additive = True

    def summarise(self, windows: WindowGroups, *, coarse: bool = False) -> Summaries:
        """The number of distinct windows."""
        return Summaries((windows.total(np.ones(len(windows.group))),), (np.add,))

    def per_edge(self, trees: Summaries, edge_rates: FloatArray) -> FloatArray:
        """The same at any edge rate."""
        return 2.0 * trees.columns[0]


PANES_INV = PanesInv()
