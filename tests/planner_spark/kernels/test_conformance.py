"""Every technique, in lock-step with the combination of all partials of each window (rows I-05 to I-15, A-05 to A-09).

A run is a list of steps, each with other keys perhaps, some partials, the windows that are due, and what may be
forgotten after it. Answers are the same bit for bit for integers, objects and extremes, and within 1e-9 of the sum of
magnitudes for floats.
"""

from __future__ import annotations

import pickle
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planner_spark.kernels.history import arranged
from planner_spark.kernels.inverse import carried
from planner_spark.kernels.kernel import Kernel, Windows
from planner_spark.kernels.lane import Lane, Parts
from planner_spark.kernels.lanes import (
    BigSumLane,
    CountLane,
    ExtremeLane,
    MomentsLane,
    ObjectExtremeLane,
    SumLane,
    WideSumLane,
)
from planner_spark.kernels.over import Array
from planner_spark.kernels.techniques import KERNELS, serves

Chance = np.random.Generator
TOLERANCE = 1e-9
BATCHES = (0, 1, 1, 1, 2, 3, 5, 17, 40)


# Values.


def _objects(values: list) -> Array:
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array


def counts(chance: Chance, n: int) -> Parts:
    return (chance.integers(0, 5, n),)


def longs(chance: Chance, n: int) -> Parts:
    return (chance.integers(-(2**60), 2**60, n),)


def small(chance: Chance, n: int) -> Parts:
    """Few values, so that many are as good as one another."""
    return (chance.integers(-3, 4, n),)


def limbs(chance: Chance, n: int) -> Parts:
    """As Spark ships them: the low limb is a sum that nobody has carried yet."""
    return chance.integers(-(2**40), 2**40, n), chance.integers(0, 2**40, n)


def floats(chance: Chance, n: int) -> Parts:
    """Of all sizes, and now and then a huge one that leaves again."""
    spikes = np.where(chance.random(n) < 0.03, 1e18, 1.0)
    return (chance.normal(size=n) * 10.0 ** chance.integers(-3, 6, n) * spikes,)


def wild(chance: Chance, n: int) -> Parts:
    """Floats with what is no number among them."""
    odd = chance.choice([np.nan, np.inf, -np.inf, 0.0, 1.0], n)
    return (np.where(chance.random(n) < 0.1, odd, floats(chance, n)[0]),)


def rounded(chance: Chance, n: int) -> Parts:
    """Few values, NaN and the infinite ones among them."""
    return (chance.choice([np.nan, np.inf, -np.inf, 0.0, 1.0, 2.0, 2.0], n),)


def wide(chance: Chance, n: int) -> Parts:
    """Sums beyond 64 bits, some of which overflowed inside their fragment."""
    values = chance.integers(-(2**62), 2**62, n).tolist()
    return (_objects([None if v % 29 == 0 else v * 10**18 for v in values]),)


def words(chance: Chance, n: int) -> Parts:
    return (_objects(chance.choice(["", "a", "b", "ab", "é", "z", "𝄞"], n).tolist()),)


def moments(chance: Chance, n: int) -> Parts:
    values = floats(chance, n)[0]
    return chance.integers(1, 9, n), values, np.abs(chance.normal(size=n)) * np.abs(values)


LANES: dict[str, tuple[Lane, Callable[[Chance, int], Parts]]] = {
    "count": (CountLane(column="v"), counts),
    "sum of longs": (SumLane(column="v", fractional=False), longs),
    "sum of floats": (SumLane(column="v", fractional=True), floats),
    "sum of wild floats": (SumLane(column="v", fractional=True), wild),
    "wide sum": (WideSumLane(column="v"), limbs),
    "big sum": (BigSumLane(column="v"), wide),
    "max of longs": (ExtremeLane(column="v", largest=True, fractional=False), longs),
    "min of few longs": (ExtremeLane(column="v", largest=False, fractional=False), small),
    "max of floats": (ExtremeLane(column="v", largest=True, fractional=True), rounded),
    "min of floats": (ExtremeLane(column="v", largest=False, fractional=True), rounded),
    "max of words": (ObjectExtremeLane(column="v", largest=True, decimal=False), words),
    "min of words": (ObjectExtremeLane(column="v", largest=False, decimal=False), words),
    "moments": (MomentsLane(column="v"), moments),
}


def partials_of(
    lane: Lane, make: Callable[[Chance, int], Parts], chance: Chance, rows: int, keys: int
) -> Parts:
    """Rows [n, key], of which some say that a key has no value there."""
    parts = lane.identity((rows, keys))
    seen = np.nonzero(chance.random((rows, keys)) < 0.8)
    for part, values in zip(parts, make(chance, len(seen[0])), strict=True):
        part[seen] = values
    return parts


# Runs.


