"""Omega per technique: one formula per file, and the tuple of them all in the order in which they are shown.

| module | technique | formula |
|---|---|---|
| ``panes`` | iterate over all partials of a window | doc 000 Eq. 2, doc 001 Eq. 3 |
| ``flatfat`` | a binary tree over the partials | doc 001 Eq. 4 |
| ``flatfit`` | partials with skipping pointers | doc 001 Eq. 5 |
| ``slickdeque_inv`` | running aggregates, for what can be inverted | doc 001 Eq. 6 |
| ``slickdeque_noninv`` | a monotonic deque, for what is selected; and its harmonic correction | doc 001 Eq. 7 |
| ``cheapest`` | the best of them for each kind of aggregate | |
"""

from __future__ import annotations

from costmodel.base import Technique
from costmodel.omega.cheapest import Cheapest
from costmodel.omega.flatfat import FLATFAT
from costmodel.omega.flatfit import FLATFIT
from costmodel.omega.panes import PANES
from costmodel.omega.slickdeque_inv import SLICKDEQUE_INV
from costmodel.omega.slickdeque_noninv import SLICKDEQUE_NONINV, SLICKDEQUE_NONINV_HARMONIC

__all__ = [
    "AUTO", "FLATFAT", "FLATFIT", "PANES", "SLICKDEQUE_INV", "SLICKDEQUE_NONINV", "SLICKDEQUE_NONINV_HARMONIC",
    "TECHNIQUES", "find_technique",
]  # fmt: skip

TECHNIQUES: tuple[Technique, ...] = (
    PANES, FLATFAT, FLATFIT, SLICKDEQUE_INV, SLICKDEQUE_NONINV, SLICKDEQUE_NONINV_HARMONIC,
)  # fmt: skip
AUTO = Cheapest((PANES, FLATFAT, FLATFIT, SLICKDEQUE_INV, SLICKDEQUE_NONINV))
"""What ``auto`` stands for: the papers' five formulas."""


def find_technique(name: str) -> Technique | None:
    """The technique of that name.

    >>> find_technique("panes").formula
    'sum r_i / s_i'
    """
    return next((t for t in (*TECHNIQUES, AUTO) if t.name == name), None)
