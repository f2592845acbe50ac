"""Costs from times: the least squares of relative errors, with no cost below zero."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from statistics import median
from time import thread_time_ns

import numpy as np
from numpy.typing import NDArray

__all__ = ["costs_of", "line_of", "nanoseconds"]

PASSES = 2_000


def nanoseconds(work: Callable[[], object], *, rounds: int = 3) -> float:
    """The median time of several rounds: of the processor, so that what else runs here does not count."""
    times = []
    for _ in range(rounds):
        begin = thread_time_ns()
        work()
        times.append(thread_time_ns() - begin)
    return float(median(times))


def costs_of(numbers: Sequence[Sequence[float]], times: Sequence[float]) -> NDArray[np.float64]:
    """What each operation costs: row i did ``numbers[i]`` of them in ``times[i]``.

    By coordinate descent: a cost that would be negative is 0.

    >>> costs_of([[1, 10], [1, 20], [2, 10]], [30, 50, 40]).round(3).tolist()
    [10.0, 2.0]
    """
    rows = np.array(numbers, dtype=np.float64) / np.array(times, dtype=np.float64)[:, None]
    scale = np.sqrt((rows**2).sum(axis=0))
    scale[scale == 0] = 1.0
    rows = rows / scale
    gram, right = rows.T @ rows, rows.sum(axis=0)
    found = np.zeros(len(right))
    for _ in range(PASSES):
        before = found.copy()
        for place in range(len(right)):
            if gram[place, place] > 0:
                rest = right[place] - gram[place] @ found + gram[place, place] * found[place]
                found[place] = max(rest / gram[place, place], 0.0)
        if np.abs(found - before).max(initial=0.0) <= 1e-12 * max(found.max(initial=0.0), 1e-300):
            break
    return np.asarray(found / scale)


def line_of(few: tuple[float, float], many: tuple[float, float]) -> tuple[float, float]:
    """Fixed part and part per key, from (keys, time) twice.

    >>> line_of((10, 30.0), (20, 40.0))
    (20.0, 1.0)
    """
    per_key = max((many[1] - few[1]) / (many[0] - few[0]), 0.0)
    return max(few[1] - per_key * few[0], 0.0), per_key
