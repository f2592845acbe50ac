"""Weave Share and TriWeave: the papers' greedy, on their examples and against it as written.

Rows T-05, T-07, T-15, I-14, I-16, I-20, I-21, I-22, I-23, I-39, A-26; V-06, V-10; X-02, X-13, X-14, X-17.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from costmodel import AUTO, TECHNIQUES, Need, find_technique
from optimizer.auto import auto
from optimizer.edges.bitset_space import BitSetSpace
from optimizer.edges.lattice_space import LatticeSpace
from optimizer.edges.subset_space import SubsetSpace
from optimizer.errors import Unsupported
from optimizer.exact import exact
from optimizer.greedy import greedy
from optimizer.model.plan import PlannedQuery, check_plan
from optimizer.model.window import Unit, Window
from optimizer.no_share import no_share
from optimizer.observer import Trace
from optimizer.problem import Problem
from optimizer.shared import shared
from optimizer.task import Task, items_of
from optimizer.triweave import triweave
from optimizer.weaveshare import weaveshare
from tests.optimizer.reference import by_bitset, by_f1, greedy_as_written, queries_of, query

TABLE_I = [query("a", 8, 5), query("b", 5, 4), query("c", 10, 1), query("d", 5, 4)]
NAMES = [t.name for t in TECHNIQUES]
FACTORS = (1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 24, 30, 40, 60, 120)

shapes = st.lists(
    st.tuples(st.integers(1, 300), st.sampled_from(FACTORS)), min_size=1, max_size=9, unique=True
)
rates = st.sampled_from([0.0, 0.01, 0.1, 1.0, 5.0, 50.0, 1e9])


def task(given_, rate, technique="panes", execution="twoops", partials="pairs") -> Task:
    queries = queries_of(given_)
    return Task.of(queries, rate, stream=None, technique=technique, partials=partials, execution=execution)


def groups(plan) -> set[frozenset[str]]:
    return {frozenset(tree.queries) for tree in plan.trees}


def named(*trees: str) -> set[frozenset[str]]:
    return {frozenset(tree) for tree in trees}


@pytest.mark.parametrize("rate", [0.5, 7.0, 10_000.0])
def test_T_15_V_06_X_02_X_17_triweave_on_table_i_whatever_the_rate(rate):
    slides_only = triweave(TABLE_I[:3], rate, partials="cutty")
    assert groups(slides_only) == named("ab", "c")
    assert slides_only.cost.total == pytest.approx(rate + 13.14)
    fragments = triweave(TABLE_I[:3], rate, partials="pairs")
    assert groups(fragments) == named("abc")
    assert fragments.cost.total == pytest.approx(rate + 13.85)
    assert groups(triweave(TABLE_I, rate, partials="cutty")) == named("abd", "c")


def test_I_21_V_10_two_nested_slides_are_merged_and_the_gain_is_half_an_operation():
    trace = Trace()
    plan = weaveshare([query("x", 6, 2), query("y", 8, 4)], 1.0, observer=trace)
    assert groups(plan) == named("xy")
    assert [merge.gain for merge in trace.merges] == [0.5]
    assert (plan.cost.total, plan.baselines.no_share) == (3.5, 4.0)


@pytest.mark.parametrize("execution", ["twoops", "triops"])
@pytest.mark.parametrize("name", NAMES)
@given(shapes, rates, st.sampled_from(["pairs", "cutty"]))
@settings(max_examples=25, deadline=None)
def test_T_07_T_15_I_20_I_22_I_23_greedy_is_the_papers_with_f1_and_with_bit_set(
    name, execution, given_, rate, partials
):
    """The same trees and gains as the algorithm as written, whichever way edges are counted."""
    work = task(given_, rate, name, execution, partials)
    problem = work.problem()
    items = work.workload.items
    order = list(zip(items.ranges.tolist(), items.slides.tolist(), strict=True))
    found = {frozenset(order[item] for item in tree) for tree in items_of(problem, greedy(problem))}
    counters = by_f1(partials), by_bitset(partials)
    technique = find_technique(name)
    expected = [
        greedy_as_written(order, rate_of=counter, technique=technique, fixed=problem.fixed)
        for counter in counters
    ]
    assert expected[0] == expected[1]
    trees = expected[0][0]
    if technique.additive and problem.fixed == 0:
        # Equal edges are together from the start, which without a cost of trees gains nothing and loses nothing.
        assert all(any(set(tree) <= group for group in found) for tree in trees)
    else:
        assert found == {frozenset(tree) for tree in trees}


@given(shapes, rates)
@settings(max_examples=40, deadline=None)
def test_I_20_the_plan_is_the_same_in_every_edge_space(given_, rate):
    for execution in ("twoops", "triops"):
        work = task(given_, rate, "slickdeque_noninv", execution)
        problem = work.problem()
        plans = []
        for space in (LatticeSpace.of, SubsetSpace.of, BitSetSpace):
            made = space(problem.atoms)
            other = Problem(**{**_fields(problem), "space": made}) if made is not None else problem
            plans.append([tree.tolist() for tree in greedy(other)])
        assert plans[0] == plans[1] == plans[2]


def _fields(problem: Problem) -> dict[str, object]:
    return {name: getattr(problem, name) for name in Problem.__slots__}


@pytest.mark.parametrize("name", [*NAMES, "auto"])
@given(shapes, rates)
@settings(max_examples=25, deadline=None)
def test_T_07_costs_fall_with_each_merge_and_end_below_all_together_and_all_apart(name, given_, rate):
    for execution, optimize in (("twoops", weaveshare), ("triops", triweave)):
        work = task(given_, rate, name, execution)
        trace = Trace()
        problem = work.problem()
        partition = greedy(problem, trace)
        totals = [
            problem.total([np.array(tree) for tree in trace.replay(step)])
            for step in range(len(trace.merges) + 1)
        ]
        assert all(after < before for before, after in pairwise(totals))
        assert totals[-1] == pytest.approx(problem.total(partition))
        falls = [before - after for before, after in pairwise(totals)]
        # Gains are small differences of totals as large as the rate.
        assert falls == [pytest.approx(m.gain, abs=1e-9 * (1 + totals[0])) for m in trace.merges]
        plan = optimize(queries_of(given_), rate, technique=name)
        assert check_plan(plan, {q.id for q in queries_of(given_)}) == []
        for other in (no_share, shared):
            bound = other(queries_of(given_), rate, technique=name, execution=execution)
            assert plan.cost.total <= bound.cost.total * (1 + 1e-12)


@given(shapes, rates)
@settings(max_examples=30, deadline=None)
def test_a_trace_replays_to_the_trees_and_tells_what_joined_whom(given_, rate):
    trace = Trace()
    problem = task(given_, rate).problem()
    partition = greedy(problem, trace)
    assert trace.replay() == sorted(tuple(tree.tolist()) for tree in partition)
    assert trace.replay(0) == [(atom,) for atom in range(len(problem.atoms))]
    for tree in partition:
        for atom in tree.tolist():
            joined = set().union({atom}, *(atoms for _, atoms in trace.steps_of(atom)))
            assert joined == set(tree.tolist())


@given(shapes, rates)
@settings(max_examples=20, deadline=None)
def test_the_same_workload_gives_the_same_plan_in_any_order_of_its_windows(given_, rate):
    first = auto(queries_of(given_), rate)
    assert auto(queries_of(given_), rate).document() == first.document()
    turned = [query(q.id, q.window.range, q.window.slide) for q in reversed(queries_of(given_))]
    assert groups(auto(turned, rate)) == groups(first)


def _measuring(id_: str, r: int, s: int, *calls: tuple[str, str | None]) -> PlannedQuery:
    return PlannedQuery.named(id_, "s", Window(range=r, slide=s, unit=Unit.ABSTRACT), calls)


@pytest.mark.parametrize("optimize", [weaveshare, triweave, exact, auto])
@pytest.mark.parametrize("improve", [False, True])
def test_A_26_queries_of_unlike_columns_never_share(optimize, improve):
    mixed = [
        _measuring("p", 6, 2, ("sum", "price")),
        _measuring("p2", 8, 4, ("avg", "price")),
        _measuring("s", 6, 2, ("sum", "size")),
        _measuring("s2", 8, 4, ("count", "size")),
        _measuring("n", 6, 2, ("count", None)),
        _measuring("n2", 12, 4, ("count", None)),
    ]
    plan = optimize(mixed, 1000.0, improve=improve)
    assert check_plan(plan, {q.id for q in mixed}) == []
    for tree in plan.trees:
        assert len({lane.column for lane in tree.lanes} - {"*"}) <= 1
    if optimize is weaveshare:
        # At that rate everything that may share does, and what only counts tuples shares with either.
        assert len(plan.trees) == 2


def test_I_16_sum_count_and_avg_are_one_tree_with_one_stream_of_partials():
    three = [_measuring(f, 6, 2, (f, "price")) for f in ("sum", "count", "avg")]
    (tree,) = weaveshare(three, 1.0).trees
    assert [(lane.operation, lane.column) for lane in tree.lanes] == [("count", "price"), ("sum", "price")]
    assert tree.omega == 3.0


@pytest.mark.parametrize(
    ("technique", "function", "reason"),
    [
        ("slickdeque_inv", "max", "only selective"),
        ("slickdeque_inv", "stddev_pop", "neither invertible nor selective"),
        ("slickdeque_noninv", "sum", "only invertible"),
        ("slickdeque_noninv_harmonic", "avg", "only invertible"),
    ],
)
def test_I_14_a_technique_that_cannot_serve_an_aggregate_is_refused_with_the_reason(
    technique, function, reason
):
    workload = [_measuring("q", 6, 2, (function, "price"))]
    with pytest.raises(Unsupported, match=reason) as refused:
        weaveshare(workload, 1.0, technique=technique)
    assert refused.value.errors[0].field == "technique"
    assert "'q'" in str(refused.value)
    assert auto(workload, 1.0).trees[0].technique != technique


def test_I_39_auto_takes_a_technique_for_each_kind_of_aggregate():
    both = [
        _measuring("hi", 5000, 10, ("max", "price")),
        _measuring("mean", 5000, 10, ("avg", "price")),
        _measuring("spread", 5000, 10, ("stddev_pop", "price")),
    ]
    (tree,) = auto(both, 1000.0).trees
    assert {lane.operation: technique for lane, technique in tree.lane_techniques} == {
        "count": "slickdeque_inv",
        "max": "flatfit",  # one window: 3 operations, where a deque takes 4.7
        "moments": "flatfit",
        "sum": "slickdeque_inv",
    }
    assert tree.technique == "mixed"
    assert tree.omega == 3.0
    only = auto(both[1:2], 1000.0)
    assert (only.technique, only.trees[0].omega) == ("slickdeque_inv", 2.0)


@given(shapes, rates)
@settings(max_examples=25, deadline=None)
def test_I_39_auto_is_hardly_ever_dearer_than_any_other_way(given_, rate):
    """Greedy takes other merges under another Omega, and may end in trees that are cheaper by parts in a thousand."""
    queries = queries_of(given_)
    best = auto(queries, rate).cost.total
    for technique in (t.name for t in AUTO.techniques):
        for optimize in (weaveshare, triweave):
            assert best <= optimize(queries, rate, technique=technique).cost.total * 1.01


def test_needs_are_those_of_the_functions():
    assert _measuring("q", 6, 2, ("max", "p"), ("avg", "p")).needs == {Need.SELECTIVE, Need.INVERTIBLE}
    assert _measuring("q", 6, 2, ("var_samp", "p")).needs == {Need.NEITHER}
    assert _measuring("q", 6, 2, ("median", "p")).needs == set()
