"""What a combination runs over: the fragments of a window, each one's prefix, or the runs of a sorted column.

The lanes say how partials are combined; these say of which partials, so that final aggregation and roll-up are
the same arithmetic.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

__all__ = ["Array", "Fragments", "Over", "Prefixes", "Runs", "accumulated"]

Array = NDArray[Any]
_FEW_KEYS = 128


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


class Prefixes:
    """All rows up to each one: as many rows as there were, for lanes that combine element by element."""

    def reduce(self, combine: np.ufunc, values: Array) -> Array:
        """Combine down the fragment axis and keep what there is on the way."""
        return accumulated(combine, values)

    def spread(self, combined: Array) -> Array:
        """Each prefix stands beside its last row."""
        return combined


def accumulated(combine: np.ufunc, values: Array) -> Array:
    """``combine.accumulate`` down the first axis, row by row where there are many keys.

    numpy goes down the columns one after the other, which takes ten times as long for 500 keys.

    >>> accumulated(np.add, np.array([[1, 2], [3, 4]])).tolist()
    [[1, 2], [4, 6]]
    """
    if values.shape[-1] <= _FEW_KEYS:
        return np.asarray(combine.accumulate(values, axis=0))
    sums = values.copy()
    for before, row in pairwise(sums):
        combine(before, row, out=row)
    return sums


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
        return np.repeat(combined, self._lengths, axis=0)
