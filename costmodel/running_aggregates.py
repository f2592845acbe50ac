"""How many running aggregates SlickDeque (Inv) really keeps (doc 001 4.1, row I-29; X-10, V-16).

The optimizer takes one for each distinct range. Where slides do not divide each other, windows of the same range
hold different numbers of partials at different times, and each number needs a running aggregate of its own.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np

__all__ = ["running_aggregates"]

MAX_LENGTH = 2**20
"""The longest composite slide that is walked through."""


def running_aggregates(windows: Iterable[tuple[int, int]], edges: Sequence[tuple[int, int]]) -> int | None:
    """The distinct numbers of partials that windows (range, slide) are combined from when they are due.

    ``edges`` are residue classes (residue, modulus). None when the composite slide is too long to walk through.

    >>> windows = [(40, 4), (60, 6), (50, 10)]
    >>> running_aggregates(windows, [(0, s) for _, s in windows])
    6
    """
    length = math.lcm(*(modulus for _, modulus in edges))
    if length > MAX_LENGTH:
        return None
    marks = np.zeros(length, dtype=np.int64)
    for residue, modulus in edges:
        marks[residue % modulus :: modulus] = 1
    before = np.concatenate([[0], np.cumsum(marks)])
    per_turn = int(before[-1])
    counts: set[int] = set()
    for span, slide in set(windows):
        starts = np.arange(0, math.lcm(length, slide), slide)
        ends = starts + span
        # Edges in (start, end]: a partial ends at each of them.
        until_end = ends // length * per_turn + before[(ends % length) + 1]
        until_start = starts // length * per_turn + before[(starts % length) + 1]
        counts.update(np.unique(until_end - until_start).tolist())
    return len(counts)
