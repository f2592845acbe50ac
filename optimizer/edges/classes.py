"""Residue classes: where a window's edges lie (doc 000 II-B, rows T-04, I-01..I-03; X-01).

The edges of an ACQ (r, s) with start-aligned windows are those x with ``x = residue (mod modulus)`` for one
or two classes. A tree's edges are the union of its members' classes.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from optimizer.model.window import Window

__all__ = ["PartialsRule", "ResidueClass", "classes_of", "reduce_classes"]

PartialsRule = Literal["pairs", "panes", "cutty"]


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class ResidueClass:
    """All integers that leave ``residue`` when divided by ``modulus``."""

    modulus: int
    residue: int

    def __post_init__(self) -> None:
        if not 0 <= self.residue < self.modulus:
            raise ValueError(f"residue {self.residue} is not in [0, {self.modulus})")

    def contains(self, other: ResidueClass) -> bool:
        """Whether every member of the other class is a member of this one."""
        return other.modulus % self.modulus == 0 and other.residue % self.modulus == self.residue


def classes_of(window: Window, *, partials: PartialsRule) -> tuple[ResidueClass, ...]:
    """The edges that the partials rule cuts for a window.

    >>> [(c.residue, c.modulus) for c in classes_of(Window(range=8000, slide=5000), partials="pairs")]
    [(0, 5000), (3000, 5000)]
    """
    match partials:
        case "pairs":
            residues = dict.fromkeys((0, window.range % window.slide))
            return tuple(ResidueClass(modulus=window.slide, residue=r) for r in residues)
        case "panes":
            return (ResidueClass(modulus=math.gcd(window.range, window.slide), residue=0),)
        case "cutty":
            return (ResidueClass(modulus=window.slide, residue=0),)


def reduce_classes(classes: Iterable[ResidueClass]) -> tuple[ResidueClass, ...]:
    """The classes without those that lie inside another: the same edges, fewer terms.

    >>> two, four = ResidueClass(modulus=2, residue=0), ResidueClass(modulus=4, residue=2)
    >>> reduce_classes([four, two]) == (two,)
    True
    """
    residues: defaultdict[int, set[int]] = defaultdict(set)
    for each in classes:
        residues[each.modulus].add(each.residue)
    moduli = sorted(residues)
    known = np.array(moduli, dtype=np.int64)
    for position, modulus in enumerate(moduli):
        # A divisor is at most half as large; all of them are found in one pass, there may be ten thousand.
        smaller = known[: np.searchsorted(known[:position], modulus // 2, side="right")]
        for divisor in smaller[modulus % smaller == 0].tolist():
            covering = residues[divisor]
            residues[modulus] = {r for r in residues[modulus] if r % divisor not in covering}
    return tuple(ResidueClass(modulus=m, residue=r) for m in moduli for r in sorted(residues[m]))
