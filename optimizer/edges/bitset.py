"""Bit Set: mark every edge in one composite slide and count (doc 001 3.1, row I-17): the oracle."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable

import numpy as np

from optimizer.edges.classes import ResidueClass

__all__ = ["bitset_count"]


def bitset_count(classes: Iterable[ResidueClass]) -> tuple[int, int]:
    """Edges in a composite slide, and its length: the LCM of the moduli.

    >>> bitset_count([ResidueClass(modulus=2, residue=0), ResidueClass(modulus=3, residue=0)])
    (4, 6)
    """
    residues: defaultdict[int, list[int]] = defaultdict(list)
    for each in classes:
        residues[each.modulus].append(each.residue)
    length = math.lcm(*residues)
    marks = np.zeros(length, dtype=np.bool_)
    for modulus, offsets in residues.items():
        marks.reshape(-1, modulus)[:, offsets] = True
    return int(np.count_nonzero(marks)), length
