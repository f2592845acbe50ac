"""Stacks, deques and running aggregates: the papers' vectors and counts (doc 001 2.2, Table 2, Eq. 5 to 7)."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
import pytest

from planner_spark.kernels.daba import Daba
from planner_spark.kernels.kernel import Kernel, Windows
from planner_spark.kernels.lane import Lane
from planner_spark.kernels.lanes import CountLane, ExtremeLane, MomentsLane, SumLane, WideSumLane
from planner_spark.kernels.panes_inv import PanesInv
from planner_spark.kernels.r_int import RInt
from planner_spark.kernels.slickdeque_inv import SlickDequeInv
from planner_spark.kernels.slickdeque_noninv import SlickDequeNonInv
from planner_spark.kernels.two_stacks import TwoStacks

COUNT = CountLane(column="v")
FLOATS = SumLane(column="v", fractional=True)
MAX = ExtremeLane(column="v", largest=True, fractional=False)
MIN = ExtremeLane(column="v", largest=False, fractional=False)


def one(kernel: Kernel, row: list, *windows: tuple[int, int, int]) -> list[list]:
    """Insert one row of a lane with a single part, and answer windows of (low, high, slot)."""
    table = np.array(windows, dtype=np.int64).reshape(-1, 3)
    partial = np.array([row], dtype=kernel.lane.parts[0].dtype)
    (answers,) = kernel.advance((partial,), Windows(table[:, 0], table[:, 1], table[:, 2]))
    return answers.tolist()


def sliding(kernel: Kernel, rows: np.ndarray, ranges: list[int]) -> Iterator[tuple[list, float]]:
    """Every partial ends a window of each range: the answers of a step, and its operations."""
    for end, row in enumerate(rows.tolist(), start=1):
        before = kernel.operations
        found = one(kernel, row, *((max(end - r, 0), end, slot) for slot, r in enumerate(ranges)))
        kernel.evict(max(end - max(ranges), 0))
        yield found, kernel.operations - before


def random_rows(count: int, keys: int = 1) -> np.ndarray:
    """Values of which hardly two are alike."""
    return np.random.default_rng(42).integers(-(2**40), 2**40, (count, keys))


def test_i10_example_of_two_stacks():
    """Fig. 8 step 2 (V-15): 6 at the top of F, 1 at the top of B, max(6, 1) = 6."""
    kernel = TwoStacks(MAX, slots=1, keys=1)
    for value in (9, 3, 6):
        one(kernel, [value])
    # The 9 expires, so the others are flipped onto F.
    kernel.evict(1)
    assert kernel.operations == 2 + 1
    assert one(kernel, [1], (1, 4, 0)) == [[6]]
    assert kernel.operations == 2 + 1 + 1
    # F empties, and 1 and 2 are in B: their aggregate is at hand.
    assert one(kernel, [2], (3, 5, 0)) == [[2]]
    assert kernel.operations == 2 + 1 + 1 + 1


@pytest.mark.parametrize("count", [1, 2, 3, 10, 100])
def test_i10_two_stacks_take_three_operations_on_the_average(count):
    """Table 2: amortised 3, n in the worst step.

    P + 1 steps go from one flip to the next. They push P times onto something, P - 1 times more in the flip, and answer
    P - 1 times from both stacks.
    """
    steps = [n for _, n in sliding(TwoStacks(MAX, slots=1, keys=1), random_rows(8 * (count + 1)), [count])]
    steady = steps[2 * (count + 1) :]
    assert sum(steady) == 6 * (3 * count - 2)
    assert max(steady) <= max(count, 2)


@pytest.mark.parametrize("count", [1, 2, 3, 10, 100])
def test_i11_daba_never_takes_more_than_eight_operations(count):
    """Table 2: amortised 5, worst case 8."""
    steps = [n for _, n in sliding(Daba(MAX, slots=1, keys=1), random_rows(8 * (count + 1)), [count])]
    assert max(steps) <= 8
    assert sum(steps[2 * count :]) / len(steps[2 * count :]) <= 5
    if count == 100:
        assert max(steps) == 8
        assert sum(steps[200:]) / len(steps[200:]) > 4.5


def test_i11_daba_is_right_while_windows_grow_and_shrink():
    """The pointers hold for any order of insertions and evictions; moments have no inverse and no order."""
    lane = MomentsLane(column="v")
    kernel, rng = Daba(lane, slots=1, keys=2), np.random.default_rng(1)
    means, low = rng.normal(size=(300, 2)), 0
    for end in range(1, 301):
        low = int(rng.integers(low, end + 1)) if rng.random() < 0.2 else low
        row = (np.ones((1, 2), dtype=np.int64), means[end - 1 : end], np.zeros((1, 2)))
        at = np.array([low]), np.array([end]), np.array([0])
        counts, found, m2s = kernel.advance(row, Windows(*at))
        assert counts.tolist() == [[end - low] * 2]
        if low < end:
            assert found[0] == pytest.approx(means[low:end].mean(axis=0), rel=1e-9, abs=1e-12)
            assert m2s[0] / (end - low) == pytest.approx(means[low:end].var(axis=0), rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("kind", [PanesInv, SlickDequeInv])
@pytest.mark.parametrize("lane", [COUNT, FLOATS], ids=["count", "float"])
def test_i12_i06_two_operations_per_partial_and_running_aggregate(kind, lane):
    """Eq. 6 and Table 2: exactly 2 for each distinct range once the windows are full."""
    ranges = [3, 10, 40]
    kernel = kind(lane, slots=3, keys=2)
    rows = np.random.default_rng(3).integers(1, 9, (200, 2))
    for end, (found, operations) in enumerate(sliding(kernel, rows, ranges), start=1):
        assert found == [rows[max(end - r, 0) : end].sum(axis=0).tolist() for r in ranges]
        if end > 40:
            assert operations == 2 * len(ranges)


def test_i12_slides_of_several_partials_take_as_many_operations():
    """Queries of one range share its aggregate, whatever their slides: 2 per partial between any two windows."""
    kernel = SlickDequeInv(COUNT, slots=1, keys=1)
    rows = np.ones((24, 1), dtype=np.int64)
    # Slides 2 and 3 over a range of 6, where both are due twice.
    ends = sorted([*range(6, 25, 2), *range(6, 25, 3)])
    highs = np.array(ends)
    (found,) = kernel.advance((rows,), Windows(highs - 6, highs, np.zeros_like(highs)))
    assert found.tolist() == [[6]] * len(ends)
    assert kernel.operations == 24 + 18


def test_i12_windows_with_gaps_between_them_start_anew():
    """Sampling windows: what lies between two of them is never taken in."""
    kernel = SlickDequeInv(COUNT, slots=1, keys=1)
    highs = np.array([3, 13, 23])
    (found,) = kernel.advance((np.ones((23, 1), dtype=np.int64),), Windows(highs - 3, highs, 0 * highs))
    assert found.tolist() == [[3]] * 3
    assert kernel.operations == 9


def test_i06_panes_inv_has_a_running_aggregate_per_query():
    """SlickDeque (Inv) is Panes (Inv) with a map from ranges (I-12)."""
    assert PanesInv.slot_per_query
    assert not SlickDequeInv.slot_per_query


@pytest.mark.parametrize("kind", [PanesInv, SlickDequeInv, RInt])
@pytest.mark.parametrize("spike", [1e18, math.nan, math.inf, -math.inf])
def test_i06_a_spike_leaves_nothing_behind(kind, spike):
    """Floats: the answer is right again as soon as the spike is out of the window."""
    rows = np.random.default_rng(5).normal(size=(60, 3))
    rows[20, 1] = spike
    kernel = kind(FLOATS, slots=1, keys=3)
    for end, (found, _) in enumerate(sliding(kernel, rows, [8]), start=1):
        wanted = rows[max(end - 8, 0) : end].sum(axis=0)
        assert found[0] == pytest.approx(wanted, rel=1e-9, abs=1e-12, nan_ok=True)


def test_i06_only_the_keys_that_need_it_are_combined_afresh():
    """One key of four has a spike: when it leaves, a fourth of the window's partials is one operation each."""
    rows = np.ones((40, 4))
    rows[10, 2] = 1e18
    steps = [n for _, n in sliding(SlickDequeInv(FLOATS, slots=1, keys=4), rows, [8])]
    assert [n for n in steps[8:] if n != 2] == [2 + 8 / 4]
    assert steps[18] == 4


