"""Seeded workloads as the papers draw them (doc 000 Table II, row T-31; doc 001 5.1, row I-30).

A generator draws numbers into columns; `planned` makes queries of them. The same parameters and the same seed always
give the same workload.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from sympy import divisors  # type: ignore[import-untyped]

from costmodel.summaries import FloatArray, IntArray
from optimizer.model.plan import PlannedQuery
from optimizer.model.window import Unit, Window

__all__ = ["Drawn", "draw", "draw_free", "planned", "table_ii"]


@dataclass(frozen=True, slots=True)
class Drawn:
    """Ranges and slides in an abstract unit."""

    ranges: IntArray
    slides: IntArray

    def __len__(self) -> int:
        return len(self.ranges)


def draw(
    *, queries: int, max_slide: int, max_overlap: int, skew: float = 0.0, seed: int, free_ranges: bool = False
) -> Drawn:
    """Doc 001: slides are factors of the largest one, ranges up to ``max_overlap`` slides.

    A skew above 0 favours large slides, below 0 small ones, by a Zipf law of its absolute value (X-16). Ranges are
    whole multiples of their slides unless they are free.

    >>> drawn = draw(queries=1000, max_slide=1000, max_overlap=10, seed=1)
    >>> len(set(drawn.slides.tolist())), bool((drawn.ranges % drawn.slides).any())
    (16, False)
    """
    random = np.random.default_rng(seed)
    factors = np.array(divisors(max_slide), dtype=np.int64)
    slides = factors[random.choice(len(factors), size=queries, p=_zipf(len(factors), skew))]
    if free_ranges:
        ranges = random.integers(slides, slides * max_overlap, endpoint=True)
    else:
        ranges = slides * random.integers(1, max_overlap, size=queries, endpoint=True)
    return Drawn(ranges, slides)


def table_ii(*, queries: int, seed: int, large_slides: bool = True) -> Drawn:
    """Doc 000: slides by Zipf(0.6) over the factors of 10,000, overlap uniform in [1, 50].

    The paper draws from a "discrete range" of template lengths; the factors of its largest slide are one.
    """
    skew = 0.6 if large_slides else -0.6
    return draw(queries=queries, max_slide=10_000, max_overlap=50, skew=skew, seed=seed)


def draw_free(
    *, queries: int, max_slide: int, max_overlap: int, seed: int, free_ranges: bool = False
) -> Drawn:
    """Slides drawn freely from 1 to the largest: most of them have nothing to do with each other."""
    random = np.random.default_rng(seed)
    slides = random.integers(1, max_slide, size=queries, endpoint=True)
    if free_ranges:
        return Drawn(random.integers(slides, slides * max_overlap, endpoint=True), slides)
    return Drawn(slides * random.integers(1, max_overlap, size=queries, endpoint=True), slides)


def planned(drawn: Drawn, *, stream: str = "s") -> list[PlannedQuery]:
    """Queries named by their numbers."""
    pairs = zip(drawn.ranges.tolist(), drawn.slides.tolist(), strict=True)
    return [
        PlannedQuery(id=f"q{number}", stream=stream, window=Window(range=r, slide=s, unit=Unit.ABSTRACT))
        for number, (r, s) in enumerate(pairs)
    ]


def _zipf(count: int, skew: float) -> FloatArray:
    """Probabilities of ranks: the first rank is the smallest one for a skew below 0, the largest one above 0."""
    weights = np.arange(1, count + 1, dtype=np.float64) ** -abs(skew)
    shares: FloatArray = (weights / weights.sum())[:: -1 if skew > 0 else 1]
    return shares
