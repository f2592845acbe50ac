"""A partition that is changed step by step, with what each step would gain."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from costmodel import Summaries
from costmodel.summaries import FloatArray, IntArray
from optimizer.problem import Partition, Problem

__all__ = ["Search"]


class Search:
    """Trees in rows; rows without atoms are free."""

    def __init__(self, problem: Problem, partition: Partition) -> None:
        self.problem = problem
        self._atom_masks = problem.exact.masks
        count = len(problem.atoms)
        rows = count + 1
        self.members: list[list[int]] = [atoms.tolist() for atoms in partition]
        self.members += [[] for _ in range(rows - len(partition))]
        self.tree_of = np.zeros(count, dtype=np.int64)
        self._masks = np.zeros((rows, *self._atom_masks.shape[1:]), dtype=self._atom_masks.dtype)
        self._summaries = Summaries(
            tuple(np.zeros((rows, *c.shape[1:]), dtype=c.dtype) for c in problem.summaries.columns),
            problem.summaries.combine,
        )
        self.cost = np.zeros(rows)
        self._rests: dict[int, tuple[NDArray[Any], Summaries, float]] = {}
        self._scope = np.zeros(rows, dtype=np.int64)
        for row in range(len(partition)):
            self._refresh(row)

    @property
    def total(self) -> float:
        """What all trees cost by themselves."""
        return float(self.cost.sum())

    def partition(self) -> Partition:
        """The atoms of each tree, in the order of their first atoms."""
        found = [np.array(sorted(atoms), dtype=np.int64) for atoms in self.members if atoms]
        return sorted(found, key=lambda atoms: int(atoms[0]))

    def move_gains(self, atom: int) -> FloatArray:
        """What moving an atom to each row gains; a free row stands for a tree of its own."""
        here = int(self.tree_of[atom])
        used = self._used()
        rows = np.append(used, self.free_row())
        joined = self._summaries.take(rows).with_row(self.problem.summaries, atom)
        costs = self.problem.costs(self._masks[rows] | self._atom_masks[atom], joined)
        leaves = self.cost[here] - self._without(atom)[2]
        gains = np.full(len(self.members), -np.inf)
        gains[rows] = leaves - (costs - self.cost[rows])
        own = self.problem.scope[atom]
        if own:
            gains[(self._scope > 0) & (self._scope != own)] = -np.inf
        gains[here] = -np.inf
        if len(self.members[here]) == 1:
            gains[rows[-1]] = -np.inf
        return gains

    def swap_gains(self, atom: int, others: IntArray) -> FloatArray:
        """What exchanging an atom with each of some atoms of other trees gains."""
        here = int(self.tree_of[atom])
        mask, rest, _ = self._without(atom)
        taken = self.problem.summaries.take(others)
        mine = self.problem.costs(mask | self._atom_masks[others], taken.with_row(rest, 0))
        parts = [self._without(int(other)) for other in others]
        masks = np.concatenate([part[0] for part in parts])
        columns = zip(*(part[1].columns for part in parts), strict=True)
        left = Summaries(tuple(np.concatenate(c) for c in columns), rest.combine)
        theirs = self.problem.costs(
            masks | self._atom_masks[atom], left.with_row(self.problem.summaries, atom)
        )
        there = self.tree_of[others]
        gains: FloatArray = self.cost[here] + self.cost[there] - mine - theirs
        apart = (self.problem.scope[others] != self.problem.scope[atom]) | (there == here)
        gains[apart] = -np.inf
        return gains

    def move(self, atom: int, row: int) -> None:
        """Put an atom into another row."""
        here = int(self.tree_of[atom])
        self.members[here].remove(atom)
        self.members[row].append(atom)
        self._refresh(here)
        self._refresh(row)

    def replace(self, row: int, parts: Partition) -> None:
        """Put the atoms of a row into trees of their own."""
        self.members[row] = []
        self._refresh(row)
        for part in parts:
            free = self.free_row()
            self.members[free] = part.tolist()
            self._refresh(free)

    def free_row(self) -> int:
        """The first row without atoms."""
        return next(row for row, atoms in enumerate(self.members) if not atoms)

    def _used(self) -> IntArray:
        return np.array([row for row, atoms in enumerate(self.members) if atoms], dtype=np.int64)

    def _without(self, atom: int) -> tuple[NDArray[Any], Summaries, float]:
        """The rest of an atom's tree: its edges, its summary and its cost; the same until the tree changes."""
        found = self._rests.get(atom)
        if found is None:
            found = self._rests[atom] = self._rest_of(atom)
        return found

    def _rest_of(self, atom: int) -> tuple[NDArray[Any], Summaries, float]:
        rest = np.array([a for a in self.members[int(self.tree_of[atom])] if a != atom], dtype=np.int64)
        if not len(rest):
            nothing = self.problem.summaries.take(slice(0, 1)).emptied()
            return np.zeros_like(self._atom_masks[:1]), nothing, 0.0
        mask, summary = self.problem.exact.union(rest), self.problem.summaries.union(rest)
        return mask, summary, float(self.problem.costs(mask, summary)[0])

    def _refresh(self, row: int) -> None:
        atoms = np.array(self.members[row], dtype=np.int64)
        for atom in self.members[row]:
            self._rests.pop(atom, None)
        if not len(atoms):
            self.cost[row] = self._scope[row] = 0
            self._masks[row] = 0
            for column in self._summaries.columns:
                column[row] = 0
            return
        mask, summary = self.problem.exact.union(atoms), self.problem.summaries.union(atoms)
        self._masks[row] = mask[0]
        self._summaries.put(row, summary)
        self.cost[row] = self.problem.costs(mask, summary)[0]
        self._scope[row] = self.problem.scope[atoms].max()
        self.tree_of[atoms] = row