def test_v15_example_of_slickdeque_non_inv():
    """Fig. 10: (1, 7), (3, 5), (5, 3), (6, 2); then 4 comes at position 1, six positions after the first one."""
    kernel = SlickDequeNonInv(MAX, slots=6, keys=1)
    ranges = [1, 2, 3, 4, 5, 6]
    rows = np.array([7, 1, 5, 1, 3, 2, 4]).reshape(-1, 1)
    steps = sliding(kernel, rows, ranges)
    for _ in range(6):
        next(steps)
    assert [(position + 1, value) for position, value in kernel.nodes(0)] == [(1, 7), (3, 5), (5, 3), (6, 2)]
    found, operations = next(steps)
    assert [(position % 6 + 1, value) for position, value in kernel.nodes(0)] == [(3, 5), (1, 4)]
    assert found == [[4], [4], [4], [4], [5], [5]]
    # Compared with 2, 3 and 5; then one comparison per range, and one node is passed.
    assert operations == 3 + 6 + 1


def test_g06_values_that_a_younger_larger_one_makes_useless():
    """Doc 003 Fig. 1.1: 75 as long as it is in the window, then 73."""
    kernel = SlickDequeNonInv(MAX, slots=1, keys=1)
    rows = np.array([71, 75, 72, 73]).reshape(-1, 1)
    found = [answers[0][0] for answers, _ in sliding(kernel, np.append(rows, [[70]], axis=0), [3])]
    assert found == [71, 75, 75, 75, 73]
    assert kernel.nodes(0) == [(3, 73), (4, 70)]


