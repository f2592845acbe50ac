"""Distinct rows of columns, a million at a time."""

from __future__ import annotations

import numpy as np

from costmodel.summaries import IntArray

__all__ = ["distinct_rows", "distinct_values"]


def distinct_rows(*columns: IntArray) -> tuple[IntArray, IntArray]:
    """Where each distinct row stands first, in the order of the rows, and which of them each row is.

    >>> first, row = distinct_rows(np.array([2, 1, 2]), np.array([5, 5, 5]))
    >>> first.tolist(), row.tolist()
    ([1, 0], [1, 0, 1])
    """
    varied = [column for column in columns if len(column) and column.min() != column.max()]
    order = np.lexsort(varied[::-1]) if varied else np.arange(len(columns[0]))
    new = np.zeros(len(order), dtype=np.bool_)
    new[:1] = True
    for column in varied:
        ordered = column[order]
        new[1:] |= ordered[1:] != ordered[:-1]
    row = np.empty(len(order), dtype=np.int64)
    row[order] = np.cumsum(new) - 1
    return order[new], row


def distinct_values(values: IntArray) -> IntArray:
    """The distinct values, none below 0, in order; numpy's own way is slow where many are equal.

    >>> distinct_values(np.array([2, 0, 2])).tolist()
    [0, 2]
    """
    ordered = np.sort(values)
    return ordered[np.flatnonzero(np.diff(ordered, prepend=-1))]