@dataclass(slots=True)
class Step:
    """One advance; windows are (low, high, slot)."""

    rows: int
    windows: list[tuple[int, int, int]] = field(default_factory=list)
    columns: list[int] | None = None
    evict: bool = True


def steady(chance: Chance, length: int) -> Iterator[tuple[int, int]]:
    """Windows of one range that end every so often."""
    width, slide = int(chance.integers(1, 40)), int(chance.integers(1, 8))
    for high in range(slide, length + 1, slide):
        yield max(0, high - width), high


def sawtooth(chance: Chance, length: int) -> Iterator[tuple[int, int]]:
    """Windows that grow, and drop to next to nothing, or to nothing."""
    low, drop = 0, int(chance.integers(1, 50))
    for high in range(1, length + 1):
        if high == drop:
            low, drop = high - int(chance.integers(0, 3)), high + int(chance.integers(1, 50))
        yield low, high


def sampling(chance: Chance, length: int) -> Iterator[tuple[int, int]]:
    """Windows with partials between them that are in none: slide > range."""
    width, gap = int(chance.integers(1, 12)), int(chance.integers(1, 60))
    for high in range(width, length + 1, width + gap):
        yield high - width, high


def irregular(chance: Chance, length: int) -> Iterator[tuple[int, int]]:
    """Windows of any widths, some more than once, some that hold nothing."""
    low = high = 0
    while True:
        high += int(chance.integers(0, 4))
        if high > length:
            return
        low = int(chance.integers(low, high + 1)) if chance.random() < 0.3 else low
        yield low, high


PROFILES = {profile.__name__: profile for profile in (steady, sawtooth, sampling, irregular)}


def run_of(profile: str, chance: Chance, *, slots: int, steps: int) -> list[Step]:
    """Batches of irregular sizes, windows as the profile has them, keys that come and go."""
    run = [Step(rows=int(chance.choice(BATCHES))) for _ in range(steps)]
    ends = np.cumsum([step.rows for step in run])
    due = [
        (low, high, slot) for slot in range(slots) for low, high in PROFILES[profile](chance, int(ends[-1]))
    ]
    due.sort(key=lambda window: window[1])
    keys = 3
    for low, high, slot in due:
        # A window that ends with the last partial of a batch may be asked for in a later advance.
        last = int(np.searchsorted(ends, high, side="right"))
        first = int(np.searchsorted(ends, high))
        place = min(last if slot % 2 and chance.random() < 0.5 else first, steps - 1)
        run[place].windows.append((low, high, slot))
    for step in run:
        step.windows.sort(key=lambda window: window[1])
        step.evict = bool(chance.random() < 0.8)
        if chance.random() < 0.15:
            old = chance.permutation(keys)[: chance.integers(0, keys + 1)].tolist()
            step.columns = [*old, *([-1] * int(chance.integers(0, 3)))]
            chance.shuffle(step.columns)
            keys = len(step.columns)
    return in_order(run)


def in_order(run: list[Step]) -> list[Step]:
    """The lows of a slot never go back."""
    lows: dict[int, int] = {}
    for step in run:
        for place, (low, high, slot) in enumerate(step.windows):
            lows[slot] = max(low, lows.get(slot, 0))
            step.windows[place] = lows[slot], high, slot
    return run


@st.composite
def runs(draw: st.DrawFn, slots: int) -> list[Step]:
    """Short runs of anything, which shrink."""
    run, end, keys = [], 0, 3
    lows = [0] * slots
    for rows in draw(st.lists(st.integers(0, 6), max_size=12)):
        step = Step(rows=rows, evict=draw(st.booleans()))
        if draw(st.integers(0, 4)) == 4:
            step.columns = draw(
                st.permutations(range(keys)).flatmap(
                    lambda old: st.integers(0, len(old)).map(lambda n: old[:n])
                )
            )
            step.columns = [*step.columns, *([-1] * draw(st.integers(0, 2)))]
            keys = len(step.columns)
        highs = sorted(end + h for h in draw(st.lists(st.integers(0, rows), max_size=4)))
        end += rows
        for high in highs:
            slot = draw(st.integers(0, slots - 1))
            lows[slot] = min(high, lows[slot] + draw(st.integers(0, 7)))
            step.windows.append((lows[slot], high, slot))
        run.append(step)
    return run


# Lock-step.


