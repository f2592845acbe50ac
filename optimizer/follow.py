"""Incremental re-optimization: from the last plan's trees to those of a workload that has changed a little.

Queries that are still there stay where they are, new ones go where they cost least, and then small changes are made
while they gain. A new rate is the same with nothing to place.
"""

from __future__ import annotations

import numpy as np

from costmodel.summaries import IntArray
from optimizer.greedy import greedy
from optimizer.improve import FEW_ATOMS, MAX_ATOMS, descend, improve
from optimizer.problem import FEW, Partition, Problem
from optimizer.search import Search
from optimizer.task import Task, items_of
from optimizer.weaveshare import weave

__all__ = ["follow"]


def follow(task: Task, tree_of_item: IntArray) -> Partition:
    """Trees of items, given the last tree of each item, or -1 where it is new.

    Where no exact edge space allows a search the workload is planned anew.
    """
    problem = task.problem()
    if problem.space is None or len(problem.atoms) > MAX_ATOMS:
        return weave(task, improve=True)
    placed = _last_trees(problem, tree_of_item)
    new = np.setdiff1d(np.arange(len(problem.atoms)), np.concatenate(placed) if placed else [])
    search = Search(problem, [*placed, *(np.array([atom]) for atom in new)])
    for atom in new.tolist():
        gains = search.move_gains(atom)
        row = int(np.argmax(gains))
        if gains[row] > 0:
            search.move(atom, row)
    if len(problem.atoms) <= FEW_ATOMS:
        return items_of(problem, improve(problem, search.partition()))
    found = descend(problem, search.partition())
    if len(problem.atoms) <= FEW:
        # Small changes alone may drift away from what greedy merging finds: it is looked at where that is quick.
        start = greedy(problem)
        if problem.total(start) < problem.total(found):
            found = min(found, descend(problem, start), key=problem.total)
    return items_of(problem, found)


def _last_trees(problem: Problem, tree_of_item: IntArray) -> Partition:
    """The trees of atoms that are left of the last plan; an atom goes with the first of its items."""
    known = np.flatnonzero(tree_of_item >= 0)
    atoms, first = np.unique(problem.atom_of[known], return_index=True)
    trees = tree_of_item[known[first]]
    parts = [atoms[trees == tree] for tree in np.unique(trees)]
    # Trees of before may hold what may not share any more: then all of them is placed anew.
    return [part for part in parts if problem.may_share(part)]
