"""Expected operations against what the kernels count on simulated trees (rows I-15, I-37; X-05)."""

from __future__ import annotations

import math
from functools import cache

import numpy as np
import pytest

from costmodel.operations import OPERATIONS, expected_operations
from costmodel.partials import partials_of
from costmodel.tree_work import TreeWork
from optimizer.edges.classes import classes_of, reduce_classes
from optimizer.model.window import Unit, Window
from planner_spark.kernels.kernel import Windows
from planner_spark.kernels.lanes import CountLane, ExtremeLane, SumLane
from planner_spark.kernels.techniques import find_kernel

TREES = {
    "one window": [(100, 10)],
    "tumbling": [(12, 12)],
    "one slide": [(60, 5), (300, 5), (35, 5)],
    "unlike slides": [(60, 4), (90, 6), (120, 10)],
    "pairs": [(28, 5), (47, 10), (33, 15)],
    "nested": [(40, 10), (80, 20), (320, 40), (600, 60)],
    "one range": [(120, 10), (120, 15), (120, 40)],
    "sampling": [(5, 15), (60, 15)],
    "many": [(20 * i, 5 * (1 + i % 4)) for i in range(1, 21)],
}
ESTIMATES = {"flatfit": 0.15, "two_stacks": 0.15, "daba": 0.15, "l_int": 0.25}
"""Where the formula is an upper estimate, follows even edges, or depends on the first windows (L-INT)."""
SINGLE = ("two_stacks", "daba")


def edges_of(shapes):
    windows = [Window(range=r, slide=s, unit=Unit.ABSTRACT) for r, s in shapes]
    classes = reduce_classes([c for w in windows for c in classes_of(w, partials="pairs")])
    return [(c.residue, c.modulus) for c in classes]


@cache
def schedule(name: str, start: int):
    """Edge times, and due windows (end, range, start), of about 3,000 time units."""
    shapes = TREES[name]
    length = math.lcm(*(m for _, m in edges_of(shapes)))
    total = start + max(3_000, length, 8 * max(r for r, _ in shapes))
    edges = sorted({x for o, m in edges_of(shapes) for x in range(o, total, m) if x > start})
    ranges = sorted({r for r, _ in shapes})
    due = sorted(
        (k * s + r, r, k * s, ranges.index(r), sorted(shapes).index((r, s)))
        for r, s in shapes
        for k in range(total // s)
        if start < k * s + r <= edges[-1]
    )
    return np.array(edges), due, len(ranges)


def count(technique: str, name: str, lane, start: int, together: int) -> tuple[float, float]:
    """Operations and time units of the second part of a run."""
    kind = find_kernel(technique)
    edges, due, ranges = schedule(name, start)
    keys = 32 if technique == "slickdeque_noninv" else 1
    kernel = kind(lane, slots=len(set(TREES[name])) if kind.slot_per_query else ranges, keys=keys)
    chance = np.random.default_rng(5)
    longest = max(r for r, _ in TREES[name])
    settled, begun, times = None, 0, np.array([d[0] for d in due])
    for first in range(0, len(edges), together):
        ends = edges[first : first + together]
        until = ends[-1]
        came = int(np.searchsorted(times, until, side="right"))
        now, begun = due[begun:came], came
        lows = np.searchsorted(edges, [d[2] for d in now], side="right")
        highs = np.searchsorted(edges, [d[0] for d in now], side="right")
        slots = np.array([d[4] if kind.slot_per_query else d[3] for d in now], dtype=np.int64)
        order = np.argsort(highs, kind="stable")
        values = chance.random((len(ends), keys))
        parts = (values if lane.parts[0].dtype == float else (values * 1e6).astype(np.int64),)
        kernel.advance(parts, Windows(lows[order], highs[order], slots[order]))
        kernel.evict(int(np.searchsorted(edges, until - longest, side="right")))
        if settled is None and until > start + 2 * longest:
            settled = kernel.operations, until
    assert settled is not None
    return kernel.operations - settled[0], float(edges[-1] - settled[1])


COUNT = CountLane(column="v")
LARGEST = ExtremeLane(column="v", largest=True, fractional=True)


@pytest.mark.parametrize("together", [1, 13])
@pytest.mark.parametrize("technique", OPERATIONS)
@pytest.mark.parametrize("name", TREES)
def test_I_15_I_37_what_is_expected_is_what_kernels_count(technique: str, name: str, together: int):
    shapes = TREES[name]
    if technique in SINGLE and len({r for r, _ in shapes}) > 1:
        return
    lane = LARGEST if technique == "slickdeque_noninv" else COUNT
    edges = edges_of(shapes)
    length = math.lcm(*(m for _, m in edges))
    rate = len({x for o, m in edges for x in range(o, length, m)}) / length
    counted = time = 0.0
    # Where the first partial lies matters to covers: streams begin anywhere.
    for start in (0, 37, 1003):
        operations, units = count(technique, name, lane, start, together)
        counted, time = counted + operations, time + units
    work = TreeWork.of(edge_rate=rate, windows=shapes, edges=edges, together=together)
    expected = expected_operations(technique, work)
    assert expected == pytest.approx(counted / time, rel=ESTIMATES.get(technique, 0.1), abs=0.02)


def test_prefixes_of_floats_begin_anew():
    lane = SumLane(column="v", fractional=True)
    operations, units = count("r_int", "one slide", lane, 0, 16)
    edges = edges_of(TREES["one slide"])
    work = TreeWork.of(edge_rate=0.2, windows=TREES["one slide"], edges=edges, exact=False)
    assert expected_operations("r_int", work) == pytest.approx(operations / units, rel=0.1)


def test_mean_partials_of_a_walk():
    shapes = TREES["pairs"]
    edges = edges_of(shapes)
    found = zip(*partials_of(tuple(shapes), 0.5, tuple(edges)), strict=True)
    for (r, s), (least, mean, most) in zip(shapes, found, strict=True):
        held = [
            sum(any(x % m == o for o, m in edges) for x in range(k * s + 1, k * s + r + 1))
            for k in range(1, math.lcm(*(m for _, m in edges), s) // s + 1)
        ]
        assert (least, mean, most) == (min(held), pytest.approx(sum(held) / len(held)), max(held))


def test_a_composite_slide_that_is_too_long_is_not_walked_along():
    least, mean, most = partials_of(((11, 5),), 0.3, ((0, 5), (0, 10**7 + 19)))
    assert (least.tolist(), mean.tolist(), most.tolist()) == ([3.0], [3.3], [4.0])


def test_a_technique_that_nobody_knows_has_no_number():
    work = TreeWork.of(edge_rate=1.0, windows=[(1, 1)])
    assert expected_operations("guess", work) is None
    assert expected_operations("panes", TreeWork.of(edge_rate=1.0, windows=[])) == 0.0
