"""Workloads at the edges: none, one, a thousand alike, coprime slides, no rate and a billion, many atoms."""

from __future__ import annotations

import math

import numpy as np
import pytest

from costmodel import TECHNIQUES
from optimizer.auto import auto
from optimizer.generate import draw, draw_free, planned, table_ii
from optimizer.model.plan import PlannedQuery, check_plan
from optimizer.model.window import Unit, Window
from optimizer.no_share import no_share
from optimizer.registry import OPTIMIZERS
from optimizer.shared import shared
from optimizer.triweave import triweave
from optimizer.weaveshare import weaveshare
from tests.optimizer.reference import query

ALL = [optimize for _, optimize in OPTIMIZERS]
NAMES = ["auto", *(t.name for t in TECHNIQUES)]


def ids(queries) -> set[str]:
    return {q.id for q in queries}


@pytest.mark.parametrize("technique", NAMES)
@pytest.mark.parametrize("rate", [0.0, 1.0, 1e9])
@pytest.mark.parametrize("improve", [False, True])
def test_no_queries_one_query_and_a_thousand_alike(technique, rate, improve):
    for optimize in ALL:
        assert optimize([], rate, technique=technique, improve=improve).trees == ()
        one = optimize([query("a", 7, 5)], rate, technique=technique, improve=improve)
        assert check_plan(one, {"a"}) == []
        alike = [query(f"q{n}", 30, 10) for n in range(1000)]
        plan = optimize(alike, rate, technique=technique, improve=improve)
        assert check_plan(plan, ids(alike)) == []
        if optimize is not no_share:
            assert len(plan.trees) == 1
            # they are answered once.
            single = optimize(alike[:1], rate, technique=technique)
            assert plan.cost.total == pytest.approx(single.cost.total)


@pytest.mark.parametrize("technique", NAMES)
def test_coprime_slides_of_a_million_are_exact(technique):
    primes = [1_000_003, 1_000_033, 1_000_037, 1_000_039, 1_000_081, 1_000_099]
    queries = [query(str(p), 3 * p, p) for p in primes]
    plan = shared(queries, 1.0, technique=technique)
    assert plan.trees[0].composite_slide == math.prod(primes)
    expected = 1 - math.prod(1 - 1 / p for p in primes)
    assert plan.edge_rate == pytest.approx(expected, rel=1e-9)
    for optimize in (weaveshare, triweave, auto):
        assert check_plan(optimize(queries, 1e-7, technique=technique), ids(queries)) == []


@pytest.mark.parametrize("optimize", ALL)
def test_windows_shorter_than_their_slide(optimize):
    sampling = [query("a", 1, 100), query("b", 30, 1000), query("c", 99, 100)]
    for technique in NAMES:
        plan = optimize(sampling, 1.0, technique=technique)
        assert check_plan(plan, ids(sampling)) == []
        assert all(tree.omega >= 0 for tree in plan.trees)


@pytest.mark.parametrize("optimize", ALL)
def test_lengths_up_to_two_to_the_62_do_not_overflow(optimize):
    long = [query("a", 2**62, 2**61), query("b", 2**62 - 57, 2**60 + 7), query("c", 2**61, 3**38)]
    for technique in NAMES:
        for rate in (0.0, 1e9):
            plan = optimize(long, rate, technique=technique)
            assert check_plan(plan, ids(long)) == []
            assert math.isfinite(plan.cost.total) and plan.cost.total >= 0


def test_a_rate_of_zero_leaves_apart_what_a_billion_merges():
    chance = planned(draw(queries=60, max_slide=120, max_overlap=50, seed=2, free_ranges=True))
    still = weaveshare(chance, 0.0, technique="panes")
    edges = {(q.window.slide, q.window.range % q.window.slide) for q in chance}
    assert len(still.trees) == len(edges)
    assert len(weaveshare(chance, 1e9, technique="panes").trees) == 1
    assert still.cost.total <= shared(chance, 0.0).cost.total


