"""Which windows are due, and which fragments each one contains.

Windows are ``[k*slide, k*slide + range)``. A window is due when the watermark has passed its end, and it is combined
from all fragments that it contains (not from slots between edges: after a change of edges, fragments of both
expressions overlap, and each tuple is in one of them).
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from planner_spark.kernels.over import Array

__all__ = ["contained", "due_windows", "next_end"]


def due_windows(
    starts: Array, ends: Array, *, window_range: int, slide: int, after: int, until: int
) -> Iterator[int]:
    """Starts of the windows that contain a fragment and end in ``(after, until]``, ascending.

    Cost grows with the fragments and the due windows, never with the length of a silent stretch.

    >>> list(due_windows(np.array([0, 50]), np.array([5, 55]), window_range=10, slide=5, after=0, until=60))
    [-5, 0, 45, 50]
    """
    if not len(starts):
        return
    # A fragment is in window k iff k*slide <= start and end <= k*slide + range.
    low = -((window_range - ends) // slide)
    high = starts // slide
    low = np.maximum(low, (after - window_range) // slide + 1)
    high = np.minimum(high, (until - window_range) // slide)
    for first, last in _merged(low, high):
        yield from range(first * slide, last * slide + 1, slide)


def _merged(low: Array, high: Array) -> Iterator[tuple[int, int]]:
    """The union of the intervals ``[low, high]`` as few ascending ones; those with ``low > high`` are empty."""
    fits = low <= high
    low, high = low[fits], high[fits]
    if not len(low):
        return
    order = np.argsort(low, kind="stable")
    low, reach = low[order], np.maximum.accumulate(high[order])
    begins = np.concatenate([[True], low[1:] > reach[:-1]])
    ends = np.concatenate([begins[1:], [True]])
    yield from zip(low[begins].tolist(), reach[ends].tolist(), strict=True)


def contained(starts: Array, ends: Array, window_start: int, window_end: int) -> slice | Array:
    """The fragments inside a window, as a slice where they are neighbours; ``ends`` ascend."""
    low = int(np.searchsorted(ends, window_start, side="right"))
    high = int(np.searchsorted(ends, window_end, side="right"))
    inside = starts[low:high] >= window_start
    if inside.all():
        return slice(low, high)
    return low + np.nonzero(inside)[0]


def next_end(starts: Array, *, window_range: int, slide: int, after: int) -> int | None:
    """The first window end beyond ``after`` of a window that may still hold one of the fragments, if there is one.

    >>> next_end(np.array([7]), window_range=10, slide=5, after=12)
    15
    """
    if not len(starts):
        return None
    last_end = int(starts.max()) // slide * slide + window_range
    end = ((after - window_range) // slide + 1) * slide + window_range
    return end if end <= last_end else None
