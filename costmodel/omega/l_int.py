"""Omega of L-INT: landmark intervals for windows of similar widths (doc 004 3.1.2; rows A-07, A-08).

A partition serves windows of one width up to twice as much. An edge takes three operations in each, and a window is at
most two intervals. Which widths go together does not depend on the edge rate: it is told by the octaves of the ranges.
"""

from __future__ import annotations

import numpy as np

from costmodel.base import Need, Technique, WindowGroups
from costmodel.summaries import FloatArray, Summaries, packed_sets

__all__ = ["L_INT", "LInt"]


class LInt(Technique):
    """Landmark intervals.

    >>> from costmodel.base import TreeStats
    >>> L_INT(TreeStats.of(edge_rate=0.5, windows=[(8, 2), (12, 4), (16, 4)]))
    9.0
    """

    name = "l_int"
    formula = "3 |octaves of r_i| + Q"
    capability = "any aggregate"
    serves = frozenset(Need)
    width = 2

    def summarise(self, windows: WindowGroups, *, coarse: bool = False) -> Summaries:
        """The number of distinct windows, and the set of octaves as bits; ranges have fewer than 64."""
        octaves = np.frexp(windows.ranges.astype(np.float64))[1].astype(np.int64) - 1
        return Summaries(
            (
                windows.total(np.ones(len(windows.group))),
                packed_sets(np.minimum(octaves, 63), windows.group, windows.count)[:, :1],
            ),
            (np.add, np.bitwise_or),
        )

    def per_edge(self, trees: Summaries, edge_rates: FloatArray) -> FloatArray:
        """The same at any edge rate."""
        queries, octaves = trees.columns
        omega: FloatArray = 3.0 * np.bitwise_count(octaves).sum(axis=1) + queries
        return omega


L_INT = LInt()
