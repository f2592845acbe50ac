"""Omega of DABA: five operations a range, amortised (doc 001 2.2, Fig. 9, Table 2; row I-11)."""

from __future__ import annotations

from costmodel.omega.queues import Queue

__all__ = ["DABA", "Daba"]


class Daba(Queue):
    """Two stacks of which a little is flipped at every step.

    >>> from costmodel.base import TreeStats
    >>> DABA(TreeStats.of(edge_rate=0.5, windows=[(6, 2), (6, 3)]))
    5.0
    """

    name = "daba"
    formula = "5 |distinct r_i|"
    operations = 5.0


DABA = Daba()
