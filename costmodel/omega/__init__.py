"""Omega per technique: one formula per file, and the tuple of them all in the order in which they are shown.

| module | technique | formula |
|---|---|---|
| ``panes`` | iterate over all partials of a window | doc 000 Eq. 2, doc 001 Eq. 3 |
"""

from __future__ import annotations

from costmodel.base import Omega
from costmodel.omega.panes import PANES

__all__ = ["PANES", "TECHNIQUES", "find_technique"]

TECHNIQUES: tuple[Omega, ...] = (PANES,)


def find_technique(name: str) -> Omega | None:
    """The technique of that name.

    >>> find_technique("panes").formula
    'sum r_i / s_i'
    """
    return next((t for t in TECHNIQUES if t.name == name), None)
