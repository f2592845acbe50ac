"""The combinations of landmark intervals (doc 004 3.1.2, rows A-07, A-08)."""

from __future__ import annotations

import math

from costmodel.tree_work import TreeWork

__all__ = ["landmark_operations"]


def landmark_operations(work: TreeWork) -> float:
    """Three intervals per partial and partition, and one combination per window that begins at no landmark.

    A partition serves windows of its shortest width up to twice as much, the shortest window without one begins
    another, and one that no window asks for is forgotten. Up to the first partial of a block, and from the last one,
    there is nothing to combine.
    """
    if work.longest < 1:
        return 0.0
    shortest = _partitions(work)
    total = work.edge_rate * math.fsum(3 - 2 / width for width in shortest)
    for held, due in zip(work.partials.tolist(), work.due.tolist(), strict=True):
        own = max((width for width in shortest if width <= held), default=1.0)
        total += due * (1 - 1 / own)
    return total


def _partitions(work: TreeWork) -> list[float]:
    """The shortest width of each partition that is in use.

    The first windows of a stream hold 1, 2, 3, ... partials of it and begin partitions of the widths 1 to 2, 3 to 6,
    7 to 14 and so on, of which those stay that are asked for.
    """
    held = zip(work.least.tolist(), work.most.tolist(), strict=True)
    octaves = {n for least, most in held for n in range(_octave(max(least, 1.0)), _octave(most) + 1)}
    return [2.0**octave - 1 for octave in octaves]


def _octave(partials: float) -> int:
    return math.frexp(partials + 1)[1] - 1
