"""The cheapest technique for each kind of aggregate in a tree (row I-39).

Sums can be inverted, extremes are selected, variances are neither: each kind takes the technique of lowest Omega
among those that may serve it. A tree's partial is combined as a whole, so that its Omega is that of its dearest
kind; where all take the same technique it is that technique's.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

import numpy as np

from costmodel.base import NEEDS, Need, Technique, TreeStats, WindowGroups
from costmodel.summaries import FloatArray, Summaries

__all__ = ["Cheapest"]


class Cheapest(Technique):
    """The best of several techniques, tree by tree."""

    name = "auto"
    formula = "max over the kinds of aggregates of the least Omega that may serve them"
    capability = "any aggregate"
    serves = frozenset(Need)

    def __init__(self, techniques: Sequence[Technique]) -> None:
        self.techniques = tuple(techniques)

    def choose(self, tree: TreeStats) -> dict[Need, Technique]:
        """The technique of each kind of aggregate in the tree; without a kind that is known, of every kind."""
        return {
            need: min((t for t in self.techniques if need in t.serves), key=lambda t: t(tree))
            for need in sorted(tree.needs)
        } or dict.fromkeys(Need, min(self.techniques, key=lambda t: t(tree)))

    def summarise(self, windows: WindowGroups, *, coarse: bool = False) -> Summaries:
        """All summaries side by side, after the kinds of aggregates."""
        parts = [technique.summarise(windows, coarse=coarse) for technique in self.techniques]
        return reduce(Summaries.beside, parts, _kinds(windows))

    def joining(self, window: WindowGroups, *, same_range: bool) -> Summaries:
        """The same of a window that joins a tree."""
        parts = [technique.joining(window, same_range=same_range) for technique in self.techniques]
        return reduce(Summaries.beside, parts, _kinds(window))

    def per_edge(self, trees: Summaries, edge_rates: FloatArray) -> FloatArray:
        """The dearest kind's least Omega."""
        position = 1
        omegas = []
        for technique in self.techniques:
            own = slice(position, position + technique.width)
            position = own.stop
            omegas.append(technique.per_edge(Summaries(trees.columns[own], trees.combine[own]), edge_rates))
        needs = trees.columns[0]
        total = np.where(needs == 0, np.minimum.reduce(omegas), 0.0)
        for need, bit in NEEDS.items():
            able = [o for o, t in zip(omegas, self.techniques, strict=True) if need in t.serves]
            total = np.where(needs & bit, np.maximum(total, np.minimum.reduce(able)), total)
        return total


def _kinds(windows: WindowGroups) -> Summaries:
    """The bits of all aggregates of each group."""
    needs = np.zeros(windows.count, dtype=np.int64)
    np.bitwise_or.at(needs, windows.group, windows.needs)
    return Summaries((needs,), (np.bitwise_or,))
