"""The exact partition, and the improvement pass against it (greedy plus improvement is close to the optimum)."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from costmodel import TECHNIQUES
from optimizer.errors import Unsupported
from optimizer.exact import MAX_ATOMS, exact, exact_partition
from optimizer.greedy import greedy
from optimizer.improve import improve
from optimizer.observer import Trace
from optimizer.problem import Problem
from optimizer.task import Task
from tests.optimizer.reference import partitions, queries_of
from tests.optimizer.test_weave import _measuring, rates

NAMES = [t.name for t in TECHNIQUES]
SLIDES = (1, 2, 4, 5, 8, 10, 20, 25, 40, 50, 100, 125, 200, 250, 500, 1000)


def problem_of(shapes, rate, technique, execution) -> Problem:
    queries = queries_of(shapes)
    return Task.of(
        queries, rate, stream=None, technique=technique, partials="pairs", execution=execution
    ).problem()


def draw(chance: random.Random) -> list[tuple[int, int]]:
    found = set()
    while len(found) < chance.randint(2, 10):
        s = chance.choice(SLIDES) if chance.random() < 0.7 else chance.randint(1, 30)
        found.add((s * chance.randint(1, 50) if chance.random() < 0.5 else chance.randint(1, s * 20), s))
    return sorted(found)


@pytest.mark.parametrize("name", NAMES)
@given(
    st.lists(
        st.tuples(st.integers(1, 90), st.sampled_from([1, 2, 3, 4, 6, 12])),
        min_size=1,
        max_size=5,
        unique=True,
    ),
    rates,
)
@settings(max_examples=15, deadline=None)
def test_exact_is_the_cheapest_of_all_partitions(name, shapes, rate):
    for execution in ("twoops", "triops"):
        problem = problem_of(shapes, rate, name, execution)
        everyone = list(range(len(problem.atoms)))
        best = min(problem.total([np.array(p) for p in parts]) for parts in partitions(everyone))
        assert problem.total(exact_partition(problem)) == pytest.approx(best)


def test_exact_keeps_unlike_columns_apart():
    mixed = [_measuring(c + str(s), 4 * s, s, ("sum", c)) for c in "ab" for s in (1, 2, 3)]
    queries = Task.of(mixed, 1e6, stream=None, technique="panes", partials="pairs", execution="twoops")
    problem = queries.problem()
    trees = [problem.scope[tree].tolist() for tree in exact_partition(problem)]
    # Reading the stream is so dear that all share who may.
    assert sorted(trees) == [[1, 1, 1], [2, 2, 2]]


def test_exact_is_refused_for_more_windows_than_can_be_tried():
    many = queries_of([(n, n) for n in range(1, MAX_ATOMS + 3)])
    with pytest.raises(Unsupported, match="at most 12 distinct windows"):
        exact(many, 1.0)
    assert exact([], 1.0).trees == ()


@pytest.mark.parametrize("name", NAMES)
def test_greedy_with_improvement_is_within_a_hair_of_the_optimum(name):
    """Forty workloads of up to ten windows; the benchmark takes a thousand."""
    chance = random.Random(21)
    greedy_ratios, ratios = [], []
    for _ in range(20):
        shapes, rate = draw(chance), 10 ** chance.uniform(-2, 3)
        for execution in ("twoops", "triops"):
            problem = problem_of(shapes, rate, name, execution)
            start = greedy(problem)
            best = problem.total(exact_partition(problem))
            greedy_ratios.append(problem.total(start) / best)
            ratios.append(problem.total(improve(problem, start)) / best)
    assert all(better <= before + 1e-12 for better, before in zip(ratios, greedy_ratios, strict=True))
    assert min(ratios) >= 1 - 1e-9
    assert np.mean(ratios) <= 1.0005
    assert max(ratios) <= 1.01


@pytest.mark.parametrize("name", ["panes", "flatfat", "slickdeque_inv", "auto"])
def test_improvement_of_many_windows_is_never_worse_and_says_what_it_gained(name):
    chance = random.Random(4)
    shapes = sorted({(chance.randrange(1, 5000), chance.choice(SLIDES)) for _ in range(150)})
    for execution in ("twoops", "triops"):
        problem = problem_of(shapes, 3.0, name, execution)
        trace = Trace()
        start = greedy(problem, trace)
        found = improve(problem, start, trace)
        gained = sum(gain for _, gain in trace.improvements)
        assert problem.total(found) == pytest.approx(problem.total(start) - gained)
        assert gained >= 0
        assert sorted(np.concatenate(found).tolist()) == list(range(len(problem.atoms)))
