"""The best partition of a few atoms, by dynamic programming over their subsets.

``best(S) = min over T in S with the least atom of S of cost(T) + best(S - T)``: 3^n / 2 steps.
"""

from __future__ import annotations

import numpy as np

from costmodel.summaries import FloatArray, IntArray
from optimizer.problem import Partition, Problem

__all__ = ["best_partition", "subset_costs"]


def best_partition(problem: Problem, atoms: IntArray) -> Partition:
    """The cheapest trees of a few atoms."""
    count = len(atoms)
    costs = subset_costs(problem, atoms)
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
        trees.append(atoms[[place for place in range(count) if part >> place & 1]])
        left ^= part
    return trees


def subset_costs(problem: Problem, atoms: IntArray) -> FloatArray:
    """What a tree of each subset of these atoms costs; infinite where its queries may not share."""
    own = problem.exact.masks
    masks = np.zeros_like(own[:1])
    summaries = problem.summaries.take(slice(0, 1)).emptied()
    scope = np.zeros(1, dtype=np.int64)
    apart = np.zeros(1, dtype=np.bool_)
    for atom in atoms.tolist():
        masks = np.concatenate([masks, masks | own[atom]])
        summaries = summaries.followed_by(summaries.with_row(problem.summaries, atom))
        other = int(problem.scope[atom])
        apart = np.concatenate([apart, apart | ((other > 0) & (scope > 0) & (scope != other))])
        scope = np.concatenate([scope, np.maximum(scope, other)])
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
