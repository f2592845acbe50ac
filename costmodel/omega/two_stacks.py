"""Omega of TwoStacks: three operations a range, amortised (doc 001 2.2, Fig. 8, Table 2; row I-10)."""

from __future__ import annotations

from costmodel.omega.queues import Queue

__all__ = ["TWO_STACKS", "TwoStacks"]


class TwoStacks(Queue):
    """A queue made of two stacks.

    >>> from costmodel.base import TreeStats
    >>> TWO_STACKS(TreeStats.of(edge_rate=0.5, windows=[(6, 2), (6, 3)]))
    3.0
    """

    name = "two_stacks"
    formula = "3 |distinct r_i|"
    operations = 3.0


TWO_STACKS = TwoStacks()
