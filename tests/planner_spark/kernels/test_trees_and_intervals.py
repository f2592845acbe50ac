"""What trees and intervals of partials do and how many combinations it takes them: the papers' examples and bounds.

Rows I-05, I-07, I-08, I-09, I-15, A-05 to A-09, A-22, G-15 to G-17; vectors V-13, V-14, V-21, V-35, V-36.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

from planner_spark.kernels.b_int import BInt
from planner_spark.kernels.flatfat import FlatFat
from planner_spark.kernels.flatfit import FlatFit
from planner_spark.kernels.history import History
from planner_spark.kernels.kernel import Kernel, Windows
from planner_spark.kernels.l_int import Landmarks, LInt
from planner_spark.kernels.lanes import ExtremeLane, SumLane
from planner_spark.kernels.over import Array
from planner_spark.kernels.panes import Panes
from planner_spark.kernels.r_int import RInt

SUM = SumLane(column="v", fractional=False)
MAX = ExtremeLane(column="v", largest=True, fractional=False)
VALUES = np.random.default_rng(36).integers(-(10**6), 10**6, (10_000, 1))
UPTO = np.concatenate([[0], VALUES[:, 0].cumsum()])


class Stream:
    """The same partials for any kernel; every answer is checked, operations are told step by step."""

    def __init__(self, kernel: Kernel) -> None:
        self.kernel = kernel
        self.end = 0

    def step(self, count: int, *windows: tuple[int, int]) -> float:
        """Insert partials, answer windows (low, high) in slots of their own; the operations."""
        before = self.kernel.operations
        lows, highs = np.array(windows, dtype=np.int64).reshape(-1, 2).T
        rows = VALUES[self.end : self.end + count]
        self.end += count
        (answers,) = self.kernel.advance((rows,), Windows(lows, highs, np.arange(len(lows))))
        assert answers[:, 0].tolist() == (UPTO[highs] - UPTO[lows]).tolist()
        return self.kernel.operations - before

    def slides(self, count: int, *ranges: int) -> list[float]:
        """One partial at a time, a window of each range whenever one has come, nothing kept that is of no use."""
        taken = []
        for high in range(self.end + 1, self.end + 1 + count):
            taken.append(self.step(1, *((max(0, high - r), high) for r in ranges)))
            self.kernel.evict(max(0, high + 1 - max(ranges)))
        return taken


def stream(kind: type[Kernel], slots: int = 64) -> Stream:
    return Stream(kind(SUM, slots=slots, keys=1))


def longest(high: int, n: int) -> list[tuple[int, int]]:
    """The windows of all ranges up to n that end there."""
    return [(high - r, high) for r in range(n, 0, -1)]


def test_i05_g17_v21_panes_read_every_partial() -> None:
    """I-05, G-17, V-21: a window of 7 basic intervals reads 7; b of them answer windows of many lengths."""
    one = stream(Panes)
    assert one.step(8) == 0
    assert one.step(0, (1, 8)) == 7
    assert one.step(0, *longest(8, 8)) == 8 + 7 + 6 + 5 + 4 + 3 + 2 + 1


def test_i07_v13_an_update_touches_four_inner_nodes_of_sixteen_leaves() -> None:
    """I-07, V-13: log2 of the leaves, whichever leaf it is."""
    one = stream(FlatFat)
    one.step(16)
    for first in range(1, 40):
        one.kernel.evict(first)
        assert one.step(1) == 4
    assert one.kernel.capacity == 16


@pytest.mark.parametrize(("low", "high", "nodes"), [(5, 16, 3), (4, 15, 4), (14, 25, 3)])
def test_i07_v13_covers_of_eleven_partials(low: int, high: int, nodes: int) -> None:
    """I-07, V-13: {5},{6,7},{8..15}; {4..7},{8..11},{12,13},{14}; and round the end {14,15},{0..7},{8}."""
    one = stream(FlatFat)
    one.step(16)
    one.kernel.evict(9)
    one.step(9) if high > 16 else one.step(0)
    assert one.kernel.capacity == 16
    assert one.step(0, (low, high)) == nodes - 1


def test_i07_v13_covers_are_small_and_the_full_range_is_the_root() -> None:
    """I-07, V-13: at most 2 log2(16) nodes for any range at any place; one node for all the leaves."""
    one = stream(FlatFat)
    one.step(16)
    for first in range(1, 40):
        one.kernel.evict(first)
        one.step(1)
        for width in range(1, 17):
            taken = one.step(0, (first + 16 - width, first + 16))
            assert taken + 1 <= 2 * math.log2(16)
            assert taken == 0 or width < 16


def test_i07_partials_that_come_together_share_inner_nodes() -> None:
    """I-07: sixteen leaves at once are the fifteen nodes above them, not sixteen paths."""
    one = stream(FlatFat)
    one.step(16)
    one.kernel.evict(16)
    assert one.step(16, (16, 32)) == 15


def test_i07_the_tree_grows_and_shrinks() -> None:
    """I-07, G-14: capacity is a power of two that follows what is retained."""
    one = stream(FlatFat)
    one.step(1000, (0, 1000))
    assert one.kernel.capacity == 1024
    one.step(25, (0, 1025))
    assert one.kernel.capacity == 2048
    one.kernel.evict(1020)
    one.step(1, (1020, 1026))
    assert one.kernel.capacity == 8


def test_i08_v35_arrivals_add_the_intervals_that_end_there() -> None:
    """I-08, A-05, V-35: 48 adds 5, 43 adds 1, 64 adds 7; (385,512) is level 7; on average it goes to 2."""
    one = stream(BInt)
    one.step(1024, (0, 1024))
    begun = one.kernel.intervals
    added = {}
    for arrival in range(1, 513):
        before = one.kernel.intervals
        one.step(1)
        added[arrival] = one.kernel.intervals - before
    assert (added[48], added[43], added[64]) == (5, 1, 7)
    assert added[512] == 10
    assert (one.kernel.intervals - begun) / 512 == pytest.approx(2, abs=0.01)
    # The last partial completed (385, 512): four such are two windows of 256.
    assert one.step(0, (1024 + 384, 1024 + 512)) == 0


def test_i08_v35_covers() -> None:
    """I-08, A-05, V-35: (1,43) is (1,32),(33,40),(41,42),(43,43); no window up to 200 needs more than 2 log2 W."""
    one = stream(BInt)
    one.step(512, (0, 512))
    assert one.step(0, (0, 43)) == 3
    for width in range(1, 201):
        for low in range(0, 512 - width, 37):
            assert one.step(0, (low, low + width)) + 1 <= max(1, 2 * math.log2(width))


@pytest.mark.parametrize("longest_range", [7, 64, 100])
def test_a06_active_intervals_are_at_most_twice_the_longest_window(longest_range: int) -> None:
    """A-06: those that begin before the longest window are dropped."""
    one = stream(BInt)
    for _ in range(4 * longest_range):
        one.slides(1, longest_range)
        assert one.kernel.intervals <= 2 * longest_range


def test_g16_v21_seven_subwindows_are_three_intervals() -> None:
    """G-16, V-21: 4 + 2 + 1, wherever the window of 7 of 8 sub-windows is; and each slide adds and merges."""
    one = stream(BInt)
    one.step(8, (0, 8))
    for high in range(8, 40):
        assert one.step(0, (high - 7, high)) == 2
        # Half of all arrivals complete a pair, a quarter four, an eighth eight.
        assert one.step(1) == sum((high + 1) % size == 0 for size in (2, 4, 8))
        one.kernel.evict(high - 7)


def test_i09_v14_follows_pointers_from_eight_over_one_to_five() -> None:
    """I-09, V-14: range 9, start 8, current position 5 in an array of 11; the stack holds 8 and 1."""
    one = stream(FlatFit)
    one.step(12, (8, 12))
    one.step(4, (12, 16))
    # Partials[8] + Partials[1] + Partials[5].
    assert one.step(1, (8, 17)) == 2
    # The stored suffixes include the current partial: there is nothing left to combine.
    assert one.step(0, (8, 17)) == 0
    assert one.step(1, (8, 18)) == 1


@pytest.mark.parametrize(("n", "measured"), [(16, 2.647), (100, 2.951), (500, 2.991)])
def test_i09_v14_three_operations_a_slide(n: int, measured: float) -> None:
    """I-09, V-14, X-09: 3n - 3 in n + 1 slides, n - 1 of them in the reset."""
    one = stream(FlatFit)
    one.slides(n, n)
    taken = one.slides(4 * (n + 1), n)
    assert sum(taken) == 4 * (3 * n - 3)
    assert sum(taken) / len(taken) == pytest.approx(measured, abs=0.011)
    assert max(taken) == n - 1
    assert taken.count(n - 1) == 4


def test_v36_landmark_intervals() -> None:
    """A-07, V-36, X-36: (3257,5164) is (3257,3999) and (4000,5164); 20,000 random windows are two such each."""
    least, most = 1000, 2000

    def is_one(low: int | Array, high: int | Array) -> bool | Array:
        """Begins at a landmark or ends just before one, and is no wider than the widest window."""
        return ((low % least == 0) | (high % least == 0)) & (high - low <= most)

    assert [is_one(low, high + 1) for low, high in ((75, 999), (1762, 2999), (5000, 6542), (5000, 7162))] == [
        True, True, True, False,
    ]  # fmt: skip
    partition = Landmarks(SUM, least, start=History(SUM.parts, keys=1))
    assert partition.next_landmarks(np.array([3257])).tolist() == [4000]
    chance = np.random.default_rng(1)
    lows = chance.integers(0, 8000, 20_000)
    highs = lows + chance.integers(least, most + 1, 20_000)
    middles = partition.next_landmarks(lows)
    assert ((lows <= middles) & (middles < highs)).all()
    assert is_one(lows, middles).all() and is_one(middles, highs).all()

    partials = History(SUM.parts, keys=1)
    partials.append((VALUES,))
    partition.extend(partials, len(VALUES))
    # Ten blocks: the first partial of each begins an interval, and the last one ends one.
    assert partition.counted() == 3 * len(VALUES) - 2 * 10
    (answers,) = partition.answers(lows, highs)
    assert answers[:, 0].tolist() == (UPTO[highs] - UPTO[lows]).tolist()
    # A combination for each window that begins at no landmark.
    assert partition.counted() == np.count_nonzero(lows % least)


@pytest.mark.parametrize("n", [10, 64, 100])
def test_a07_close_widths_take_constant_operations(n: int) -> None:
    """A-07, A-22: on average at most three to update and one to look up; the worst step computes what leads up."""
    one = stream(LInt)
    one.slides(3 * n, n)
    taken = one.slides(10 * n, n)
    assert one.kernel.partitions == 1
    assert sum(taken) / len(taken) <= 4
    assert max(taken) <= n + 3


def test_a08_partitions_by_the_widths_of_windows() -> None:
    """A-08: ranges 1 to 100 are seven partitions, from 1-2, 2-4, 4-8 to 64-128; lookups are one operation."""
    one = stream(LInt)
    one.step(200, *longest(200, 100))
    assert one.kernel.partitions == 7
    assert one.step(0, *longest(200, 100)) <= 100
    taken = one.step(1, *longest(201, 100))
    assert taken <= 100 + 2 * 7 + sum(s for s in (1, 2, 4, 8, 16, 32, 64) if 201 % s == 0)


def test_a08_a_partition_is_forgotten_with_its_windows() -> None:
    """A-08, G-14: it goes when no window has asked for its widths for as long as the longest one lasts."""
    one = stream(LInt)
    one.slides(300, 100, 20, 3)
    assert one.kernel.partitions == 3
    one.slides(100, 100)
    assert one.kernel.partitions == 1
    # Windows whose widths go up and down a little share one.
    for high in range(401, 801):
        one.step(1, (high - 100 + high % 3, high))
        one.kernel.evict(high - 100)
    assert one.kernel.partitions == 1


def test_a08_widths_that_go_down_bit_by_bit_need_few_partitions() -> None:
    """A-08: gamma is at most logarithmic in the longest window."""
    one = stream(LInt)
    one.step(200, (0, 200))
    for low in range(1, 200):
        one.kernel.evict(low)
        one.step(0, (low, 200))
        assert one.kernel.partitions <= 8


def test_a09_g15_v21_prefixes_take_one_operation_each() -> None:
    """A-09, G-15, V-21: f([1,t]) - f([1,t-7s]); the next update adds one to f([1,t]); any range costs the same."""
    one = stream(RInt)
    assert one.step(8) == 8
    assert one.step(0, (1, 8)) == 1
    assert one.step(1, (2, 9)) == 2
    assert one.slides(50, 1, 7, 30) == [4] * 50
    with pytest.raises(TypeError, match="r_int takes an InvertibleLane"):
        RInt(MAX, slots=1)


BOUNDS = {
    # By range n: on average, at worst, and on average for all ranges 1 to n.
    Panes: (lambda n: n, lambda n: n, lambda n: n * n),
    FlatFat: (lambda n: 3 * math.log2(n), lambda n: 3 * math.log2(n), lambda n: 2 * n * math.log2(n)),
    BInt: (lambda n: 1 + 2 * math.log2(n), lambda n: 3 * math.log2(n), lambda n: 2 * n * math.log2(n)),
    FlatFit: (lambda n: 3, lambda n: n, lambda n: 3 * n),
    LInt: (lambda n: 4, lambda n: n + 3, lambda n: n + 3 * (1 + math.log2(n))),
    RInt: (lambda n: 2, lambda n: 2, lambda n: n + 1),
}


@pytest.mark.parametrize("kind", BOUNDS, ids=lambda kind: kind.name)
@pytest.mark.parametrize("n", [8, 13, 32, 50])
def test_i15_counters_stay_under_table_2(kind: type[Kernel], n: int) -> None:
    """I-15, A-22: amortised, worst and max-multi-query operations per slide, doc 001 Table 2 and doc 004 Fig. 1."""
    amortised, worst, multi = (bound(n) for bound in BOUNDS[kind])
    one = stream(kind)
    one.slides(2 * n, n)
    taken = one.slides(4 * (n + 1), n)
    assert sum(taken) / len(taken) <= amortised
    assert max(taken) <= worst
    many = stream(kind)
    many.slides(2 * n, *range(n, 0, -1))
    taken = many.slides(4 * n, *range(n, 0, -1))
    assert sum(taken) / len(taken) <= multi


def test_i15_trees_take_twice_the_window() -> None:
    """I-15, Table 2: FlatFAT and B-Int keep 2n for a window that is a power of two."""
    fat, base = stream(FlatFat), stream(BInt)
    for one in (fat, base):
        one.slides(200, 64)
    assert fat.kernel.capacity == 64
    assert base.kernel.intervals <= 2 * 64
