"""Edge rates of merged trees estimated from overlaps, where no exact space is small enough.

What two atoms have in common is known exactly: residue classes meet in one class modulo the LCM, or not at all. A
merged tree has at least as much in common with a third one as either of its parts, and without offsets at least as much
as if they were independent; the larger is taken. So edge rates are rather over- than underestimated, and a merge that
seems to gain does. With few trees each merge is counted before it is made.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from costmodel.summaries import FloatArray, IntArray
from optimizer.edges.count import count_atoms
from optimizer.edges.space import Atoms

__all__ = ["OverlapEdges", "Progressions"]

CHECKED = 200
"""Trees up to which each merge is counted, while the merged one has few atoms."""
CHECKED_ATOMS = 12


@dataclass(frozen=True, slots=True)
class Progressions:
    """Trees that are multiples of one modulus and the same shifted by some offsets.

    ``residues`` counts them, the multiples included; ``offset`` is the only one of a single atom, else -1.
    """

    modulus: IntArray
    offset: IntArray
    residues: IntArray

    @classmethod
    def of(cls, atoms: Atoms) -> Progressions:
        """Atoms as they are."""
        return cls(atoms.modulus, atoms.offset, 1 + (atoms.offset > 0).astype(np.int64))

    @property
    def rates(self) -> FloatArray:
        """Each tree's own edge rate."""
        rates: FloatArray = self.residues / self.modulus
        return rates

    def take(self, rows: IntArray | slice) -> Progressions:
        """Those trees."""
        return Progressions(self.modulus[rows], self.offset[rows].copy(), self.residues[rows].copy())

    def joined(self, others: Progressions) -> Progressions:
        """Each with the other one in its row, of the same modulus and with other offsets."""
        return Progressions(self.modulus, np.full_like(self.offset, -1), self.residues + others.residues - 1)

    def overlaps(self, row: int) -> FloatArray:
        """What the edges of one tree have in common with those of each: exact for atoms, else expected.

        >>> trees = Progressions.of(Atoms(np.array([5, 4]), np.array([3, 1])))
        >>> trees.overlaps(0).tolist()
        [0.4, 0.2]
        """
        common = np.gcd(self.modulus, self.modulus[row])
        least = self.modulus / common * float(self.modulus[row])
        own = self.offset[row]
        second = self.offset > 0
        # Two classes meet where their residues agree modulo what the moduli have in common.
        met = 1.0 + (second & (self.offset % common == 0))
        if own > 0:
            met += (own % common == 0) + (second & ((self.offset - own) % common == 0)).astype(np.float64)
        several = (self.offset < 0) | (own < 0)
        expected = 1 + (self.residues * float(self.residues[row]) - 1) / common
        same = self.modulus == self.modulus[row]
        met = np.where(several, np.where(same, 1.0, expected), met)
        found: FloatArray = np.minimum(met / least, np.minimum(self.rates, self.rates[row]))
        return found


class OverlapEdges:
    """Edge rates, and what each pair of trees has in common."""

    def __init__(
        self,
        rates: FloatArray,
        overlap: NDArray[np.float32],
        atoms: Atoms,
        members: Sequence[list[int]],
    ) -> None:
        self.rates = rates
        self._overlap = overlap
        self._atoms = atoms
        self._members = members
        self._counts: dict[tuple[int, int], float] = {}

    @classmethod
    def of(cls, trees: Progressions, atoms: Atoms, members: Sequence[list[int]]) -> OverlapEdges:
        """The overlaps of all pairs."""
        count = len(trees.modulus)
        overlap = np.empty((count, count), dtype=np.float32)
        for row in range(count):
            overlap[row] = trees.overlaps(row)
        return cls(trees.rates, overlap, atoms, members)

    def with_row(self, row: int) -> FloatArray:
        """Both rates without what is common."""
        merged = self.rates + self.rates[row] - self._overlap[row]
        least: FloatArray = np.maximum(merged, np.maximum(self.rates, self.rates[row]))
        return least

    def counted(self, row: int, other: int) -> float | None:
        """Counted where there are few trees."""
        atoms = np.array(sorted([*self._members[row], *self._members[other]]))
        if len(self.rates) > CHECKED or len(atoms) > CHECKED_ATOMS:
            return None
        rate = count_atoms(self._atoms.take(atoms)).edge_rate
        self._counts = {(row, other): rate}
        return rate

    def merge(self, row: int, other: int) -> None:
        """The merged rate, and the overlaps that it has at the least."""
        rate = self._counts.get((row, other), float(self.with_row(row)[other]))
        met = np.maximum(np.maximum(self._overlap[row], self._overlap[other]), self.rates * rate)
        self._overlap[row] = self._overlap[:, row] = np.minimum(met, np.minimum(self.rates, rate))
        self.rates[row] = rate

    def matched(self, left: IntArray, right: IntArray, keep: IntArray) -> OverlapEdges:
        """The trees with pairs merged, all at once; ``keep`` are the rows that are left."""
        overlap = self._overlap
        merged = self.rates[left] + self.rates[right] - overlap[left, right]
        rates = self.rates.copy()
        rates[left] = np.maximum(merged, np.maximum(rates[left], rates[right]))
        overlap[left] = np.maximum(overlap[left], overlap[right])
        overlap[:, left] = np.maximum(overlap[:, left], overlap[:, right])
        single = rates.astype(np.float32)
        overlap[left] = np.maximum(overlap[left], np.outer(single[left], single))
        overlap[:, left] = overlap[left].T
        kept = np.ascontiguousarray(overlap[np.ix_(keep, keep)])
        members = [self._members[row] for row in keep.tolist()]
        return OverlapEdges(rates[keep], kept, self._atoms, members)
