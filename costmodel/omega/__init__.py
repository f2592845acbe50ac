"""Omega per technique: one formula per file, and the tuple of them all in the order in which they are shown.

| module | technique | formula |
|---|---|---|
| ``panes`` | iterate over all partials of a window | doc 000 Eq. 2, doc 001 Eq. 3 |
| ``panes_inv`` | a running aggregate per query, for what can be inverted | doc 001 Table 2 |
| ``flatfat`` | a binary tree over the partials | doc 001 Eq. 4 |
| ``b_int`` | dyadic intervals on levels | doc 004 3.1.1 |
| ``flatfit`` | partials with skipping pointers | doc 001 Eq. 5 |
| ``queues`` | what the two queues for windows of one range have in common | |
| ``two_stacks``, ``daba`` | queues of two stacks | doc 001 Table 2 |
| ``slickdeque_inv`` | running aggregates, for what can be inverted | doc 001 Eq. 6 |
| ``slickdeque_noninv`` | a monotonic deque, for what is selected; and its harmonic correction | doc 001 Eq. 7 |
| ``l_int`` | landmark intervals | doc 004 3.1.2 |
| ``r_int`` | prefixes, for what can be inverted | doc 004 3.2 |
| ``cheapest`` | the best of them for each kind of aggregate | |
"""

from __future__ import annotations

from costmodel.base import Technique
from costmodel.omega.b_int import B_INT
from costmodel.omega.cheapest import Cheapest
from costmodel.omega.daba import DABA
from costmodel.omega.flatfat import FLATFAT
from costmodel.omega.flatfit import FLATFIT
from costmodel.omega.l_int import L_INT
from costmodel.omega.panes import PANES
from costmodel.omega.panes_inv import PANES_INV
from costmodel.omega.r_int import R_INT
from costmodel.omega.slickdeque_inv import SLICKDEQUE_INV
from costmodel.omega.slickdeque_noninv import SLICKDEQUE_NONINV, SLICKDEQUE_NONINV_HARMONIC
from costmodel.omega.two_stacks import TWO_STACKS

__all__ = [
    "AUTO", "B_INT", "DABA", "FLATFAT", "FLATFIT", "L_INT", "PANES", "PANES_INV", "R_INT", "SLICKDEQUE_INV",
    "SLICKDEQUE_NONINV", "SLICKDEQUE_NONINV_HARMONIC", "TECHNIQUES", "TWO_STACKS", "find_technique",
]  # fmt: skip

TECHNIQUES: tuple[Technique, ...] = (
    PANES, FLATFAT, FLATFIT, SLICKDEQUE_INV, SLICKDEQUE_NONINV, SLICKDEQUE_NONINV_HARMONIC,
    PANES_INV, B_INT, TWO_STACKS, DABA, L_INT, R_INT,
)  # fmt: skip
AUTO = Cheapest((PANES, FLATFAT, FLATFIT, SLICKDEQUE_INV, SLICKDEQUE_NONINV))
"""What ``auto`` stands for: the papers' five formulas."""


def find_technique(name: str) -> Technique | None:
    """The technique of that name.

    >>> find_technique("panes").formula
    'sum r_i / s_i'
    """
    return next((t for t in (*TECHNIQUES, AUTO) if t.name == name), None)
