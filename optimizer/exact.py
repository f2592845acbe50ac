"""Exact: the best plan of a few queries, the yardstick of the other optimizers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from optimizer.best_partition import best_partition
from optimizer.edges.classes import PartialsRule
from optimizer.errors import Unsupported
from optimizer.model.plan import Plan, PlannedQuery
from optimizer.observer import Observer
from optimizer.problem import Partition, Problem
from optimizer.task import Task, items_of

__all__ = ["MAX_ATOMS", "exact", "exact_partition"]

MAX_ATOMS = 12


def exact(
    queries: Sequence[PlannedQuery],
    rate: float,
    *,
    stream: str | None = None,
    technique: str = "panes",
    partials: PartialsRule = "pairs",
    improve: bool = False,
    epoch: int = 1,
    observer: Observer | None = None,
) -> Plan:
    """The cheapest plan of both execution models; there is nothing to improve about it."""
    plans = []
    for execution in ("twoops", "triops"):
        task = Task.of(
            queries, rate, stream=stream, technique=technique, partials=partials, execution=execution
        )
        problem = task.problem()
        trees = items_of(problem, exact_partition(problem))
        plans.append(task.calculator.plan(trees, optimizer="exact", epoch=epoch))
    return min(plans, key=lambda plan: plan.cost.total)


def exact_partition(problem: Problem) -> Partition:
    """The cheapest trees of all atoms; refused for more than can be tried."""
    count = len(problem.atoms)
    if count == 0:
        return []
    if count > MAX_ATOMS or problem.space is None:
        raise Unsupported.at(
            "optimizer",
            f"exact tries every partition of at most {MAX_ATOMS} distinct windows, and here are {count}: "
            "use auto, weaveshare or triweave",
        )
    return best_partition(problem, np.arange(count))
