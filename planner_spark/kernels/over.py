"""What a combination runs over: the fragments of a window, or the runs of a sorted column.

The lanes say how partials are combined; these two say of which partials, so that final aggregation and roll-up are
the same arithmetic.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

__all__ = ["Array", "Fragments", "Over", "Runs"]

Array = NDArray[Any]


class Over(Protocol):
    """A way to take partials together."""

    def reduce(self, combine: np.ufunc, values: Array) -> Array:
        """One vectorised combination per operation."""

    def spread(self, combined: Array) -> Array:
        """The combined values, aligned with the partials that they came from."""


class Fragments:
    """All rows of arrays [fragment, key] together: one value per key."""

    def reduce(self, combine: np.ufunc, values: Array) -> Array:
        """Combine down the fragment axis."""
        return np.asarray(combine.reduce(values, axis=0))

    def spread(self, combined: Array) -> Array:
        """Broadcasting aligns one row with many by itself."""
        return combined


class Runs:
    """Consecutive elements of a column, from each start to the next.

    >>> Runs(np.array([0, 2]), 5).reduce(np.add, np.array([1, 2, 3, 4, 5])).tolist()
    [3, 12]
    """

    def __init__(self, starts: Array, length: int) -> None:
        self._starts = starts
        self._lengths = np.diff(starts, append=length)

    def reduce(self, combine: np.ufunc, values: Array) -> Array:
        """Combine within each run."""
        return np.asarray(combine.reduceat(values, self._starts))

    def spread(self, combined: Array) -> Array:
        """Repeat each run's value as often as it has elements."""
        return np.repeat(combined, self._lengths)
