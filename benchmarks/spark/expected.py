"""How many results a workload has on a part of the stream, counted from the data alone.

A result is a window of a query and a key with at least one tuple in it. Flink's no-op sink counts nothing, and the
other sides' counts are checked against this one.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyarrow.compute as pc
import pyarrow.parquet as pq

from benchmarks.spark.data import START, data_files
from benchmarks.spark.workload import Window, grain

__all__ = ["count_results", "expected_results", "presence"]

SECOND = 1_000_000


def expected_results(folder: Path, files: int, windows: Sequence[Window], *, until: int | None = None) -> int:
    """The results on the first files of a dataset; ``until`` leaves out windows that end later, in seconds of it."""
    unit = grain(tuple(windows))
    tables = [pq.read_table(path, columns=["ts", "key"]) for path in data_files(folder, 0, files)]
    times = np.concatenate([table["ts"].cast("int64").to_numpy() for table in tables]) - START
    keys = np.concatenate([pc.utf8_slice_codeunits(t["key"], 4).cast("int32").to_numpy() for t in tables])
    return count_results(presence(times // (unit * SECOND), keys), windows, unit=unit, until=until)


def presence(slots: np.ndarray, keys: np.ndarray) -> np.ndarray:
    """Whether a key has a tuple in a slot, as an array [slot, key]."""
    found = np.zeros((int(slots.max()) + 1, int(keys.max()) + 1), dtype=bool)
    found[slots, keys] = True
    return found


def count_results(
    present: np.ndarray, windows: Sequence[Window], *, unit: int, until: int | None = None
) -> int:
    """Windows times keys with a tuple; slots are ``unit`` seconds long and start with an edge of every window.

    >>> present = np.array([[True, False], [False, False], [True, True]])
    >>> count_results(present, [Window(10, 10)], unit=10)
    3
    >>> count_results(present, [Window(20, 10)], unit=10)
    6
    >>> count_results(present, [Window(20, 10)], unit=10, until=20)
    2
    """
    slots = len(present)
    counts = np.zeros((slots + 1, present.shape[1]), dtype=np.int32)
    np.cumsum(present, axis=0, out=counts[1:])
    total = 0
    for window in windows:
        width, step = window.range // unit, window.slide // unit
        ends = np.arange(step, slots + width, step)
        if until is not None:
            ends = ends[ends * unit <= until]
        after, before = np.minimum(ends, slots), np.clip(ends - width, 0, slots)
        total += int(np.count_nonzero(counts[after] > counts[before]))
    return total
