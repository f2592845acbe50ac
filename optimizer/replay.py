"""How greedy merging came to a query's tree: the merges that its tree went through, each with its gain."""

from __future__ import annotations

from typing import Any

import numpy as np

from optimizer.explain import task_of
from optimizer.greedy import greedy
from optimizer.model.plan import Plan
from optimizer.observer import Trace

__all__ = ["merges_of"]

NAMED = 20
"""Queries that are named of each tree that was merged."""


def merges_of(plan: Plan, query_id: str) -> list[dict[str, Any]]:
    """The merges of a query's tree, in their order.

    Empty for optimizers that do not merge, and where there were too many queries to record each merge.
    """
    if plan.optimizer not in ("weaveshare", "triweave"):
        return []
    task = task_of(plan)
    problem = task.problem()
    if problem.space is None:
        return []
    trace = Trace()
    greedy(problem, trace)
    ids = [q.id for q in task.workload.queries]
    atom_of_query = problem.atom_of[task.workload.item_of]
    atom = int(atom_of_query[ids.index(query_id)])
    steps = []
    for merge, joined in trace.steps_of(atom):
        queries = np.flatnonzero(np.isin(atom_of_query, list(joined)))
        steps.append(
            {
                "gain": merge.gain,
                "joined": [ids[q] for q in queries[:NAMED].tolist()],
                "joined_count": len(queries),
            }
        )
    return steps
