"""Omega of B-INT: base intervals on levels, a window is covered by few of them (doc 004 3.1.1; rows A-05, I-08).

An edge adds one interval to the levels on the average. A window of P partials is covered by at most 2 log2 P intervals
and by half as many on the average over where it lies; the formula takes the average, and as many combinations.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from costmodel.base import Need, Technique, WindowGroups
from costmodel.omega.flatfat import FLATFAT
from costmodel.summaries import FloatArray, Summaries

__all__ = ["B_INT", "BInt"]


class BInt(Technique):
    """Dyadic intervals.

    >>> from costmodel.base import TreeStats
    >>> B_INT(TreeStats.of(edge_rate=0.5, windows=[(8, 2), (16, 4)]))
    6.0
    """

    name = "b_int"
    formula = "1 + sum log2 P_i, P_i = r_i E"
    capability = "any aggregate"
    serves = frozenset(Need)
    width = 2
    sizes: ClassVar[Technique] = FLATFAT
    """Whose summaries of ranges these are."""

    def summarise(self, windows: WindowGroups, *, coarse: bool = False) -> Summaries:
        """How many windows there are of each size, and their ranges together."""
        return self.sizes.summarise(windows, coarse=coarse)

    def per_edge(self, trees: Summaries, edge_rates: FloatArray) -> FloatArray:
        """The formula at each size's mean range; a window of a single partial is that partial."""
        counts, sums = trees.columns
        mean = np.divide(sums, counts, out=np.zeros_like(sums), where=counts > 0)
        covers = np.log2(np.maximum(np.round(mean * edge_rates[:, None], 9), 1.0))
        omega: FloatArray = (counts * covers).sum(axis=1)
        return np.where(counts.sum(axis=1) > 0, 1.0 + omega, 0.0)


B_INT = BInt()
