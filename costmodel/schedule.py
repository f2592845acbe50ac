"""The order in which windows of a tree end, by positions among its partials, as if its edges were evenly spaced.

For what depends on the windows before: the pointers that they leave behind.
"""

from __future__ import annotations

from collections.abc import Iterator

from costmodel.tree_work import TreeWork

__all__ = ["windows_in_order"]

SPREAD = 0.6180339887498949
"""Multiples of the golden section are spread evenly, however many of them are taken."""


def windows_in_order(work: TreeWork, end: int) -> list[tuple[int, int]]:
    """The windows that end by that position, as (high, low); the first ones begin before the stream does.

    >>> work = TreeWork.of(edge_rate=0.5, windows=[(6, 4), (8, 2)])
    >>> windows_in_order(work, 4)
    [(1, 0), (2, 0), (2, 0), (3, 0), (4, 0), (4, 1)]
    """
    return sorted(_windows(work, end))


def _windows(work: TreeWork, end: int) -> Iterator[tuple[int, int]]:
    rows = zip(work.least.tolist(), work.most.tolist(), work.due.tolist(), strict=True)
    for least, most, due in rows:
        step = max(work.edge_rate / due, 1.0)
        for number in range(1, int(end / step) + 1):
            high = round(number * step)
            held = least + int(number * SPREAD % 1.0 * (most - least + 1))
            yield high, max(high - int(held), 0)
