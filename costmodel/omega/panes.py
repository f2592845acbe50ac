"""Omega of Panes: the overlap factor (doc 000 Eq. 2, doc 001 Eq. 3, rows T-12 and I-24).

A fragment is used once by each window that it belongs to, and a tuple of an ACQ (r, s) is in r/s windows. The
formula counts only windows that are due (X-05), and is an estimate where s does not divide r (X-04).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from costmodel.base import TreeStats

__all__ = ["PANES", "Panes"]


@dataclass(frozen=True, slots=True)
class Panes:
    """Every window combines all its partials anew."""

    name: str = "panes"
    formula: str = "sum r_i / s_i"

    def __call__(self, tree: TreeStats) -> float:
        """Operations per edge.

        >>> PANES(TreeStats.of(edge_rate=0.5, windows=[(6, 2), (8, 4)]))
        5.0
        """
        return math.fsum(r / s for r, s in tree.windows)


PANES = Panes()
