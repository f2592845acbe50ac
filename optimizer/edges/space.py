"""Edge spaces: the edges of many trees as rows of masks, so that a tree is merged with all others in one pass.

| module | a mask is | exact |
|---|---|---|
| ``lattice_space`` | cells of the lattice | always, where the cells are few enough |
| ``subset_space`` | a set of atoms, whose unions are all counted by F1 | always, for a dozen atoms |
| ``bitset_space`` | every position of the composite slide | always, where it is short: the oracle |

An atom is what a tree is made of: the edges of ACQs (r, s) with equal edges, ``0 mod m`` and ``offset mod m``.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from costmodel.summaries import FloatArray, IntArray
from optimizer.edges.classes import PartialsRule, ResidueClass

__all__ = ["Atoms", "EdgeSpace", "atom_of"]


@dataclass(frozen=True, slots=True)
class Atoms:
    """The edges of each atom: multiples of its modulus, and the same shifted by its offset."""

    modulus: IntArray
    offset: IntArray

    def __len__(self) -> int:
        return len(self.modulus)

    @property
    def rates(self) -> FloatArray:
        """Each atom's own edge rate."""
        rates: FloatArray = (1 + (self.offset > 0)) / self.modulus
        return rates

    @property
    def unit(self) -> int:
        """The longest length of which all edges are multiples."""
        return math.gcd(int(np.gcd.reduce(self.modulus)), int(np.gcd.reduce(self.offset)))

    def classes(self, atom: int) -> tuple[ResidueClass, ...]:
        """The residue classes of an atom."""
        modulus, offset = int(self.modulus[atom]), int(self.offset[atom])
        return tuple(ResidueClass(modulus=modulus, residue=r) for r in dict.fromkeys((0, offset)))

    def all_classes(self) -> Iterator[ResidueClass]:
        """Those of all atoms, as often as they occur."""
        for atom in range(len(self)):
            yield from self.classes(atom)

    def take(self, rows: IntArray | slice) -> Atoms:
        """Those atoms."""
        return Atoms(self.modulus[rows], self.offset[rows])

    def scaled(self, unit: int) -> Atoms:
        """The same in a longer unit."""
        return Atoms(self.modulus // unit, self.offset // unit)


def atom_of(ranges: IntArray, slides: IntArray, partials: PartialsRule) -> Atoms:
    """The edges that a partials rule cuts for each window (doc 001 2.1, rows I-01..I-03).

    >>> found = atom_of(np.array([8, 10]), np.array([5, 5]), "pairs")
    >>> found.modulus.tolist(), found.offset.tolist()
    ([5, 5], [3, 0])
    """
    match partials:
        case "pairs":
            return Atoms(slides, ranges % slides)
        case "panes":
            return Atoms(np.gcd(ranges, slides), np.zeros_like(slides))
        case "cutty":
            return Atoms(slides, np.zeros_like(slides))


class EdgeSpace(ABC):
    """Masks of atoms; trees are ORs of them."""

    masks: NDArray[Any]
    """A row for each atom."""
    length: int | None
    """The composite slide, of which a rate times it is a whole number; None where that would not be exact."""

    @abstractmethod
    def rates(self, masks: NDArray[Any]) -> FloatArray:
        """The edge rate of each row."""

    def union(self, rows: IntArray) -> NDArray[Any]:
        """The mask, as a single row, of these atoms together."""
        found: NDArray[Any] = np.bitwise_or.reduce(self.masks[rows], axis=0, keepdims=True)
        return found

    def rate(self, rows: IntArray) -> float:
        """The edge rate of these atoms together."""
        return float(self.rates(self.union(rows))[0])
