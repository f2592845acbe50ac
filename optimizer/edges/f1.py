"""Formula F1 with offsets: the density of a union of residue classes (doc 001 Eq. 2, X-03, I-18, I-19).

Inclusion-exclusion over subsets of classes, where the intersection of two classes is empty or, by the Chinese
remainder theorem, one class modulo the LCM. Expanded one class at a time with equal terms merged, the number
of terms is bounded by the distinct intersections, not by 2^n.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

from optimizer.edges.classes import ResidueClass

__all__ = ["f1_density", "intersect"]

MAX_TERMS = 4_096


def intersect(one: ResidueClass, two: ResidueClass) -> ResidueClass | None:
    """The common members, None when there are none.

    >>> intersect(ResidueClass(modulus=5, residue=3), ResidueClass(modulus=4, residue=1))
    ResidueClass(modulus=20, residue=13)
    """
    found = _crt(one.modulus, one.residue, two.modulus, two.residue)
    return ResidueClass(modulus=found[0], residue=found[1]) if found else None


def f1_density(classes: Sequence[ResidueClass], *, max_terms: int = MAX_TERMS) -> Fraction | None:
    """Members of the union per integer, exactly; None when more than ``max_terms`` terms would be needed.

    >>> f1_density([ResidueClass(modulus=m, residue=0) for m in (3, 5, 7)])
    Fraction(19, 35)
    """
    terms: dict[tuple[int, int], int] = {}
    for each in classes:
        grown = dict(terms)
        for (modulus, residue), sign in terms.items():
            common = _crt(modulus, residue, each.modulus, each.residue)
            if common is not None:
                grown[common] = grown.get(common, 0) - sign
        key = (each.modulus, each.residue)
        grown[key] = grown.get(key, 0) + 1
        terms = {term: sign for term, sign in grown.items() if sign}
        if len(terms) > max_terms:
            return None
    by_modulus: dict[int, int] = {}
    for (modulus, _), sign in terms.items():
        by_modulus[modulus] = by_modulus.get(modulus, 0) + sign
    whole = math.lcm(*by_modulus)
    return Fraction(sum(sign * (whole // modulus) for modulus, sign in by_modulus.items()), whole)


def _crt(m: int, a: int, n: int, b: int) -> tuple[int, int] | None:
    """Modulus and residue of what is ``a`` modulo ``m`` and ``b`` modulo ``n``."""
    common = math.gcd(m, n)
    if (b - a) % common:
        return None
    step = n // common
    return m * step, a + m * ((b - a) // common * pow(m // common, -1, step) % step)
