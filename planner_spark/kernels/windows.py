"""Which windows are due.

Windows are ``[k*slide, k*slide + range)``. One is due when the watermark has passed its end. A tree's partials are
told by their ends: a window holds those that end after its start and not after its own end. That also holds for
fragments of an earlier plan's edges: a query is answered only for windows that begin where no older fragment was
open, so no fragment reaches over a window's bounds.
"""

from __future__ import annotations

import numpy as np

from planner_spark.kernels.over import Array

__all__ = ["due_windows", "next_end"]


def due_windows(ends: Array, *, window_range: int, slide: int, after: int, until: int) -> Array:
    """Starts of the windows that hold a partial and end in ``(after, until]``, ascending; ``ends`` ascend.

    Cost grows with the partials and the due windows, never with the length of a silent stretch.

    >>> due_windows(np.array([5, 55]), window_range=10, slide=5, after=0, until=60).tolist()
    [-5, 0, 45, 50]
    """
    ends = ends[np.searchsorted(ends, after - window_range, side="right") :]
    # A partial is in window k iff k*slide < end <= k*slide + range.
    low = np.maximum(-((window_range - ends) // slide), (after - window_range) // slide + 1)
    high = np.minimum((ends - 1) // slide, (until - window_range) // slide)
    fits = low <= high
    low, high = low[fits], high[fits]
    # Both ascend with the ends, so each partial adds the windows behind those of the one before it.
    low[1:] = np.maximum(low[1:], high[:-1] + 1)
    counts = np.maximum(high - low + 1, 0)
    before = np.cumsum(counts) - counts
    return np.asarray((np.repeat(low - before, counts) + np.arange(int(counts.sum()))) * slide)


def next_end(last: int, *, window_range: int, slide: int, after: int) -> int | None:
    """The first window end beyond ``after`` of a window that may hold a partial which ends at ``last`` or before.

    >>> next_end(8, window_range=10, slide=5, after=12)
    15
    """
    last_end = (last - 1) // slide * slide + window_range
    end = ((after - window_range) // slide + 1) * slide + window_range
    return end if end <= last_end else None
