"""The best partition of a few atoms, by dynamic programming over their subsets: the yardstick of the others.

``best(S) = min over T in S with the least atom of S of cost(T) + best(S - T)``: 3^n / 2 steps.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from costmodel.summaries import FloatArray, IntArray
from optimizer.edges.classes import PartialsRule
from optimizer.errors import Unsupported
from optimizer.model.plan import Plan, PlannedQuery
from optimizer.observer import Observer
from optimizer.problem import Partition, Problem
from optimizer.task import Task, items_of

__all__ = ["MAX_ATOMS", "exact", "exact_partition", "subset_costs"]

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
    """The cheapest trees; refused for more atoms than can be tried."""
    count = len(problem.atoms)
    if count > MAX_ATOMS or problem.space is None:
        raise Unsupported.at(
            "optimizer",
            f"exact tries every partition of at most {MAX_ATOMS} distinct windows, and here are {count}: "
            "use auto, weaveshare or triweave",
        )
    if count == 0:
        return []
    costs = subset_costs(problem)
    best = np.zeros(2**count)
    choice = np.zeros(2**count, dtype=np.int64)
    for subset in range(1, 2**count):
        least = subset & -subset
        parts = _subsets(subset ^ least) | least
        totals = costs[parts] + best[subset ^ parts]
        # The first of equal ones, so that the same workload always gives the same plan.
        found = int(np.argmin(totals))
        best[subset], choice[subset] = totals[found], parts[found]
    trees, left = [], 2**count - 1
    while left:
        part = int(choice[left])
        trees.append(np.array([atom for atom in range(count) if part >> atom & 1]))
        left ^= part
    return trees


def subset_costs(problem: Problem) -> FloatArray:
    """What a tree of each subset of the atoms costs; infinite where its queries may not share."""
    atoms = problem.exact.masks
    masks = np.zeros_like(atoms[:1])
    summaries = problem.summaries.take(slice(0, 1)).emptied()
    scope = np.zeros(1, dtype=np.int64)
    apart = np.zeros(1, dtype=np.bool_)
    for atom in range(len(problem.atoms)):
        masks = np.concatenate([masks, masks | atoms[atom]])
        summaries = summaries.followed_by(summaries.with_row(problem.summaries, atom))
        own = int(problem.scope[atom])
        apart = np.concatenate([apart, apart | ((own > 0) & (scope > 0) & (scope != own))])
        scope = np.concatenate([scope, np.maximum(scope, own)])
    costs = problem.costs(masks, summaries)
    costs[apart] = np.inf
    return costs


def _subsets(mask: int) -> IntArray:
    """Every subset of a set of bits.

    >>> _subsets(5).tolist()
    [0, 1, 4, 5]
    """
    found = np.zeros(1, dtype=np.int64)
    while mask:
        bit = mask & -mask
        found = np.concatenate([found, found | bit])
        mask ^= bit
    return found
