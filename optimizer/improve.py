"""The improvement pass: from a greedy plan to one that no small change makes cheaper. It never returns a worse one.

Greedy merging cannot take back a merge. The pass moves single atoms between trees, swaps two, splits a tree by merging
its atoms anew, and merges trees, until nothing gains. With few atoms it then takes each tree apart in turn, puts its
atoms where they fit best, and goes on from there; and it begins from other plans than the greedy one, too.
"""

from __future__ import annotations

import math

import numpy as np

from optimizer.greedy import NOISE, merge_trees
from optimizer.observer import Observer
from optimizer.problem import Partition, Problem
from optimizer.search import Search

__all__ = ["MAX_ATOMS", "descend", "improve"]

FEW_ATOMS = 64
"""Atoms up to which swaps are tried, trees are taken apart, and several plans are begun with."""
MAX_ATOMS = 1_500
MAX_PASSES = 30


def improve(problem: Problem, partition: Partition, observer: Observer | None = None) -> Partition:
    """A partition that is at least as cheap; the same one where no exact edge space allows a search."""
    count = len(problem.atoms)
    if problem.space is None or count < 2 or count > MAX_ATOMS:
        return partition
    listener = observer or Observer()
    found = descend(problem, partition)
    if count <= FEW_ATOMS:
        for start in _other_starts(problem):
            other = descend(problem, start)
            found = min(found, other, key=problem.total)
        found = _take_apart(problem, found)
    gain = problem.total(partition) - problem.total(found)
    if gain > _noise(problem, found):
        listener.improved("moves, swaps, splits and merges", gain)
        return found
    return partition


def descend(problem: Problem, partition: Partition) -> Partition:
    """Small changes until none gains."""
    few = len(problem.atoms) <= FEW_ATOMS
    search = Search(problem, partition)
    for _ in range(MAX_PASSES):
        before = search.total
        _moves(search)
        _splits(search)
        if few:
            _swaps(search)
        search = Search(problem, merge_trees(problem, search.partition()))
        if not before - search.total > NOISE * before:
            break
    return search.partition()


def _moves(search: Search) -> None:
    for atom in range(len(search.tree_of)):
        gains = search.move_gains(atom)
        row = int(np.argmax(gains))
        if gains[row] > NOISE * search.total:
            search.move(atom, row)


def _swaps(search: Search) -> None:
    for atom in range(len(search.tree_of) - 1):
        others = np.arange(atom + 1, len(search.tree_of))
        gains = search.swap_gains(atom, others)
        best = int(np.argmax(gains))
        if gains[best] > NOISE * search.total:
            other = int(others[best])
            here, there = int(search.tree_of[atom]), int(search.tree_of[other])
            search.move(atom, there)
            search.move(other, here)


def _splits(search: Search) -> None:
    for row, atoms in enumerate(search.members):
        if len(atoms) < 2:
            continue
        parts = merge_trees(search.problem, [np.array([atom]) for atom in sorted(atoms)])
        if search.cost[row] - search.problem.total(parts) > NOISE * search.total:
            search.replace(row, parts)


def _take_apart(problem: Problem, partition: Partition) -> Partition:
    """Put the atoms of one tree, or of two, elsewhere, and go on from there as long as that gains."""
    best, cost = partition, problem.total(partition)
    again = True
    while again:
        again = False
        for tree in range(len(best)):
            search = Search(problem, best)
            for atom in best[tree].tolist():
                gains = search.move_gains(atom)
                row = int(np.argmax(gains))
                if math.isfinite(gains[row]):
                    search.move(atom, row)
            found = descend(problem, search.partition())
            total = problem.total(found)
            if cost - total > NOISE * cost:
                best, cost, again = found, total, True
                break
    return best


def _other_starts(problem: Problem) -> list[Partition]:
    """Every atom alone, and all that may share together."""
    atoms = np.arange(len(problem.atoms))
    scopes = [atoms[problem.scope == scope] for scope in np.unique(problem.scope)]
    return [[np.array([atom]) for atom in atoms], scopes]


def _noise(problem: Problem, partition: Partition) -> float:
    return NOISE * problem.total(partition)