def drive(
    kernel: Kernel,
    make: Callable[[Chance, int], Parts],
    run: list[Step],
    chance: Chance,
    *,
    shuffled: bool = False,
) -> int:
    """Hold each answer against the combination of all partials; how many there were."""
    lane = kernel.lane
    # What is still to come may begin at the least of these.
    needed = [
        min((low for step in run[i:] for low, _, _ in step.windows), default=None) for i in range(len(run))
    ]
    needed.append(None)
    known = lane.identity((0, 3))
    kept: list[tuple[Parts, Parts]] = []
    for number, step in enumerate(run):
        if step.columns is not None:
            columns = np.array(step.columns, dtype=np.int64)
            kernel.arrange(columns)
            known = tuple(arranged(p, columns, f) for p, f in zip(known, lane.parts, strict=True))
        partials = partials_of(lane, make, chance, step.rows, known[0].shape[1])
        known = tuple(np.concatenate(both) for both in zip(known, partials, strict=True))
        rows = np.array(step.windows, dtype=np.int64).reshape(-1, 3)
        windows = Windows(*(chance.permutation(rows) if shuffled else rows).T)
        for part in partials:
            # They are shared: no technique may write to them, and
            part.flags.writeable = False
        answers = kernel.advance(partials, windows)
        for part, f in zip(partials, lane.parts, strict=True):
            part.flags.writeable = True
            # what a technique still needs of them it has to copy.
            part[:] = 77 if f.dtype != object else "77"
        for answer, f in zip(answers, lane.parts, strict=True):
            assert answer.shape == (len(windows), known[0].shape[1])
            assert answer.dtype == f.dtype
        for window, (low, high) in enumerate(zip(windows.lows.tolist(), windows.highs.tolist(), strict=True)):
            one = tuple(answer[window] for answer in answers)
            check(lane, one, tuple(part[low:high] for part in known), f"[{low}, {high}) of step {number}")
        kept.append((answers, tuple(answer.copy() for answer in answers)))
        if step.evict:
            first = needed[number + 1]
            end = len(known[0])
            kernel.evict(end if first is None else min(first, end))
    for answers, as_given in kept:
        for now, then in zip(answers, as_given, strict=True):
            assert np.array_equal(now, then, equal_nan=now.dtype == float), "an answer changed later"
    assert np.isfinite(kernel.operations) and kernel.operations >= 0
    return sum(len(answers[0]) for answers, _ in kept)


def check(lane: Lane, answer: Parts, window: Parts, where: str) -> None:
    """One answer, row [key], against the partials of its window."""
    expected = lane.reduce(window)
    if isinstance(lane, WideSumLane):
        # The same total may be in the limbs in many ways.
        answer, expected = carried(*answer), carried(*expected)
    with np.errstate(invalid="ignore", over="ignore"):
        for bound, got, right in zip(tolerances(lane, window), answer, expected, strict=True):
            if bound is None:
                same = np.array_equal(got, right, equal_nan=got.dtype == float)
                assert same, f"{where}: {got} for {right}"
                continue
            settled = np.isfinite(right)
            assert np.array_equal(got[~settled], right[~settled], equal_nan=True), (
                f"{where}: {got} for {right}"
            )
            error = np.abs(got - right)[settled]
            assert (error <= bound[settled]).all(), f"{where}: {got} for {right}, off by {error}"


def tolerances(lane: Lane, window: Parts) -> list[Array | None]:
    """How far each part of an answer may be off; None for not at all."""
    if isinstance(lane, SumLane) and lane.fractional:
        return [TOLERANCE * np.abs(window[0]).sum(axis=0)]
    if isinstance(lane, MomentsLane):
        counts, means, m2s = window
        weights = counts / np.maximum(counts.sum(axis=0), 1)
        spread = m2s.sum(axis=0) + (counts * np.square(means)).sum(axis=0)
        return [None, TOLERANCE * (weights * np.abs(means)).sum(axis=0), TOLERANCE * spread]
    return [None] * len(window)


def seed_of(*words: object) -> int:
    return zlib.crc32(repr(words).encode())


SERVED = [(kernel, name) for kernel in KERNELS for name, (lane, _) in LANES.items() if serves(kernel, lane)]
served = pytest.mark.parametrize(("kernel", "lane"), SERVED, ids=[f"{k.name}-{n}" for k, n in SERVED])
every = pytest.mark.parametrize("kernel", KERNELS, ids=[k.name for k in KERNELS])


@served
@pytest.mark.parametrize("profile", PROFILES)
def test_answers_windows_of_one_range(kernel: type[Kernel], lane: str, profile: str) -> None:
    """I-05 to I-13, A-05 to A-09: one slot, every lane that the technique may serve."""
    of, make = LANES[lane]
    chance = np.random.default_rng(seed_of(kernel.name, lane, profile))
    assert drive(kernel(of, slots=1, keys=3), make, run_of(profile, chance, slots=1, steps=30), chance) > 0


