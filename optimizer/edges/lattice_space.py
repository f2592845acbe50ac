"""The lattice as an edge space: a mask is the set of cells that a tree's edges fill."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from costmodel.summaries import FloatArray
from optimizer.edges.bitset_space import pack_bits
from optimizer.edges.lattice import Lattice
from optimizer.edges.space import Atoms, EdgeSpace

__all__ = ["LatticeSpace"]

MAX_WEIGHTED = 2e9
MAX_EQUAL = 4e10
"""Cells times atoms squared, which greedy merging takes time in proportion to; bits are counted faster."""


class LatticeSpace(EdgeSpace):
    """Cells with weights, or with one weight for all, which are then counted as bits.

    >>> space = LatticeSpace.of(Atoms(np.array([5, 4]), np.array([3, 1])))
    >>> space.rate(np.array([0, 1]))
    0.7
    """

    def __init__(self, lattice: Lattice, atoms: Atoms, unit: int) -> None:
        rows = np.zeros((len(atoms), lattice.size), dtype=np.bool_)
        for atom in range(len(atoms)):
            for each in atoms.classes(atom):
                rows[atom] |= lattice.members(each)
        self._weights = lattice.weights
        self._whole = lattice.whole * unit
        self._equal = lattice.equal
        self.masks = pack_bits(rows) if self._equal else rows
        self.length = lattice.length * unit if lattice.whole > 1 or lattice.length == 1 else None

    @classmethod
    def of(cls, atoms: Atoms) -> LatticeSpace | None:
        """The space of these atoms, or None when it would have too many cells to be fast."""
        unit = atoms.unit
        scaled = atoms.scaled(unit)
        limit = int(min(MAX_EQUAL / len(atoms) ** 2, 2**17))
        lattice = Lattice.of(scaled.all_classes(), max_size=limit)
        if lattice is None:
            return None
        if not lattice.equal and lattice.size * len(atoms) ** 2 > MAX_WEIGHTED:
            return None
        return cls(lattice, scaled, unit)

    def rates(self, masks: NDArray[Any]) -> FloatArray:
        """The weights of the filled cells."""
        if self._equal:
            filled: FloatArray = np.bitwise_count(masks).sum(axis=1) * self._weights[0]
            return filled / self._whole
        weighed: FloatArray = masks @ self._weights
        return weighed / self._whole
