"""The edge rate of a tree: exact by F1, the lattice or the Bit Set, else within a bound (T-06, I-17..I-19).

Classes whose moduli share no prime are independent, so that they are counted apart and what both leave out
is multiplied; hundreds of pairwise coprime slides are exact that way although their composite slide is
astronomic.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from optimizer.edges.bitset import bitset_count, mark
from optimizer.edges.classes import ResidueClass, reduce_classes
from optimizer.edges.estimate import density_bounds
from optimizer.edges.f1 import f1_density
from optimizer.edges.lattice import Lattice
from optimizer.edges.sample import DRAWS, sampled_density
from optimizer.edges.space import Atoms

__all__ = ["EdgeCount", "count_atoms", "edge_count"]

SHORT = 2**14
"""A composite slide that is marked in no time, whatever the number of classes."""
LONG = 2**25
"""The longest composite slide that is marked at all: 32 MB."""
MAX_MARKS = 2**27
MAX_CELLS = 2**22
MAX_INTERSECTIONS = 400_000
"""Work bounds of the exact ways: each stays within a fraction of a second."""
MAX_SPLIT = 2_000
"""Moduli that are searched for independent groups; the search is quadratic."""
MAX_REPORTED = 2**1024


@dataclass(frozen=True, slots=True, kw_only=True)
class EdgeCount:
    """Edges per unit, and per composite slide where both are known exactly.

    ``error`` is None when the rate is exact; otherwise the true rate is within it of ``edge_rate``, for certain or
    with a probability of all but 10^-9.
    """

    edge_rate: float
    edges: int | None
    composite_slide: int | None
    error: float | None


def count_atoms(atoms: Atoms, *, work: int = MAX_INTERSECTIONS, draws: int = DRAWS) -> EdgeCount:
    """Count the union of the atoms' edges; hundreds of thousands of classes over a short composite slide at once.

    >>> count_atoms(Atoms(np.array([5, 4]), np.array([3, 1]))).edges
    14
    """
    if len(atoms) and (atoms.modulus == atoms.modulus[0]).all():
        edges, slide = len(np.unique(np.append(atoms.offset, 0))), int(atoms.modulus[0])
        return EdgeCount(edge_rate=edges / slide, edges=edges, composite_slide=slide, error=None)
    unit = atoms.unit if len(atoms) else 1
    scaled = atoms.scaled(unit)
    length = _length(np.unique(scaled.modulus).tolist())
    if len(atoms) and length <= LONG and float((2 * length / scaled.modulus).sum()) <= MAX_MARKS:
        moduli = np.concatenate([scaled.modulus, scaled.modulus])
        marked = mark(length, moduli, np.concatenate([np.zeros_like(scaled.offset), scaled.offset]))
        return EdgeCount(
            edge_rate=marked / (length * unit), edges=marked, composite_slide=length * unit, error=None
        )
    return edge_count(atoms.all_classes(), work=work, draws=draws)


def edge_count(
    classes: Iterable[ResidueClass], *, work: int = MAX_INTERSECTIONS, draws: int = DRAWS
) -> EdgeCount:
    """Count the union of residue classes; ``work`` bounds the intersections that F1 may take, ``draws`` the sample.

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
    exact = [_exact(group, work) for group in groups]
    counted = [found for found in exact if found is not None]
    if len(counted) == len(groups):
        return _report(counted, unit, {c.modulus for c in given})
    missed_least = missed_most = 1.0
    for group, found in zip(groups, exact, strict=True):
        low, high = (found[0] / found[1],) * 2 if found else _bounds(group, draws)
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


def _exact(group: Sequence[ResidueClass], work: int) -> tuple[int, int] | None:
    """Edges and length of a composite slide, or None where every way is too long."""
    length = _length({c.modulus for c in group})
    if length <= SHORT:
        return bitset_count(group)
    lattice = Lattice.of(group, max_size=max(MAX_CELLS // len(group), 1))
    counted = lattice.count(group) if lattice else None
    if lattice is not None and counted is not None:
        return counted, lattice.length
    density = f1_density(group, max_terms=max(work // len(group), 1))
    if density is not None:
        return density.numerator, density.denominator
    marks = sum(length / c.modulus for c in group) if length <= LONG else math.inf
    return bitset_count(group) if marks <= MAX_MARKS else None


def _length(moduli: Iterable[int]) -> int:
    """The composite slide, or some number beyond the longest that is marked."""
    length = 1
    for modulus in moduli:
        length = math.lcm(length, modulus)
        if length > LONG:
            break
    return length


def _bounds(group: Sequence[ResidueClass], draws: int) -> tuple[float, float]:
    """What is certain, and what sampling says."""
    certain, sampled = density_bounds(group), sampled_density(group, draws=draws)
    low, high = max(certain[0], sampled[0]), min(certain[1], sampled[1])
    return (low, high) if low <= high else certain


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
