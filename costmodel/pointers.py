"""How far FlatFIT follows its pointers (doc 001 2.2, Fig. 7; row I-09; X-09).

A window leaves behind pointers that the next ones skip along, so that what one takes depends on those before it: the
windows are followed in the order in which they end, over evenly spaced edges, without any values.
"""

from __future__ import annotations

import math

from costmodel.schedule import windows_in_order
from costmodel.tree_work import TreeWork

__all__ = ["mean_path"]

ANSWERS = 4_000
"""Windows that are followed at most, after those of one longest range."""
LONGEST = 20_000
"""Partials in a window up to which anything is followed."""
MANY = 3.0
"""What is taken where it is not: the paper's amortised number, which is an upper estimate."""


def mean_path(work: TreeWork) -> float:
    """Operations per answer: one less than the positions on its way.

    >>> n = 9
    >>> work = TreeWork.of(edge_rate=1.0, windows=[(n, 1)])
    >>> abs(mean_path(work) - (3 * n - 3) / (n + 1)) < 0.05
    True
    """
    if not 1 <= work.longest <= LONGEST:
        return MANY if work.longest > LONGEST else 0.0
    begin = math.ceil(work.longest)
    rate = work.answers / work.edge_rate
    if rate * begin > 4 * ANSWERS:
        return MANY
    end = begin + max(math.ceil(ANSWERS / max(rate, 1e-9)), 1)
    end = min(end, begin * 40 + 1000)
    pointers: dict[int, int] = {}
    taken = answers = 0
    for high, low in windows_in_order(work, end):
        count = _follow(pointers, low, high)
        if high > 2 * begin:
            taken += count
            answers += 1
    return taken / answers if answers else 0.0


def _follow(pointers: dict[int, int], low: int, high: int) -> int:
    """The combinations of one window; its way leads to its end from then on."""
    way, at = [], low
    while at < high:
        way.append(at)
        at = pointers.get(at, at + 1)
    if way:
        way.pop()
    for place in way:
        pointers[place] = high
    return len(way)
