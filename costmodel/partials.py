"""How many partials the windows of a tree hold (doc 000 II-B; X-04, X-05).

On the average over all time a stretch of length r holds r E edges. A window begins and ends at edges of its own, so it
may hold up to one partial more or less: what it really holds is counted by a walk along the composite slide.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from costmodel.summaries import FloatArray, IntArray

__all__ = ["Held", "partials_of"]

Held = tuple[FloatArray, FloatArray, FloatArray]
"""The least, the mean and the most number of partials in the windows of each query."""
MAX_LENGTH = 2**18
"""The longest composite slide that is walked along."""
MAX_STARTS = 4096
"""Windows of one query that are looked at; of more, those of evenly spread positions."""


@lru_cache(maxsize=1024)
def partials_of(
    windows: tuple[tuple[int, int], ...],
    edge_rate: float,
    edges: tuple[tuple[int, int], ...] | None = None,
) -> Held:
    """The numbers of partials in the windows of each (range, slide).

    ``edges`` are residue classes (residue, modulus); without them, or where the composite slide is too long, r E.

    >>> [held.tolist() for held in partials_of(((8, 5),), 0.4, ((0, 5), (3, 5)))]
    [[3.0], [3.0], [3.0]]
    >>> [held.tolist() for held in partials_of(((8, 5),), 0.4)]
    [[3.0], [3.2], [4.0]]
    """
    spans = np.array([r for r, _ in windows], dtype=np.float64)
    marks = _turn(edges) if edges else None
    if marks is None:
        mean = np.round(spans * edge_rate, 9)
        return np.floor(mean), mean, np.ceil(mean)
    found = np.array([_held(r, s, marks) for r, s in windows], dtype=np.float64).reshape(-1, 3)
    return found[:, 0], found[:, 1], found[:, 2]


def _turn(edges: tuple[tuple[int, int], ...]) -> IntArray | None:
    """How many edges there are before each point of the composite slide; the last number is those of all of it."""
    length = math.lcm(*(modulus for _, modulus in edges))
    if length > MAX_LENGTH:
        return None
    marks = np.zeros(length, dtype=np.int64)
    for residue, modulus in edges:
        marks[residue % modulus :: modulus] = 1
    return np.concatenate([[0], np.cumsum(marks)])


def _held(span: int, slide: int, before: IntArray) -> tuple[float, float, float]:
    length, per_turn = len(before) - 1, int(before[-1])
    turns = math.lcm(length, slide) // slide
    starts = np.linspace(0, turns - 1, min(turns, MAX_STARTS)).astype(np.int64) * slide
    ends = starts + span
    until_end = ends // length * per_turn + before[ends % length + 1]
    until_start = starts // length * per_turn + before[starts % length + 1]
    held = until_end - until_start
    return float(held.min()), float(held.mean()), float(held.max())
