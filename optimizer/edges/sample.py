"""The density of a union of hundreds of unrelated classes, by sampling, with a bound on its error.

A position is drawn uniformly from the composite slide without ever forming it: its residues modulo the powers of the
primes are independent. Where the union is sparse, the position is drawn from a class chosen by its density and
counts for the inverse of the number of classes that hold it (Karp and Luby's estimator), which is exact where
classes do not meet. The error is an empirical Bernstein bound (Maurer and Pontil) that fails with a probability of
10^-9; the draws are seeded, so that the same classes always give the same estimate.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from costmodel.summaries import IntArray
from optimizer.edges.classes import ResidueClass
from optimizer.edges.lattice import factors

__all__ = ["DRAWS", "sampled_density"]

DRAWS = 2**14
MAX_MODULUS = 2**24
"""Sparser classes are not drawn from: what they may add is added to the error."""
RISK = 1e-9


def sampled_density(classes: Sequence[ResidueClass], *, draws: int = DRAWS) -> tuple[float, float]:
    """A lower and an upper bound of the density of the union, each certain but for the risk.

    >>> low, high = sampled_density([ResidueClass(modulus=m, residue=0) for m in (101, 103, 107)])
    >>> truth = 1 - (100 / 101) * (102 / 103) * (106 / 107)
    >>> low < truth < high, high - low < 0.0005
    (True, True)
    """
    drawn = [c for c in classes if c.modulus <= MAX_MODULUS]
    rest = math.fsum(1 / c.modulus for c in classes if c.modulus > MAX_MODULUS)
    if not drawn:
        return max(1 / c.modulus for c in classes), min(rest, 1.0)
    densities = np.array([1 / c.modulus for c in drawn])
    total = float(densities.sum())
    position = _Positions(drawn, draws)
    if total > 1:
        held = position.held(drawn)
        low, high = _bounds((held > 0).astype(np.float64), 1.0)
    else:
        position.put_into(drawn, position.random.choice(len(drawn), size=draws, p=densities / total))
        low, high = _bounds(total / position.held(drawn), total)
    return max(low, float(densities.max())), min(high + rest, 1.0)


class _Positions:
    """Random positions of a composite slide, by their residues modulo the power of each prime."""

    def __init__(self, classes: Sequence[ResidueClass], draws: int) -> None:
        self.random = np.random.default_rng(len(classes))
        self._draws = draws
        powers: dict[int, int] = {}
        for each in classes:
            for prime, power in factors(each.modulus):
                powers[prime] = max(power, powers.get(prime, 0))
        self._residues = {
            prime: self.random.integers(0, prime**power, size=draws)
            for prime, power in sorted(powers.items())
        }

    def put_into(self, classes: Sequence[ResidueClass], chosen: IntArray) -> None:
        """Move each position into the class that is chosen for it."""
        order = np.argsort(chosen, kind="stable")
        starts = np.flatnonzero(np.diff(chosen[order], prepend=-1))
        for rows in np.split(order, starts[1:]):
            each = classes[int(chosen[rows[0]])]
            for prime, power in factors(each.modulus):
                step = prime**power
                own = self._residues[prime]
                own[rows] += each.residue % step - own[rows] % step

    def held(self, classes: Sequence[ResidueClass]) -> IntArray:
        """How many classes hold each position."""
        count = np.zeros(self._draws, dtype=np.int64)
        reduced: dict[int, IntArray] = {}
        for each in classes:
            inside = np.ones(self._draws, dtype=np.bool_)
            for prime, power in factors(each.modulus):
                step = prime**power
                if step not in reduced:
                    reduced[step] = self._residues[prime] % step
                inside &= reduced[step] == each.residue % step
            count += inside
        return count


def _bounds(values: np.ndarray[tuple[int, ...], np.dtype[np.float64]], largest: float) -> tuple[float, float]:
    n = len(values)
    risk = math.log(2 / RISK)
    error = math.sqrt(2 * float(values.var(ddof=1)) * risk / n) + 7 * largest * risk / (3 * (n - 1))
    mean = float(values.mean())
    return mean - error, mean + error