@pytest.mark.parametrize(
    "drawn",
    [
        draw(queries=2_500, max_slide=2_400, max_overlap=20, seed=3, free_ranges=True),
        draw_free(queries=1_700, max_slide=9_000, max_overlap=20, seed=4),
        draw(queries=20_000, max_slide=10_080, max_overlap=20, seed=5, free_ranges=True),
    ],
    ids=["free ranges", "unrelated slides", "more than can be weighed"],
)
@pytest.mark.parametrize("technique", ["panes", "flatfat", "slickdeque_inv"])
def test_more_atoms_than_all_pairs_can_be_compared_of(technique, drawn):
    """Edges are estimated while merging, and counted in the plan."""
    queries = planned(drawn)
    for optimize in (weaveshare, triweave):
        plan = optimize(queries, 200.0, technique=technique)
        assert check_plan(plan, ids(queries)) == []
        assert plan.cost.total <= plan.baselines.no_share
        for tree in plan.trees:
            assert tree.edge_rate_error is None or tree.edge_rate_error <= 0.2 * tree.edge_rate


def test_estimated_merging_comes_close_to_exact_merging(monkeypatch):
    queries = planned(draw(queries=8_000, max_slide=200, max_overlap=50, seed=1, free_ranges=True))
    for technique in ("panes", "flatfit", "slickdeque_noninv"):
        exact = [f(queries, 20.0, technique=technique).cost.total for f in (weaveshare, triweave)]
        with monkeypatch.context() as patch:
            patch.setattr("optimizer.problem.MANY", 60)
            patch.setattr("optimizer.coarsen.MANY", 60)
            coarse = [f(queries, 20.0, technique=technique).cost.total for f in (weaveshare, triweave)]
        assert all(c <= 1.25 * e for c, e in zip(coarse, exact, strict=True))


@pytest.mark.parametrize("technique", NAMES)
@pytest.mark.parametrize("optimize", [weaveshare, triweave, auto])
def test_X_07_windows_by_tuples_cost_the_rate_times_what_they_cost_at_one_tuple_a_unit(technique, optimize):
    """All that happens, happens per tuple: the same trees and Omegas at every rate, and costs in proportion."""
    shapes = [(8, 5), (5, 4), (10, 1), (120, 12), (45, 3)]
    abstract = [query(f"q{n}", r, s) for n, (r, s) in enumerate(shapes)]
    counted = [
        PlannedQuery(id=q.id, stream="s", window=Window(range=r, slide=s, unit=Unit.TUPLES))
        for q, (r, s) in zip(abstract, shapes, strict=True)
    ]
    one = optimize(abstract, 1.0, technique=technique)
    for rate in (1.0, 250.0):
        plan = optimize(counted, rate, technique=technique)
        assert [t.queries for t in plan.trees] == [t.queries for t in one.trees]
        assert [t.omega for t in plan.trees] == pytest.approx([t.omega for t in one.trees])
        assert plan.cost.total == pytest.approx(rate * one.cost.total)


def test_T_31_I_30_generators_are_seeded():
    one, two = (draw(queries=500, max_slide=1000, max_overlap=9, skew=-1, seed=s) for s in (1, 1))
    assert np.array_equal(one.slides, two.slides) and np.array_equal(one.ranges, two.ranges)
    assert set(one.slides.tolist()) == {1, 2, 4, 5, 8, 10, 20, 25, 40, 50, 100, 125, 200, 250, 500, 1000}
    assert (one.ranges // one.slides).max() <= 9 and not (one.ranges % one.slides).any()
    small, large = (draw(queries=5000, max_slide=1000, max_overlap=9, skew=z, seed=1) for z in (-1, 1))
    assert 5 * np.median(small.slides) < np.median(large.slides)
    drawn = table_ii(queries=256, seed=7)
    overlap = drawn.ranges // drawn.slides
    assert (overlap.min(), overlap.max()) == (1, 50)
    assert (10_000 % drawn.slides == 0).all()
