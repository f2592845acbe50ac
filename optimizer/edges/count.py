"""The edge rate of a tree: exact by F1 or the Bit Set, else an interval that is certain (T-06, I-17..I-19).

Classes whose moduli share no prime are independent, so that they are counted apart and what both leave out
is multiplied; hundreds of pairwise coprime slides are exact that way although their composite slide is
astronomic.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from optimizer.edges.bitset import bitset_count
from optimizer.edges.classes import ResidueClass, reduce_classes
from optimizer.edges.estimate import density_bounds
from optimizer.edges.f1 import f1_density

__all__ = ["EdgeCount", "edge_count"]

SHORT = 2**14
"""A composite slide that is marked in no time, whatever the number of classes."""
LONG = 2**25
"""The longest composite slide that is marked at all: 32 MB."""
MAX_MARKS = 2**27
MAX_INTERSECTIONS = 400_000
"""Work bounds of the two exact ways: each stays within a fraction of a second."""
MAX_SPLIT = 2_000
"""Moduli that are searched for independent groups; the search is quadratic."""
MAX_REPORTED = 2**1024


@dataclass(frozen=True, slots=True, kw_only=True)
class EdgeCount:
    """Edges per unit, and per composite slide where both are known exactly.

    ``error`` is None when the rate is exact; otherwise the true rate is within it of ``edge_rate``.
    """

    edge_rate: float
    edges: int | None
    composite_slide: int | None
    error: float | None


def edge_count(classes: Iterable[ResidueClass]) -> EdgeCount:
    """Count the union of residue classes.

    >>> edge_count([ResidueClass(modulus=m, residue=0) for m in (2, 4)])
    EdgeCount(edge_rate=0.5, edges=2, composite_slide=4, error=None)
    """
    given = set(classes)
    if not given:
        return EdgeCount(edge_rate=0.0, edges=0, composite_slide=1, error=None)
    reduced = reduce_classes(given)
    unit = math.gcd(*(c.modulus for c in reduced), *(c.residue for c in reduced))
    scaled = [ResidueClass(modulus=c.modulus // unit, residue=c.residue // unit) for c in reduced]
    groups = _independent(scaled)
    exact = [_exact(group) for group in groups]
    counted = [found for found in exact if found is not None]
    if len(counted) == len(groups):
        return _report(counted, unit, {c.modulus for c in given})
    missed_least = missed_most = 1.0
    for group, found in zip(groups, exact, strict=True):
        low, high = (found[0] / found[1],) * 2 if found else density_bounds(group)
        missed_least, missed_most = missed_least * (1 - high), missed_most * (1 - low)
    low, high = 1 - missed_most, 1 - missed_least
    return EdgeCount(
        edge_rate=(low + high) / 2 / unit, edges=None, composite_slide=None, error=(high - low) / 2 / unit
    )


def _report(counted: list[tuple[int, int]], unit: int, moduli: set[int]) -> EdgeCount:
    """The count over the composite slide: the LCM of all moduli, those of contained classes too."""
    whole = math.prod(length for _, length in counted)
    marked = whole - math.prod(length - edges for edges, length in counted)
    rate = marked / (whole * unit)
    slide = math.lcm(*moduli)
    if slide > MAX_REPORTED:
        return EdgeCount(edge_rate=rate, edges=None, composite_slide=None, error=math.ulp(rate))
    return EdgeCount(
        edge_rate=rate, edges=marked * slide // (whole * unit), composite_slide=slide, error=None
    )


def _exact(group: Sequence[ResidueClass]) -> tuple[int, int] | None:
    """Edges and length of a composite slide, or None where both ways are too long."""
    length, marks = _work(group)
    if length <= SHORT:
        return bitset_count(group)
    density = f1_density(group, max_terms=MAX_INTERSECTIONS // len(group))
    if density is not None:
        return density.numerator, density.denominator
    return bitset_count(group) if length <= LONG and marks <= MAX_MARKS else None


def _work(group: Sequence[ResidueClass]) -> tuple[int, float]:
    """The length of the composite slide, stopped once it is too long, and how many marks it would take."""
    length = 1
    for modulus in {c.modulus for c in group}:
        length = math.lcm(length, modulus)
        if length > LONG:
            return length, math.inf
    return length, sum(length / c.modulus for c in group)


def _independent(classes: Sequence[ResidueClass]) -> list[list[ResidueClass]]:
    """The classes in groups whose moduli have no common divisor with those of another group."""
    waiting = np.array(sorted({c.modulus for c in classes}), dtype=np.int64)
    if len(waiting) > MAX_SPLIT:
        return [list(classes)]
    group_of: dict[int, int] = {}
    for number in range(len(waiting)):
        if not len(waiting):
            break
        pending, waiting = [int(waiting[0])], waiting[1:]
        while pending:
            modulus = pending.pop()
            group_of[modulus] = number
            related = np.gcd(waiting, modulus) > 1
            pending += waiting[related].tolist()
            waiting = waiting[~related]
    groups: dict[int, list[ResidueClass]] = {}
    for each in classes:
        groups.setdefault(group_of[each.modulus], []).append(each)
    return list(groups.values())
