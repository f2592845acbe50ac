"""Bit Set: mark every edge in one composite slide and count (doc 001 3.1, row I-17): the oracle."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from costmodel.summaries import IntArray
from optimizer.edges.classes import ResidueClass

__all__ = ["bitset_count", "mark"]


def bitset_count(classes: Iterable[ResidueClass]) -> tuple[int, int]:
    """Edges in a composite slide, and its length: the LCM of the moduli.

    >>> bitset_count([ResidueClass(modulus=2, residue=0), ResidueClass(modulus=3, residue=0)])
    (4, 6)
    """
    given = list(classes)
    length = math.lcm(*(c.modulus for c in given))
    moduli = np.array([c.modulus for c in given], dtype=np.int64)
    return mark(length, moduli, np.array([c.residue for c in given], dtype=np.int64)), length


def mark(length: int, moduli: IntArray, residues: IntArray) -> int:
    """How many positions below a multiple of all moduli are in one of the classes.

    >>> mark(12, np.array([3, 4]), np.array([0, 1]))
    6
    """
    marks = np.zeros(length, dtype=np.bool_)
    order = np.argsort(moduli, kind="stable")
    distinct, starts = np.unique(moduli[order], return_index=True)
    parts = np.split(residues[order], starts[1:]) if len(distinct) else []
    for modulus, own in zip(distinct.tolist(), parts, strict=True):
        marks.reshape(-1, modulus)[:, own] = True
    return int(np.count_nonzero(marks))
