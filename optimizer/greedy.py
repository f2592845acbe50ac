"""Greedy merging, for Weave Share and TriWeave: the pair of trees that gains most, until none gains (T-07, T-15).

The gain of every pair is kept, and a merge renews only those of the merged tree. Ties go to the trees of the least
atoms, so that the same workload always gives the same plan (X-14: the best pair is sought anew in each round).
"""

from __future__ import annotations

import numpy as np

from costmodel.summaries import FloatArray
from optimizer.coarsen import coarse_trees
from optimizer.observer import Merge, Observer
from optimizer.problem import Partition, Problem
from optimizer.trees import Trees

__all__ = ["NOISE", "greedy", "merge_trees"]

NOISE = 1e-12
"""Gains below this part of a cost are rounding, and ties are told within it."""


def greedy(problem: Problem, observer: Observer | None = None) -> Partition:
    """Trees of atoms of which no two are cheaper as one."""
    count = len(problem.atoms)
    if count == 0:
        return []
    listener = observer or Observer()
    trees: Trees | None
    rest: Partition = []
    if problem.space is not None:
        trees = Trees.of(problem, [np.array([atom]) for atom in range(count)])
    else:
        trees, rest = coarse_trees(problem)
    listener.begins([*(trees.partition() if trees else []), *rest])
    if trees is not None:
        _merge_all(trees, [min(members) for members in trees.members], listener)
        rest = [*trees.partition(), *rest]
    return sorted(rest, key=lambda atoms: int(atoms[0]))


def merge_trees(problem: Problem, partition: Partition) -> Partition:
    """Go on merging from trees that are there already."""
    trees = Trees.of(problem, partition)
    _merge_all(trees, list(range(len(partition))), Observer())
    return trees.partition()


def _merge_all(trees: Trees, names: list[int], listener: Observer) -> None:
    count = len(trees)
    matrix = np.full((count, count), -np.inf)
    for row in range(count):
        matrix[row] = trees.gains(row)
    # Rows ask for pairs alike, but for rounding: the first one's word counts.
    lower = np.tril_indices(count, -1)
    matrix[lower] = matrix.T[lower]
    best = matrix.max(axis=1)
    noise = NOISE * (trees.problem.fixed + float(trees.final.max()))
    while True:
        top = float(best.max())
        row = int(np.argmax(best >= top - noise))
        other = int(np.argmax(matrix[row] >= top - noise))
        if not top > noise:
            return
        row, other = min(row, other), max(row, other)
        gain = trees.true_gain(row, other, top)
        if not gain > noise:
            matrix[row, other] = matrix[other, row] = -np.inf
            best[[row, other]] = matrix[[row, other]].max(axis=1)
            continue
        trees.merge(row, other)
        listener.merged(
            Merge(left=min(names[row], names[other]), right=max(names[row], names[other]), gain=gain)
        )
        names[row] = min(names[row], names[other])
        _renew(matrix, best, row, other, trees.gains(row))


def _renew(matrix: FloatArray, best: FloatArray, row: int, other: int, gains: FloatArray) -> None:
    """Put the merged tree's gains into the matrix, and find the best of the rows that they change."""
    stale = (matrix[row] >= best) | (matrix[other] >= best)
    matrix[row] = matrix[:, row] = gains
    matrix[other] = matrix[:, other] = -np.inf
    stale[[row, other]] = True
    np.maximum(best, gains, out=best)
    rows = np.flatnonzero(stale)
    best[rows] = matrix[rows].max(axis=1)
