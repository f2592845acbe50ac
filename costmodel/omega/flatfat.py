"""Omega of FlatFAT: the nodes of a binary tree that cover a window (doc 001 Eq. 4, row I-25; X-08).

A window of P partials costs ``floor(log2(P - 1)) + (P - 1) / 2^floor(log2 P)``; the longest query's term stands
for the update as well. As printed it has no value at P = 1, where nothing is combined: 0; between 1 and 2 it is
taken as 2. P is the range times the edge rate of the tree, rounded to 1e-9 since the formula jumps at powers
of two.
"""

from __future__ import annotations

import numpy as np

from costmodel.base import Need, Technique, WindowGroups
from costmodel.summaries import FloatArray, Summaries

__all__ = ["FLATFAT", "FlatFat"]

FINE = 2**14
"""Distinct ranges times trees up to which summaries are exact; beyond it ranges are told apart by size only."""


class FlatFat(Technique):
    """A flat binary tree over the partials.

    >>> from costmodel.base import TreeStats
    >>> FLATFAT(TreeStats.of(edge_rate=0.5, windows=[(6, 2), (8, 4)]))
    3.75
    """

    name = "flatfat"
    formula = "sum floor(log2(P_i - 1)) + (P_i - 1) / 2^floor(log2 P_i), P_i = r_i E"
    capability = "any aggregate"
    serves = frozenset(Need)
    width = 2

    def summarise(self, windows: WindowGroups, *, coarse: bool = False) -> Summaries:
        """How many windows there are of each range, or of each size of range, and the sum of their ranges."""
        if coarse:
            sizes = np.zeros(len(windows.ranges), dtype=np.int64)
        else:
            distinct, sizes = np.unique(windows.ranges, return_inverse=True)
            if len(distinct) * windows.count > FINE and windows.count > 1:
                octaves = np.log2(windows.ranges.astype(np.float64))
                scale = max(FINE // windows.count, 16) / max(float(np.ptp(octaves)), 1.0)
                sizes = ((octaves - octaves.min()) * scale).astype(np.int64)
        width = int(sizes.max(initial=0)) + 1
        cell = windows.group * width + sizes
        shape = (windows.count, width)
        counts = np.bincount(cell, minlength=windows.count * width).reshape(shape).astype(np.float64)
        sums = np.bincount(cell, weights=windows.ranges, minlength=windows.count * width).reshape(shape)
        sums = sums.astype(np.float64)
        return Summaries((counts, sums), (np.add, np.add))

    def per_edge(self, trees: Summaries, edge_rates: FloatArray) -> FloatArray:
        """The formula at each size's mean range."""
        counts, sums = trees.columns
        mean = np.divide(sums, counts, out=np.zeros_like(sums), where=counts > 0)
        terms: FloatArray = (counts * _term(mean * edge_rates[:, None])).sum(axis=1)
        return terms


def _term(partials: FloatArray) -> FloatArray:
    p = np.maximum(np.round(partials, 9), 2.0)
    # The exponent of the binary number is the floor of its logarithm, exactly.
    inner = np.frexp(p - 1)[1] - 1
    outer = np.frexp(p)[1] - 1
    term = inner + np.ldexp(p - 1, -outer)
    small = np.round(partials, 9)
    return np.where(small <= 1, 0.0, np.where(small < 2, 2.0, term))


FLATFAT = FlatFat()
