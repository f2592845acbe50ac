"""Omega of Panes: the overlap factor (doc 000 Eq. 2, doc 001 Eq. 3, rows T-12 and I-24).

A fragment is used once by each window that it belongs to, and a tuple of an ACQ (r, s) is in r/s windows. The
formula counts only windows that are due (X-05), and is an estimate where s does not divide r (X-04).
"""

from __future__ import annotations

import numpy as np

from costmodel.base import Need, Technique, WindowGroups
from costmodel.summaries import FloatArray, Summaries

__all__ = ["PANES", "Panes"]


class Panes(Technique):
    """Every window combines all its partials anew.

    >>> from costmodel.base import TreeStats
    >>> PANES(TreeStats.of(edge_rate=0.5, windows=[(6, 2), (8, 4)]))
    5.0
    """

    name = "panes"
    formula = "sum r_i / s_i"
    capability = "any aggregate"
    serves = frozenset(Need)
    width = 1
    additive = True

    def summarise(self, windows: WindowGroups, *, coarse: bool = False) -> Summaries:
        """The overlap factors' sum."""
        return Summaries((windows.total(windows.ranges / windows.slides),), (np.add,))

    def per_edge(self, trees: Summaries, edge_rates: FloatArray) -> FloatArray:
        """The same at any edge rate."""
        return trees.columns[0]


PANES = Panes()
