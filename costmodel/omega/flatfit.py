"""Omega of FlatFIT: three operations a window (doc 001 Eq. 5, row I-26; X-09).

A window's answer reads the skipping pointers that the last ones left behind: 3 operations amortised for a
single query, and at most that for each of many.
"""

from __future__ import annotations

import numpy as np

from costmodel.base import Need, Technique, WindowGroups
from costmodel.summaries import FloatArray, Summaries

__all__ = ["FLATFIT", "FlatFit"]


class FlatFit(Technique):
    """Partials with pointers to the end of what they already cover.

    >>> from costmodel.base import TreeStats
    >>> FLATFIT(TreeStats.of(edge_rate=0.5, windows=[(6, 2), (8, 4)]))
    6.0
    """

    name = "flatfit"
    formula = "3 Q"
    capability = "any aggregate"
    serves = frozenset(Need)
    width = 1
    additive = True

    def summarise(self, windows: WindowGroups, *, coarse: bool = False) -> Summaries:
        """The number of distinct windows."""
        return Summaries((windows.total(np.ones(len(windows.group))),), (np.add,))

    def per_edge(self, trees: Summaries, edge_rates: FloatArray) -> FloatArray:
        """The same at any edge rate."""
        return 3.0 * trees.columns[0]


FLATFIT = FlatFit()