@served
@pytest.mark.parametrize("profile", PROFILES)
def test_answers_windows_of_several_ranges(kernel: type[Kernel], lane: str, profile: str) -> None:
    """I-05 to I-13, A-05 to A-09: several slots, for the techniques that take them."""
    of, make = LANES[lane]
    if not kernel.multi_query:
        with pytest.raises(ValueError, match="one range only"):
            kernel(of, slots=4)
        return
    chance = np.random.default_rng(seed_of(kernel.name, lane, profile, "several"))
    assert drive(kernel(of, slots=4, keys=3), make, run_of(profile, chance, slots=4, steps=15), chance) > 1


@every
@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_answers_any_run(kernel: type[Kernel], data: st.DataObject) -> None:
    """I-05 to I-13, A-05 to A-09: whatever comes in whatever order, down to the smallest run that fails."""
    lane, make = LANES[data.draw(st.sampled_from([name for k, name in SERVED if k is kernel]))]
    slots = data.draw(st.integers(1, 3)) if kernel.multi_query else 1
    chance = np.random.default_rng(data.draw(st.integers(0, 99)))
    drive(kernel(lane, slots=slots, keys=3), make, data.draw(runs(slots)), chance)


@pytest.mark.parametrize("kernel", [k for k in KERNELS if k.any_order], ids=lambda k: k.name)
@pytest.mark.parametrize("profile", PROFILES)
def test_answers_windows_in_any_order(kernel: type[Kernel], profile: str) -> None:
    """A technique that says so takes the windows of an advance in any order."""
    lane, make = LANES["sum of longs"]
    chance = np.random.default_rng(seed_of(kernel.name, profile, "shuffled"))
    run = run_of(profile, chance, slots=3, steps=20)
    drive(kernel(lane, slots=3, keys=3), make, run, chance, shuffled=True)


@every
def test_keys_come_after_the_kernel(kernel: type[Kernel]) -> None:
    """G-05: a kernel begins without keys, and forgets what a key had when the key is gone."""
    lane, make = LANES["count"] if serves(kernel, LANES["count"][0]) else LANES["max of longs"]
    fresh, nobody = kernel(lane, slots=1), np.empty(0, dtype=np.int64)
    none = Windows(nobody, nobody, nobody)
    fresh.advance(lane.identity((2, 0)), none)
    fresh.arrange(np.array([-1, -1]))
    chance = np.random.default_rng(1)
    rows = partials_of(lane, make, chance, 3, 2)
    both = fresh.advance(rows, Windows(np.array([0]), np.array([5]), np.array([0])))
    check(lane, tuple(part[0] for part in both), rows, "the first keys")
    fresh.arrange(np.array([1]))
    fresh.arrange(np.array([-1, 0]))
    last = fresh.advance(lane.identity((0, 2)), Windows(np.array([0]), np.array([5]), np.array([0])))
    stayed = lane.reduce(tuple(part[:, 1:] for part in rows))
    for answer, identity, right in zip(last, lane.identity(()), stayed, strict=True):
        assert answer[0].tolist() == [identity, right[0]]


@every
def test_a_spike_leaves_nothing_behind(kernel: type[Kernel]) -> None:
    """I-06, A-09: after 1e18 has left the window the small values are all there."""
    lane, _ = LANES["sum of floats"]
    if not serves(kernel, lane):
        with pytest.raises(TypeError, match=kernel.name):
            kernel(lane, slots=1)
        return
    values = np.full((60, 1), 0.1)
    values[7] = 1e18
    one = kernel(lane, slots=1, keys=1)
    for end in range(1, 61):
        low = max(0, end - 5)
        (answer,) = one.advance((values[end - 1 : end],), Windows(*np.array([[low], [end], [0]])))
        one.evict(low)
        if not low <= 7 < end:
            assert answer[0, 0] == pytest.approx(0.1 * (end - low), rel=1e-9)


@every
def test_refuses_lanes_that_it_may_not_serve(kernel: type[Kernel]) -> None:
    """I-14: what can be inverted, what selects, and any other are told apart."""
    for lane, _ in LANES.values():
        if not serves(kernel, lane):
            with pytest.raises(TypeError, match="is none"):
                kernel(lane, slots=1)


@every
@pytest.mark.parametrize("batch", [1, 7])
def test_memory_follows_what_is_retained(kernel: type[Kernel], batch: int) -> None:
    """G-14: a long run takes as much as a short one."""
    name = "sum of longs" if serves(kernel, LANES["sum of longs"][0]) else "max of longs"
    lane, make = LANES[name]
    chance = np.random.default_rng(3)
    one, sizes = kernel(lane, slots=1, keys=4), []
    for step in range(1, 901):
        high = step * batch
        low = max(0, high - 50)
        partials = partials_of(lane, make, chance, batch, 4)
        one.advance(partials, Windows(*np.array([[low], [high], [0]])))
        one.evict(low)
        if step in (200, 900):
            sizes.append(len(pickle.dumps(one)))
    assert sizes[1] <= 1.5 * sizes[0] + 1000
