"""Omega of SlickDeque (Inv): two operations a running aggregate (doc 001 Eq. 6, row I-27; X-10).

Queries of a tree that need equally many partials share a running aggregate, which adds the new partial and
inverts the expired one. In one tree equal P_i = r_i E means equal ranges. For slides of which neither divides the
other the windows of one ACQ hold now more, now fewer partials: ``costmodel.running_aggregates`` counts exactly.
"""

from __future__ import annotations

import numpy as np

from costmodel.base import Need, Technique, WindowGroups
from costmodel.summaries import FloatArray, Summaries, packed_sets

__all__ = ["SLICKDEQUE_INV", "SlickDequeInv"]


class SlickDequeInv(Technique):
    """A running aggregate per distinct number of partials.

    >>> from costmodel.base import TreeStats
    >>> SLICKDEQUE_INV(TreeStats.of(edge_rate=0.5, windows=[(6, 2), (6, 3), (8, 4)]))
    4.0
    """

    name = "slickdeque_inv"
    formula = "2 |distinct P_i|, P_i = r_i E"
    capability = "an invertible aggregate: count, sum, avg"
    serves = frozenset({Need.INVERTIBLE})
    width = 2

    def summarise(self, windows: WindowGroups, *, coarse: bool = False) -> Summaries:
        """The set of ranges: those of one group only as a number, the others as bits.

        Coarse summaries count the ranges of each group as if no other group had them: an upper bound.
        """
        distinct, place = np.unique(windows.ranges, return_inverse=True)
        pairs = np.sort(windows.group * np.int64(len(distinct)) + place)
        pairs = pairs[np.flatnonzero(np.diff(pairs, prepend=-1))]
        group, place = np.divmod(pairs, max(len(distinct), 1))
        shared = np.bincount(place, minlength=len(distinct)) > (windows.count if coarse else 1)
        common = shared[place]
        lone = np.bincount(group[~common], minlength=windows.count).astype(np.float64)
        number = np.cumsum(shared) - 1
        return Summaries(
            (lone, packed_sets(number[place[common]], group[common], windows.count)), (np.add, np.bitwise_or)
        )

    def joining(self, window: WindowGroups, *, same_range: bool) -> Summaries:
        """A range that is there already needs no running aggregate more."""
        found = self.summarise(window, coarse=True)
        lone, common = found.columns
        return Summaries((np.zeros_like(lone) if same_range else lone, common), found.combine)

    def per_edge(self, trees: Summaries, edge_rates: FloatArray) -> FloatArray:
        """The same at any edge rate."""
        lone, common = trees.columns
        distinct: FloatArray = lone + np.bitwise_count(common).sum(axis=1)
        return 2.0 * distinct


SLICKDEQUE_INV = SlickDequeInv()
