"""F1 for every union of a few atoms at once, whatever their composite slide (doc 001 Eq. 2, X-03; I-18, I-19).

The density of each intersection is found by the Chinese remainder theorem, one atom more at a time. The density of
the union of a set of atoms is the signed sum over its subsets: for all sets together that is one pass per atom.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from costmodel.summaries import FloatArray
from optimizer.edges.classes import ResidueClass
from optimizer.edges.f1 import intersect
from optimizer.edges.space import Atoms, EdgeSpace

__all__ = ["MAX_TERMS", "SubsetSpace"]

MAX_TERMS = 2**17
"""The most intersections that are looked at."""


class SubsetSpace(EdgeSpace):
    """A mask is a set of atoms, and its rate is looked up.

    >>> space = SubsetSpace.of(Atoms(np.array([5, 4]), np.array([3, 1])))
    >>> space.rate(np.array([0, 1]))
    0.7
    """

    def __init__(self, atoms: Atoms) -> None:
        count = len(atoms)
        common = math.lcm(*atoms.modulus.tolist())
        signed = np.zeros(2**count, dtype=object)
        pending: list[tuple[int, int, int, ResidueClass]] = [(0, 0, -1, ResidueClass(modulus=1, residue=0))]
        while pending:
            first, subset, sign, shared = pending.pop()
            for atom in range(first, count):
                for each in atoms.classes(atom):
                    narrower = intersect(shared, each)
                    if narrower is not None:
                        wider = subset | 1 << atom
                        signed[wider] -= sign * (common // narrower.modulus)
                        pending.append((atom + 1, wider, -sign, narrower))
        for atom in range(count):
            halves = signed.reshape(-1, 2, 1 << atom)
            halves[:, 1] += halves[:, 0]
        self._rates: FloatArray = np.array([edges / common for edges in signed], dtype=np.float64)
        self.masks = (1 << np.arange(count, dtype=np.int64))[:, None]
        self.length = common

    @classmethod
    def of(cls, atoms: Atoms) -> SubsetSpace | None:
        """The space of these atoms, or None when they are too many."""
        if math.prod((2 + (atoms.offset > 0)).tolist()) > MAX_TERMS:
            return None
        return cls(atoms)

    def rates(self, masks: NDArray[Any]) -> FloatArray:
        """Looked up."""
        rates: FloatArray = self._rates[masks[:, 0]]
        return rates
