"""How many dyadic intervals cover a window: nodes of a flat tree, or base intervals (rows I-07, I-08, A-05).

The number depends on where the window lies, counted from the first partial of all. Streams begin at any time, so the
mean over all positions is what a lookup is expected to take.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from costmodel.summaries import IntArray

__all__ = ["mean_cover"]

POSITIONS = 512
"""Windows that the mean is taken over."""
SPREAD = 0.6180339887498949
"""Multiples of the golden section are spread evenly, however many of them are taken."""


@lru_cache(maxsize=65_536)
def mean_cover(partials: float, *, circle: int = 0, levels: int = 62) -> float:
    """The mean number of intervals that cover windows of so many partials.

    ``circle`` is the number of leaves where they are in a circle, ``levels`` the number of levels above the partials
    themselves where there are few.

    >>> mean_cover(1.0), round(mean_cover(8.0), 1)
    (1.0, 3.1)
    """
    number = np.arange(POSITIONS)
    begins = np.floor(number * SPREAD % 1.0 * 2.0**40).astype(np.int64)
    # Where windows hold now n, now n + 1, both come as often as the mean says.
    ends = begins + np.floor(partials + (number + 0.5) / POSITIONS).astype(np.int64)
    if not circle:
        return float(_covers(begins, ends, levels).mean())
    widths = np.minimum(ends - begins, circle)
    begins = np.where(widths == circle, 0, begins % circle)
    ends = begins + widths
    found = _covers(begins + circle, np.minimum(ends, circle) + circle, levels)
    found += _covers(np.full_like(ends, circle), np.maximum(ends - circle, 0) + circle, levels)
    return float(found.mean())


def _covers(lows: IntArray, highs: IntArray, levels: int) -> IntArray:
    """Level by level: an interval at either end that the next level does not have; at the top all that is left."""
    lows, highs = lows.copy(), highs.copy()
    taken = np.zeros_like(lows)
    for _ in range(levels):
        open_ = lows < highs
        if not open_.any():
            return taken
        left = open_ & (lows & 1 == 1)
        taken += left
        lows += left
        right = (lows < highs) & (highs & 1 == 1)
        taken += right
        highs -= right
        lows >>= 1
        highs >>= 1
    taken += np.maximum(highs - lows, 0)
    return taken
