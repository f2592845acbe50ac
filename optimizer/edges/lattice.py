"""The lattice: all positions of a composite slide in cells that no class tells apart, whatever its length.

Whether x is in a class of modulus ``p^a q^b`` depends on x modulo p^a and modulo q^b, independently. For each prime
the conditions ``x = c (mod p^k)`` of all classes are nested, and split the residues into few cells: those inside a
condition and outside of the finer ones. Without offsets there is one cell for each power, and the cells of all
primes together are the divisors of the composite slide. A tree is a set of cells: merging two trees is OR, and
its edges are the sum of the cells' weights, exactly.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from sympy import factorint  # type: ignore[import-untyped]

from optimizer.edges.classes import ResidueClass

__all__ = ["MAX_EXACT", "Lattice", "factors"]

MAX_EXACT = 2**53
"""Integers below it are exact as floating-point numbers, and so are sums of them that stay below it."""
MAX_FACTORED = 2**48
"""Larger moduli are not factored: some would take seconds."""

Condition = tuple[int, int]
"""A power k and a residue modulo p^k."""


@lru_cache(maxsize=65_536)
def factors(modulus: int) -> tuple[tuple[int, int], ...]:
    """Primes and their powers.

    >>> factors(40)
    ((2, 3), (5, 1))
    """
    return tuple(sorted(factorint(modulus).items()))


@dataclass(frozen=True, slots=True)
class _Prime:
    """The cells of one prime: their weights out of p^e, and which of them meet each condition."""

    weights: list[int]
    within: dict[Condition, NDArray[np.bool_]]


class Lattice:
    """Cells of the classes' composite slide.

    >>> cells = Lattice.of([ResidueClass(modulus=4, residue=0), ResidueClass(modulus=6, residue=0)])
    >>> cells.length, cells.size
    (12, 6)
    """

    def __init__(self, length: int, weights: list[list[int]], primes: dict[int, _Prime]) -> None:
        self.length = length
        """The composite slide."""
        self.size = math.prod(len(w) for w in weights)
        self._primes = primes
        places = np.unravel_index(np.arange(self.size), [len(w) for w in weights]) if weights else ()
        self._place = dict(zip(primes, places, strict=True))
        whole = length < MAX_EXACT
        product = np.ones(self.size, dtype=np.float64 if whole else object)
        for prime_weights, place in zip(weights, places, strict=True):
            product = product * np.array(prime_weights, dtype=product.dtype)[place]
        self.weights = product if whole else (product / length).astype(np.float64)
        """Positions in each cell; as fractions of the whole where their number is too large to be exact."""
        self.equal = bool((self.weights == self.weights[0]).all())
        """Whether all cells weigh the same, so that they can be counted as bits."""
        self.whole = float(length) if whole else 1.0
        """What the weights add up to."""

    @classmethod
    def of(cls, classes: Iterable[ResidueClass], *, max_size: int = 2**17) -> Lattice | None:
        """The cells that these classes need, or None when they would be more than ``max_size``."""
        conditions: dict[int, set[Condition]] = {}
        trees: dict[int, _Prime] = {}
        size = 1
        for number, each in enumerate(classes, start=1):
            if each.modulus > MAX_FACTORED:
                return None
            for prime, power in factors(each.modulus):
                conditions.setdefault(prime, set()).add((power, each.residue % prime**power))
            # Unrelated slides pass any size soon: it is not worth reading all of them.
            if number % 64 == 0 and _least_size(conditions) > max_size:
                return None
        if _least_size(conditions) > max_size:
            return None
        length = 1
        for prime in sorted(conditions):
            exponent = max(power for power, _ in conditions[prime])
            trees[prime] = _cells(prime, exponent, conditions[prime])
            size *= len(trees[prime].weights)
            length *= prime**exponent
            if size > max_size:
                return None
        return cls(length, [tree.weights for tree in trees.values()], trees)

    def members(self, each: ResidueClass) -> NDArray[np.bool_]:
        """The cells of a class."""
        found = np.ones(self.size, dtype=np.bool_)
        for prime, power in factors(each.modulus):
            condition = (power, each.residue % prime**power)
            found &= self._primes[prime].within[condition][self._place[prime]]
        return found

    def count(self, classes: Sequence[ResidueClass]) -> int | None:
        """Edges in the composite slide; None where it is too long for exact numbers."""
        if self.whole == 1.0 and self.length > 1:
            return None
        marked = np.zeros(self.size, dtype=np.bool_)
        for each in classes:
            marked |= self.members(each)
        return int(self.weights[marked].sum())


def _least_size(conditions: dict[int, set[Condition]]) -> int:
    """Each power of a prime has a cell at the least, and there is one outside of all."""
    return math.prod(1 + len({power for power, _ in found}) for found in conditions.values())


def _cells(prime: int, exponent: int, conditions: set[Condition]) -> _Prime:
    """Split the residues modulo p^e by the conditions that they meet."""
    nested = sorted(conditions | {(0, 0)})
    weight = {condition: prime ** (exponent - condition[0]) for condition in nested}
    parent: dict[Condition, Condition] = {}
    for power, residue in reversed(nested):
        for above in range(power - 1, -1, -1):
            outer = (above, residue % prime**above)
            if outer in weight:
                parent[power, residue] = outer
                break
    for condition in nested[1:]:
        weight[parent[condition]] -= prime ** (exponent - condition[0])
    kept = [condition for condition in nested if weight[condition]]
    within = {
        (power, residue): np.array([p >= power and r % prime**power == residue for p, r in kept])
        for power, residue in conditions
    }
    return _Prime(weights=[weight[condition] for condition in kept], within=within)
