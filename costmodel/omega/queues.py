"""Omega of the queues that answer windows of one range: TwoStacks and DABA (doc 001 2.2, Table 2; rows I-10, I-11).

TwoStacks takes three operations a partial on the average, and as many as the window holds where it flips; DABA takes
five on the average and never more than eight. Windows of another range are a matter of another queue.
"""

from __future__ import annotations

from typing import ClassVar

from costmodel.base import Need, Technique, WindowGroups
from costmodel.omega.slickdeque_inv import SLICKDEQUE_INV
from costmodel.summaries import FloatArray, Summaries

__all__ = ["Queue"]


class Queue(Technique):
    """A queue per distinct range; jobs run it where a tree has a single range."""

    capability = "any aggregate, windows of one range"
    serves = frozenset(Need)
    multi_query = False
    width = 2
    ranges: ClassVar[Technique] = SLICKDEQUE_INV
    """Whose summaries of ranges these are."""
    operations: ClassVar[float]
    """Per partial, on the average."""

    def summarise(self, windows: WindowGroups, *, coarse: bool = False) -> Summaries:
        """The set of ranges."""
        return self.ranges.summarise(windows, coarse=coarse)

    def joining(self, window: WindowGroups, *, same_range: bool) -> Summaries:
        """A range that is there already needs no queue more."""
        return self.ranges.joining(window, same_range=same_range)

    def per_edge(self, trees: Summaries, edge_rates: FloatArray) -> FloatArray:
        """The same at any edge rate."""
        return self.operations / 2 * self.ranges.per_edge(trees, edge_rates)
