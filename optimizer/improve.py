"""The improvement pass: from a greedy plan to one that no small change makes cheaper. It never returns a worse one.

Greedy merging cannot take back a merge. The pass moves single atoms between trees, swaps two, splits a tree by merging
its atoms anew, and merges trees, until nothing gains. With few atoms it begins from other plans than the greedy one,
too, takes each tree apart in turn, parts the atoms of two small trees in the best of all ways, and goes on from there.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import chain, combinations

import numpy as np

from optimizer.best_partition import best_partition
from optimizer.greedy import NOISE, greedy, merge_trees
from optimizer.observer import Observer
from optimizer.problem import Partition, Problem
from optimizer.search import Search
from optimizer.tabled import tabled

__all__ = ["FEW_ATOMS", "MAX_ATOMS", "descend", "improve"]

FEW_ATOMS = 16
"""Atoms up to which larger changes are tried, and several plans are begun with."""
CHANCES = 6
"""Plans drawn by chance to begin with."""
PARTED_ATOMS = 8
"""Atoms of two trees that are parted in the best of all ways."""
SWAPPED_ATOMS = 32
"""Atoms up to which swaps are tried."""
MAX_ATOMS = 1_500
MAX_PASSES = 30


def improve(problem: Problem, partition: Partition, observer: Observer | None = None) -> Partition:
    """A partition that is at least as cheap; the same one where no exact edge space allows a search."""
    count = len(problem.atoms)
    if problem.space is None or count < 2 or count > MAX_ATOMS:
        return partition
    listener = observer or Observer()
    problem = tabled(problem)
    found = descend(problem, partition)
    if count <= FEW_ATOMS:
        for start in _other_starts(problem):
            if not _same(start, partition):
                found = min(found, descend(problem, start), key=problem.total)
        found = _shake(problem, found)
    gain = problem.total(partition) - problem.total(found)
    if gain > _noise(problem, found):
        listener.improved("moves, swaps, splits and merges", gain)
        return found
    return partition


def descend(problem: Problem, partition: Partition) -> Partition:
    """Small changes until none gains."""
    search = Search(problem, partition)
    for _ in range(MAX_PASSES):
        before = search.total
        _moves(search)
        _splits(search)
        if len(problem.atoms) <= SWAPPED_ATOMS:
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


def _shake(problem: Problem, partition: Partition) -> Partition:
    """Larger changes, each followed by small ones, as long as that gains."""
    best, cost = partition, problem.total(partition)
    again = True
    while again:
        again = False
        for start in chain(_taken_apart(problem, best), _parted_anew(problem, best)):
            found = descend(problem, start)
            total = problem.total(found)
            if cost - total > NOISE * cost:
                best, cost, again = found, total, True
                break
    return best


def _taken_apart(problem: Problem, partition: Partition) -> Iterator[Partition]:
    """The atoms of one tree put into others, each where it fits best."""
    for tree in partition:
        search = Search(problem, partition)
        for atom in tree.tolist():
            gains = search.move_gains(atom)
            row = int(np.argmax(gains))
            if math.isfinite(gains[row]):
                search.move(atom, row)
        yield search.partition()


def _parted_anew(problem: Problem, partition: Partition) -> Iterator[Partition]:
    """The atoms of two trees in the best of all trees."""
    for one, two in combinations(range(len(partition)), 2):
        atoms = np.sort(np.concatenate([partition[one], partition[two]]))
        if len(atoms) <= PARTED_ATOMS:
            rest = [tree for number, tree in enumerate(partition) if number not in (one, two)]
            yield [*rest, *best_partition(problem, atoms)]


def _other_starts(problem: Problem) -> list[Partition]:
    """What greedy merging finds, all that may share together, every atom alone, and some by chance, always the same."""
    atoms = np.arange(len(problem.atoms))
    alone = [np.array([atom]) for atom in atoms]
    scopes = [atoms[problem.scope == scope] for scope in np.unique(problem.scope)]
    chance = np.random.default_rng(len(atoms))
    drawn = []
    for _ in range(CHANCES):
        row = chance.integers(0, chance.integers(2, max(len(atoms), 3)), size=len(atoms))
        parts = [scope[row[scope] == tree] for scope in scopes for tree in np.unique(row[scope])]
        drawn.append(parts)
    return [greedy(problem), scopes, alone, *drawn]


def _same(one: Partition, two: Partition) -> bool:
    return {tuple(tree.tolist()) for tree in one} == {tuple(tree.tolist()) for tree in two}


def _noise(problem: Problem, partition: Partition) -> float:
    return NOISE * problem.total(partition)
