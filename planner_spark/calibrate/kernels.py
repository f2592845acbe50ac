"""What kernels cost: every technique over every kind of lane that it may serve (rows I-05 to I-15).

A kernel is driven as a job drives it, with some partials and the windows that they complete at a time. A few numbers
of keys, shapes of windows and lengths of micro-batches tell apart what a call, a partial, an answer and a combination
take.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from time import thread_time_ns

import numpy as np

from costmodel.calibration import KernelCost, Line, kernel_key
from planner_spark.calibrate.fit import costs_of
from planner_spark.kernels.kernel import Kernel, Windows
from planner_spark.kernels.lane import Lane, Parts
from planner_spark.kernels.lanes import CountLane, ExtremeLane, MomentsLane, SumLane
from planner_spark.kernels.techniques import KERNELS, serves

__all__ = ["LANES", "kernel_costs"]

LANES: dict[str, Lane] = {
    "count": CountLane(column="v"),
    "sum": SumLane(column="v", fractional=True),
    "extreme": ExtremeLane(column="v", largest=True, fractional=True),
    "moments": MomentsLane(column="v"),
}
KEYS = (16, 500)
TOGETHER = (1, 16)
SHAPES = (((64, 1),), ((16, 8),), ((128, 16),), tuple((12 * i, 4 * (1 + i % 3)) for i in range(1, 9)))
"""Windows as (range, slide) in partials: slid finely, coarsely, and several ranges."""
ROUNDS = 3
AT_A_TIME = 32
"""Partials that are timed together at least."""


@dataclass(slots=True)
class _Drive:
    """A kernel in the middle of a stream of partials that are one apart."""

    kernel: Kernel
    shape: tuple[tuple[int, int], ...]
    rows: Parts
    end: int = 0

    def run(self, count: int, together: int) -> tuple[int, int, int]:
        """So many partials more; calls, partials and answers."""
        calls = answers = 0
        for _ in range(max(count // together, 1)):
            first = self.end
            self.end += together
            windows = self._due(first)
            self.kernel.advance(tuple(part[:together] for part in self.rows), windows)
            self.kernel.evict(max(self.end - max(r for r, _ in self.shape), 0))
            calls += 1
            answers += len(windows)
        return calls, calls * together, answers

    def _due(self, after: int) -> Windows:
        ranges = sorted({r for r, _ in self.shape})
        own = self.kernel.slot_per_query
        found = [
            (high, max(high - r, 0), place if own else ranges.index(r))
            for place, (r, s) in enumerate(self.shape)
            for high in range(after // s * s + s, self.end + 1, s)
        ]
        due = np.array(sorted(found), dtype=np.int64).reshape(-1, 3)
        return Windows(due[:, 1], due[:, 0], due[:, 2])


def kernel_costs(progress: Callable[[float], None] = lambda _: None) -> dict[str, KernelCost]:
    """All techniques, by `kernel_key`; ``progress`` is told which share is done."""
    pairs = [
        (kernel, kind, lane) for kernel in KERNELS for kind, lane in LANES.items() if serves(kernel, lane)
    ]
    found = {}
    for number, (kernel, kind, lane) in enumerate(pairs, start=1):
        found[kernel_key(kernel.name, kind)] = _cost_of(kernel, lane)
        progress(number / len(pairs))
    return found


def _cost_of(kernel: type[Kernel], lane: Lane) -> KernelCost:
    runs = list(_runs(kernel, lane))
    numbers = [[part for number in counts for part in (number, number * keys)] for keys, counts, _ in runs]
    costs = costs_of(numbers, [time for _, _, time in runs]).tolist()
    call, partial, answer, operation = (
        Line(fixed=fixed, per_key=per_key) for fixed, per_key in zip(costs[::2], costs[1::2], strict=True)
    )
    return KernelCost(call=call, partial=partial, answer=answer, operation=operation)


def _runs(kernel: type[Kernel], lane: Lane) -> Iterator[tuple[int, tuple[float, ...], float]]:
    """Keys, the numbers of calls, partials, answers and operations, and the nanoseconds that they took."""
    for keys in KEYS:
        rows = _partials(lane, keys)
        for shape in SHAPES:
            ranges = len({r for r, _ in shape})
            if ranges > 1 and not kernel.multi_query:
                continue
            for together in TOGETHER:
                slots = len(shape) if kernel.slot_per_query else ranges
                drive = _Drive(kernel(lane, slots=slots, keys=keys), shape, rows)
                drive.run(max(r for r, _ in shape) + 16, 16)
                times = []
                before = drive.kernel.operations
                for _ in range(ROUNDS):
                    begin = thread_time_ns()
                    counts = drive.run(AT_A_TIME, together)
                    times.append(thread_time_ns() - begin)
                operations = (drive.kernel.operations - before) / ROUNDS
                yield keys, (*counts, operations), float(min(times))


def _partials(lane: Lane, keys: int) -> Parts:
    """Rows [partial, key] with values of all sizes."""
    chance = np.random.default_rng(1)
    rows = max(TOGETHER)
    return tuple(
        chance.integers(1, 100, (rows, keys)).astype(part.dtype)
        if part.dtype.kind == "i"
        else chance.random((rows, keys)) * 100
        for part in lane.parts
    )
