"""Certified bounds of a density, for unrelated slides that no exact count can take.

The classes of largest density whose LCM stays short are counted exactly. What they cover is a lower bound;
the rest can add at most the sum of its own densities.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable

from optimizer.edges.bitset import bitset_count
from optimizer.edges.classes import ResidueClass

__all__ = ["density_bounds"]

MAX_COUNTED = 2**20
"""The longest composite slide that is counted for a bound."""


def density_bounds(classes: Iterable[ResidueClass], *, longest: int = MAX_COUNTED) -> tuple[float, float]:
    """A lower and an upper bound of the density of the union.

    >>> low, high = density_bounds([ResidueClass(modulus=m, residue=0) for m in (2, 3, 10**9 + 7)])
    >>> low <= 2 / 3 + 1e-9 <= high, high - low < 2e-9
    (True, True)
    """
    residues: defaultdict[int, list[ResidueClass]] = defaultdict(list)
    for each in set(classes):
        residues[each.modulus].append(each)
    chosen: list[ResidueClass] = []
    length, rest = 1, 0.0
    for modulus in sorted(residues, key=lambda m: (-len(residues[m]) / m, m)):
        longer = math.lcm(length, modulus)
        if longer <= longest:
            length = longer
            chosen += residues[modulus]
        else:
            rest += len(residues[modulus]) / modulus
    marked, whole = bitset_count(chosen)
    counted = marked / whole
    # One modulus too long to be counted may cover more than all that were: its classes are disjoint.
    alone = max(len(members) / modulus for modulus, members in residues.items())
    return max(counted, alone), min(1.0, counted + rest)
