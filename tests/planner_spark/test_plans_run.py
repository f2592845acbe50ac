"""Whatever the plan, the answers are the same: every optimizer, technique, execution model and rule of partials."""

from __future__ import annotations

import random
from datetime import UTC, datetime
from functools import cache

import pytest

from costmodel import EXECUTION_MODELS, TRI_OPS, TWO_OPS
from optimizer.model.plan import PlannedQuery
from optimizer.model.window import Window
from optimizer.registry import OPTIMIZERS
from planner_spark.kernels.techniques import KERNELS
from planner_spark.plan import plan_spec
from planner_spark.spec import PlanSpec, QuerySpec, TreeSpec

from .simulated import FAR, Simulation, Tuple, naive, spec_of

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
WINDOWS = [(8, 5), (5, 4), (10, 1), (12, 3), (3, 7), (20, 4), (9, 9), (1, 2)]
QUERIES = tuple(
    QuerySpec(
        number=number,
        range=r * 1_000,
        slide=s * 1_000,
        aggregates=(("count", "*"), ("max", "n"), ("sum", "n"))
        if number % 2
        else (("min", "n"), ("sum", "n")),
        where="n > 0" if number % 3 == 0 else None,
        group_by=("k",) if number % 4 else (),
    )
    for number, (r, s) in enumerate(WINDOWS, start=1)
)


def tuples_of(seed: int, count: int = 120) -> list[Tuple]:
    """In order, with stretches of silence, ties, and keys that come and go."""
    chance, at, found = random.Random(seed), 0, []
    for place in range(count):
        at += chance.choice([0, 0, 1, 250, 400, 1_000]) if chance.random() < 0.98 else 40_000
        number = chance.randrange(-50, 50)
        key = f"k{chance.randrange(3) + place // 20 * 2}"
        found.append(Tuple(at=at, key=key, number=number, satisfies=(0,) if number > 0 else ()))
    return found


def answers_of(plan: PlanSpec, tuples: list[Tuple], batches: int) -> Simulation:
    simulation = Simulation(spec_of(QUERIES, plan))
    size = -(-len(tuples) // batches)
    for first in range(0, len(tuples), size):
        part = tuples[first : first + size]
        simulation.batch(part, max(part[-1].at - 1, 0))
    simulation.batch([], FAR)
    return simulation


@cache
def optimized(optimizer: str, partials: str) -> PlanSpec:
    """The optimizer's trees."""
    calls = {q.number: tuple((f, None if c == "*" else c) for f, c in q.aggregates) for q in QUERIES}
    queries = [
        PlannedQuery.named(str(q.number), "t", Window(range=q.range, slide=q.slide), calls[q.number])
        for q in QUERIES
    ]
    plan = dict(OPTIMIZERS)[optimizer](queries, 5.0, stream="t", technique="auto", partials=partials)
    return plan_spec(plan, {query.id: int(query.id) for query in queries})


def planned(optimizer: str, execution: str, partials: str, technique: str) -> PlanSpec:
    """The optimizer's trees, with every lane by the technique where it may serve it, run by that model."""
    run = optimized(optimizer, partials)
    lanes = ("count:*", "count:n", "sum:n", "min:n", "max:n")
    trees = tuple(
        TreeSpec(id=tree.id, queries=tree.queries, techniques=dict.fromkeys(lanes, technique))
        for tree in run.trees
    )
    return PlanSpec(execution=execution, partials=run.partials, trees=trees)


@pytest.mark.parametrize("technique", [kernel.name for kernel in KERNELS])
@pytest.mark.parametrize("optimizer", [name for name, _ in OPTIMIZERS])
def test_t09_i22_same_answers_under_every_plan(optimizer: str, technique: str):
    """T-05, T-08, T-09, I-05 to I-13, I-22, A-05 to A-09: bit for bit those of naive recomputation."""
    tuples = tuples_of(seed=len(optimizer) + len(technique))
    wanted = naive(QUERIES, tuples, start=EPOCH)
    for model in EXECUTION_MODELS:
        for partials in ("pairs", "panes"):
            plan = planned(optimizer, model.name, partials, technique)
            assert answers_of(plan, tuples, batches=7).answers == wanted, (model.name, partials)


def test_t08_every_tree_of_two_ops_reads_every_tuple():
    """Input tuples are read m times under TwoOps, once under TriOps (T-03, T-08, T-09)."""
    tuples = tuples_of(seed=1)
    every = tuple(q.number for q in QUERIES)
    trees = (
        TreeSpec(id=1, queries=every[:3]),
        TreeSpec(id=2, queries=every[3:6]),
        TreeSpec(id=3, queries=every[6:]),
    )
    two, three = (
        answers_of(PlanSpec(execution=model.name, trees=trees), tuples, batches=3)
        for model in (TWO_OPS, TRI_OPS)
    )
    assert two.work["tuples"] == 3 * len(tuples)
    assert three.work["tuples"] == len(tuples)
    assert two.answers == three.answers


def test_work_does_not_depend_on_how_tuples_come_in_batches():
    """I-15, A-22: the same edges and the same operations of every lane, in one batch or in thirty."""
    tuples = tuples_of(seed=2)
    for technique in (kernel.name for kernel in KERNELS):
        plan = planned("triweave", "triops", "pairs", technique)
        few, many = (answers_of(plan, tuples, batches=n).work for n in (2, 30))
        assert {name: n for name, n in few.items() if name.endswith(":edges")} == {
            name: n for name, n in many.items() if name.endswith(":edges")
        }