@pytest.mark.parametrize("lane", [MAX, MIN], ids=["max", "min"])
@pytest.mark.parametrize("count", [1, 2, 5, 50])
def test_i13_comparisons_tend_to_two_less_two_over_p(lane, count):
    """Eq. 7 for one query (X-12): each partial is beaten once and fails to beat one, but for 1/P of them each."""
    steps = sliding(SlickDequeNonInv(lane, slots=1, keys=40), random_rows(600, 40), [count])
    operations = [n for _, n in steps][count:]
    assert sum(operations) / len(operations) == pytest.approx(2 - 2 / count, rel=0.01)


def test_i13_length_of_the_deque_is_harmonic():
    """X-11: H_P nodes on the average, not the sum of 1/i!; several ranges cost Q and the nodes that are passed."""
    count, keys = 50, 40
    kernel = SlickDequeNonInv(MAX, slots=2, keys=keys)
    lengths, operations = [], []
    for _, n in sliding(kernel, random_rows(600, keys), [1, count]):
        lengths.append(sum(len(kernel.nodes(key)) for key in range(keys)) / keys)
        operations.append(n)
    harmonic = sum(1 / i for i in range(1, count + 1))
    assert sum(lengths[count:]) / len(lengths[count:]) == pytest.approx(harmonic, rel=0.02)
    # The range of one partial is answered by the tail, and the traversal goes all the way.
    expected = 2 - 2 / count + 2 + harmonic - 1
    assert sum(operations[count:]) / len(operations[count:]) == pytest.approx(expected, rel=0.02)


def test_i13_the_worst_case_is_a_full_deque():
    """Falling values are all kept, n of them (Table 2), and memory does not grow with time (G-14)."""
    kernel = SlickDequeNonInv(MAX, slots=1, keys=1)
    steps = sliding(kernel, np.arange(5000, 0, -1).reshape(-1, 1), [100])
    assert [n for _, n in steps][1:] == [1] * 4999
    assert len(kernel.nodes(0)) == 100
    assert kernel._positions.size <= 2 * 101
    before = kernel.operations
    assert one(kernel, [5001], (4901, 5001, 0)) == [[5001]]
    assert kernel.operations - before == 99
    assert kernel.nodes(0) == [(5000, 5001)]


def test_i13_keys_come_and_go():
    """All keys gone and others come: each begins with a deque of its own."""
    kernel = SlickDequeNonInv(MAX, slots=1, keys=3)
    rows = np.array([[100 - i, i, 7] for i in range(60)])
    list(sliding(kernel, rows, [40]))
    kernel.arrange(np.array([1, -1, 0]))
    assert one(kernel, [0, 5, 0], (21, 61, 0)) == [[59, 5, 79]]
    kernel.arrange(np.array([], dtype=np.int64))
    assert one(kernel, [], (22, 62, 0)) == [[]]
    kernel.arrange(np.array([-1, -1]))
    for end in range(63, 163):
        assert one(kernel, [200 - end, end], (end - 1, end, 0)) == [[200 - end, end]]


@pytest.mark.parametrize("kind", [TwoStacks, Daba])
def test_g14_memory_of_queues_does_not_grow_with_time(kind):
    """Rows are used again: 2000 partials leave as many places as 200 did."""
    kernel = kind(MAX, slots=1, keys=1)
    histories = [h for h in vars(kernel).values() if hasattr(h, "put")]
    sizes = []
    for end, _ in enumerate(sliding(kernel, random_rows(2000), [30]), start=1):
        if end in (200, 2000):
            sizes.append([len(h._arrays[0]) for h in histories])
    assert sizes[0] == sizes[1]


@pytest.mark.parametrize(
    ("kind", "lane"),
    [(PanesInv, MAX), (SlickDequeInv, MAX), (SlickDequeInv, MomentsLane(column="v"))]
    + [
        (SlickDequeNonInv, lane) for lane in (COUNT, FLOATS, WideSumLane(column="v"), MomentsLane(column="v"))
    ],
)
def test_i14_lanes_that_a_technique_cannot_serve(kind: type[Kernel], lane: Lane):
    """I-06, I-14: no Inv for MAX, no Non-Inv for SUM."""
    with pytest.raises(TypeError, match=kind.name):
        kind(lane, slots=1)


@pytest.mark.parametrize("kind", [TwoStacks, Daba])
def test_i14_no_several_ranges(kind: type[Kernel]):
    """I-10, I-11, I-14: single-query techniques refuse a tree of several ranges."""
    with pytest.raises(ValueError, match="one range only, not of 2"):
        kind(MAX, slots=2)
