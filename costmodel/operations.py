"""The combinations that each kernel is expected to make per time unit (doc 001 Table 2, 5.4; rows I-15, I-37; X-05).

The papers' Omega is charged at every edge, whether a window is due there or not. These numbers are what the kernels
count: an answer is worked out when its window ends. One operation combines two rows of all keys.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from types import MappingProxyType

import numpy as np

from costmodel.covers import mean_cover
from costmodel.landmarks import landmark_operations
from costmodel.pointers import mean_path
from costmodel.tree_work import TreeWork

__all__ = ["OPERATIONS", "expected_operations"]

SMALLEST = 64
"""Partials after which prefixes of floats begin anew at the earliest."""


def expected_operations(technique: str, work: TreeWork) -> float | None:
    """Operations per time unit; None for a technique that is not known.

    >>> work = TreeWork.of(edge_rate=0.5, windows=[(6, 2), (8, 4)])
    >>> expected_operations("panes", work), expected_operations("r_int", work)
    (2.5, 1.25)
    """
    count = OPERATIONS.get(technique)
    return None if count is None else count(work) if work.windows else 0.0


def _panes(work: TreeWork) -> float:
    """Every window combines all of its partials."""
    return float((work.partials * work.due).sum())


def _moved(work: TreeWork, places: list[int]) -> float:
    """A running aggregate takes in what its windows hold, and inverts what the next one does not reach back to."""
    held = float((work.partials[places] * work.due[places]).sum())
    overlaps = any(work.windows[place][1] < work.windows[place][0] for place in places)
    return 2 * work.edge_rate if overlaps else min(held, 2 * work.edge_rate)


def _panes_inv(work: TreeWork) -> float:
    """A running aggregate for each query."""
    return math.fsum(_moved(work, [place]) for place in range(len(work.windows)))


def _slickdeque_inv(work: TreeWork) -> float:
    """A running aggregate for each range."""
    return math.fsum(_moved(work, places) for places in work.by_range().values())


def _r_int(work: TreeWork) -> float:
    """A prefix per partial and a difference per window; prefixes of floats begin anew after as many as are retained."""
    anew = 0.0 if work.exact else work.longest / max(work.longest, SMALLEST)
    return work.edge_rate * (1 + anew) + work.answers


def _b_int(work: TreeWork) -> float:
    """Less than one per partial for all levels, and a cover for each window."""
    levels = int(math.log2(max(work.longest, 1.0)) + 1e-9)
    return work.edge_rate * (1 - 2.0**-levels) + _covered(work, circle=0, levels=levels)


def _flatfat(work: TreeWork) -> float:
    """The nodes above the leaves that came together, and a cover for each window."""
    leaves = max(2, 1 << (math.ceil(work.longest + work.together) - 1).bit_length())
    nodes = math.fsum(
        min((work.together - 1) / 2.0**level + 1, leaves / 2.0**level)
        for level in range(1, leaves.bit_length())
    )
    return work.edge_rate / work.together * nodes + _covered(work, circle=leaves, levels=62)


def _covered(work: TreeWork, *, circle: int, levels: int) -> float:
    covers = [
        mean_cover(_rounded(p), circle=circle, levels=levels) - 1 if p >= 1 else 0.0
        for p in work.partials.tolist()
    ]
    dues: list[float] = work.due.tolist()
    return math.fsum(cover * due for cover, due in zip(covers, dues, strict=True))


def _rounded(partials: float) -> float:
    """Covers of about as many partials are about as large, and are looked up."""
    return float(f"{partials:.3g}")


def _flatfit(work: TreeWork) -> float:
    """One less than the positions on each window's way."""
    return mean_path(work) * work.answers


def _two_stacks(work: TreeWork) -> float:
    """A push per partial, a flip of all that a window holds whenever the front is used up, and an answer per window.

    With windows k partials apart that is once in floor(n / k) + 1 windows of n partials.
    """
    total = 0.0
    for places in work.by_range().values():
        held, due = float(work.partials[places].max()), float(work.due[places].sum())
        step = work.edge_rate / due
        turn = math.floor(held / step + 1e-9) + 1
        taken = max(held - 1, 0) + turn * step - 1 + max(math.ceil(held / step - 1e-9) - 1, 0)
        total += due / turn * taken
    return total


def _daba(work: TreeWork) -> float:
    """A push, and half of the time three operations to set right what an insertion and what an eviction leaves.

    A turn is half a window: as many pushes but one, and as many steps of three operations of which the first and
    the last take one less.
    """
    total = 0.0
    for places in work.by_range().values():
        held, due = float(work.partials[places].max()), float(work.due[places].sum())
        total += work.edge_rate * max(4 - 6 / max(held, 1.0), 1.0) + due * (held > 1)
    return total


def _slickdeque_noninv(work: TreeWork) -> float:
    """Comparisons at the tail, and where there are several ranges a traversal for all windows that end together.

    Of n partials about H(n) are in the deque: the traversal passes those that are older than the shortest window.
    """
    most = max(work.longest, 1.0)
    tail = work.edge_rate * (2 - 2 / most)
    if len({r for r, _ in work.windows}) < 2:
        return tail
    order = np.argsort(work.partials)
    idle, passed = 1.0, 0.0
    for place in order.tolist():
        # The shortest of the windows that end here is this one where no shorter one ends, too.
        share = min(float(work.due[place]) / work.edge_rate, 1.0)
        passed += idle * share * (_harmonic(most) - _harmonic(float(work.partials[place])))
        idle *= 1 - share
    return tail + work.answers + work.edge_rate * passed


def _harmonic(partials: float) -> float:
    n = max(partials, 1.0)
    return math.log(n) + float(np.euler_gamma) + 1 / (2 * n) - 1 / (12 * n * n)


OPERATIONS: Mapping[str, Callable[[TreeWork], float]] = MappingProxyType(
    {
        "panes": _panes,
        "panes_inv": _panes_inv,
        "flatfat": _flatfat,
        "b_int": _b_int,
        "flatfit": _flatfit,
        "two_stacks": _two_stacks,
        "daba": _daba,
        "slickdeque_inv": _slickdeque_inv,
        "slickdeque_noninv": _slickdeque_noninv,
        "l_int": landmark_operations,
        "r_int": _r_int,
    }
)
"""Each technique's count, by its name."""
