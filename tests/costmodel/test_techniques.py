"""Omega of each technique against the vectors (V-11, V-16; X-08, X-10, X-11).

Rows I-14, I-24, I-25, I-26, I-27, I-28, I-29, I-39.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from costmodel import AUTO, TECHNIQUES, Need, TreeStats, WindowGroups, find_technique, running_aggregates
from costmodel.omega import (
    FLATFAT,
    FLATFIT,
    PANES,
    SLICKDEQUE_INV,
    SLICKDEQUE_NONINV,
    SLICKDEQUE_NONINV_HARMONIC,
)

LATER = [
    # panes_inv, b_int, two_stacks, daba, l_int, r_int
    ([(6, 2), (8, 4)], 0.5, (4, 1 + math.log2(3) + 2, 6, 10, 8, 3)),
    ([(100, 10)], 0.1, (2, 1 + math.log2(10), 3, 5, 4, 2)),
    ([(5, 5)], 0.2, (2, 1.0, 3, 5, 4, 2)),
    ([(60, 10), (60, 20), (64, 20)], 0.1, (6, 1 + 2 * math.log2(6) + math.log2(6.4), 6, 10, 9, 4)),
]
V_11 = [
    ([(6, 2), (8, 4)], 0.5, (5.0, 3.75, 6, 4, 5.208333, 5.583333)),
    ([(8, 5), (5, 4), (10, 1)], 1.0, (12.85, 10.0, 9, 6, 6.518282, 7.728968)),
    ([(8, 5), (5, 4)], 0.4, (2.85, 2.6, 6, 4, 5.041667, 5.208333)),
    ([(8, 5), (5, 4)], 0.7, (2.85, 5.4, 6, 4, 5.359524, 5.926190)),
    ([(100, 10)], 0.1, (10.0, 4.125, 3, 2, 4.518282, 5.728968)),
    ([(5, 5)], 0.2, (1.0, 0.0, 3, 2, 2.0, 2.0)),
    ([(60, 10), (3600, 10), (300, 20)], 0.1, (381.0, 18.464844, 9, 6, 6.712726, 11.459152)),
]
FLATFAT_TERMS = {
    1: 0.0, 2: 0.5, 3: 2.0, 4: 1.75, 5: 3.0, 7: 3.5, 8: 2.875, 11: 4.25, 16: 3.9375, 17: 5.0, 33: 6.0,
    100: 7.546875, 1000: 10.951172, 1024: 9.999023, 5000: 13.220459,
}  # fmt: skip

windows = st.lists(st.tuples(st.integers(1, 500), st.integers(1, 60)), min_size=1, max_size=12, unique=True)
rates = st.floats(0.001, 1.0)


def stats(shapes, rate, needs=()):
    return TreeStats.of(edge_rate=rate, windows=shapes, needs=needs)


@pytest.mark.parametrize(("shapes", "rate", "expected"), V_11)
def test_I_24_I_25_I_26_I_27_I_28_V_11_omega(shapes, rate, expected):
    assert [t(stats(shapes, rate)) for t in TECHNIQUES[:6]] == [pytest.approx(x, abs=5e-7) for x in expected]


@pytest.mark.parametrize(("shapes", "rate", "expected"), LATER)
def test_I_06_I_08_I_10_I_11_A_07_A_09_omega_of_the_other_techniques(shapes, rate, expected):
    assert [t(stats(shapes, rate)) for t in TECHNIQUES[6:]] == [pytest.approx(x) for x in expected]


def test_no_windows_cost_nothing():
    assert [t(stats([], 0.5)) for t in TECHNIQUES] == [0.0] * len(TECHNIQUES)


def test_I_25_X_08_V_11_terms_of_flatfat():
    for partials, expected in FLATFAT_TERMS.items():
        assert FLATFAT(stats([(partials, 1)], 1.0)) == pytest.approx(expected, abs=5e-7)
    assert FLATFAT(stats([(3, 2)], 0.5)) == 2.0  # 1.5 partials
    assert FLATFAT(stats([(1, 2)], 0.5)) == 0.0


def test_I_25_a_rate_that_is_not_exact_does_not_jump_at_powers_of_two():
    """Seven slides of which a tenth is no binary number: P is 7.000000000000001 or 8 - 1e-15 as computed."""
    for partials in (2, 4, 8, 16, 1024):
        exact = FLATFAT(stats([(partials, 1)], 1.0))
        for error in (-1e-15, 1e-15):
            assert FLATFAT(stats([(partials, 1)], 1.0 + error)) == pytest.approx(exact)


def test_I_28_X_11_lengths_of_the_deque():
    def length(technique, partials):
        return technique(stats([(partials, 1)], 1.0)) - 1 - (2 - 2 / partials)

    for n in range(1, 30):
        printed = sum(1 / math.factorial(i) for i in range(1, n + 1))
        assert length(SLICKDEQUE_NONINV, n) == pytest.approx(printed)
        harmonic = sum(1 / i for i in range(1, n + 1))
        assert length(SLICKDEQUE_NONINV_HARMONIC, n) == pytest.approx(harmonic)
    assert length(SLICKDEQUE_NONINV_HARMONIC, 1000) == pytest.approx(7.485471, abs=1e-6)
    far = math.fsum(1 / i for i in range(1, 100_001))
    assert length(SLICKDEQUE_NONINV_HARMONIC, 100_000) == pytest.approx(far, abs=1e-9)


def test_I_28_a_window_holds_at_least_one_partial():
    """Sampling windows, shorter than their slide: the formula as printed would be negative."""
    assert SLICKDEQUE_NONINV(stats([(1, 100)], 0.01)) == 2.0


@pytest.mark.parametrize(
    ("shapes", "expected", "approximate"),
    [
        ([(6, 2), (8, 4)], 2, 2),
        ([(40, 4), (60, 6), (50, 10)], 6, 3),
        ([(100, 5), (100, 4), (120, 6), (90, 10)], 7, 3),
    ],
)
def test_I_29_X_10_V_16_running_aggregates(shapes, expected, approximate):
    assert running_aggregates(shapes, [(0, s) for _, s in shapes]) == expected
    assert SLICKDEQUE_INV(stats(shapes, 0.5)) == 2 * approximate


@given(st.lists(st.tuples(st.integers(1, 40), st.sampled_from([1, 2, 3, 4, 6])), min_size=1, max_size=5))
def test_I_29_running_aggregates_are_those_of_a_walk(shapes):
    """Against a walk over the edges one by one, windows and edges with offsets."""
    edges = [(o, s) for r, s in shapes for o in {0, r % s}]
    length = math.lcm(*(s for _, s in edges))
    found = set()
    for r, s in shapes:
        for start in range(0, 2 * length, s):
            found.add(sum(any(x % m == o for o, m in edges) for x in range(start + 1, start + r + 1)))
    assert running_aggregates(shapes, edges) == len(found)


def test_I_29_a_composite_slide_that_is_too_long_is_not_walked_through():
    assert running_aggregates([(10**9, 10**9)], [(0, 10**9 + 7)]) is None


@given(windows, windows, rates)
@settings(deadline=None)
def test_summaries_of_trees_combine_to_the_summary_of_their_union(one, two, rate):
    """Two groups summarised together and merged cost what the union costs by itself."""
    two = [w for w in two if w not in one] or [(501, 61)]
    lengths = np.array(one + two, dtype=np.int64)
    group = np.array([0] * len(one) + [1] * len(two), dtype=np.int64)
    both = WindowGroups(
        ranges=lengths[:, 0], slides=lengths[:, 1], needs=np.ones_like(group), group=group, count=2
    )
    for technique in (*TECHNIQUES, AUTO):
        summary = technique.summarise(both)
        merged = summary.take(slice(0, 1)).with_row(summary, 1)
        expected = technique(stats(one + two, rate, [Need.INVERTIBLE]))
        assert technique.per_edge(merged, np.array([rate]))[0] == pytest.approx(expected)
        united = summary.union(np.array([0, 1]))
        assert technique.per_edge(united, np.array([rate]))[0] == pytest.approx(expected)


@given(windows, st.tuples(st.integers(1, 500), st.integers(1, 60)), rates)
@settings(deadline=None)
def test_a_window_that_joins_a_tree_costs_what_the_larger_tree_costs(shapes, new, rate):
    if new in shapes:
        shapes = [w for w in shapes if w != new] or [(501, 61)]
    known = new[0] in {r for r, _ in shapes}
    for technique in (PANES, FLATFIT, SLICKDEQUE_INV, SLICKDEQUE_NONINV, SLICKDEQUE_NONINV_HARMONIC):
        tree = technique.summarise(WindowGroups.one(stats(shapes, rate)), coarse=True)
        window = technique.joining(WindowGroups.one(stats([new], rate)), same_range=known)
        found = technique.per_edge(tree.joined(window), np.array([rate]))[0]
        assert found == pytest.approx(technique(stats([*shapes, new], rate)))


@given(windows, st.integers(2, 6), rates)
@settings(deadline=None)
def test_coarse_summaries_of_merged_trees_are_not_below_fine_ones(shapes, parts, rate):
    """What is inexact with thousands of trees is rather too dear, so that a merge that seems to gain does."""
    lengths = np.array(shapes, dtype=np.int64)
    group = np.arange(len(shapes)) % parts
    given_ = WindowGroups(
        ranges=lengths[:, 0], slides=lengths[:, 1], needs=np.zeros_like(group), group=group, count=parts
    )
    everything = np.arange(parts)
    for technique in (PANES, FLATFIT, SLICKDEQUE_INV, SLICKDEQUE_NONINV):
        fine, coarse = (
            technique.per_edge(technique.summarise(given_, coarse=c).union(everything), np.array([rate]))[0]
            for c in (False, True)
        )
        assert coarse >= fine - 1e-9


def test_I_14_I_39_what_each_technique_may_serve():
    assert {t.name: sorted(t.serves) for t in TECHNIQUES} == {
        "panes": ["invertible", "neither", "selective"],
        "flatfat": ["invertible", "neither", "selective"],
        "flatfit": ["invertible", "neither", "selective"],
        "slickdeque_inv": ["invertible"],
        "slickdeque_noninv": ["selective"],
        "slickdeque_noninv_harmonic": ["selective"],
        "panes_inv": ["invertible"],
        "b_int": ["invertible", "neither", "selective"],
        "two_stacks": ["invertible", "neither", "selective"],
        "daba": ["invertible", "neither", "selective"],
        "l_int": ["invertible", "neither", "selective"],
        "r_int": ["invertible"],
    }
    assert [t.name for t in TECHNIQUES if not t.multi_query] == ["two_stacks", "daba"]
    assert find_technique("auto") is AUTO


@given(windows, rates, st.sets(st.sampled_from(list(Need))))
@settings(deadline=None)
def test_I_39_auto_is_the_least_that_may_serve_each_kind(shapes, rate, needs):
    tree = stats(shapes, rate, needs)
    omegas = {t: t(tree) for t in AUTO.techniques}
    if needs:
        expected = max(min(omegas[t] for t in omegas if need in t.serves) for need in needs)
    else:
        expected = min(omegas.values())
    assert AUTO(tree) == pytest.approx(expected)
    chosen = AUTO.choose(tree)
    assert max(omegas[t] for t in chosen.values()) == pytest.approx(expected)
    assert all(need in chosen[need].serves for need in needs)


@given(windows, windows)
def test_additive_techniques_really_are(one, two):
    """What lets ACQs with equal edges always stay together: each window adds the same, whatever the rest is."""
    two = [w for w in two if w not in one] or [(501, 61)]
    additive = [t for t in (*TECHNIQUES, AUTO) if t.additive]
    assert {t.name for t in additive} == {"panes", "flatfit", "panes_inv"}
    for technique in additive:
        apart = technique(stats(one, 0.9)) + technique(stats(two, 0.1))
        assert technique(stats(one + two, 0.5)) == pytest.approx(apart)
