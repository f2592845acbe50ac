"""What every optimizer begins and ends with: queries to a problem, and trees of atoms to a plan."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from costmodel import (
    EXECUTION_MODELS,
    NEEDS,
    TRI_OPS,
    TWO_OPS,
    ExecutionModel,
    Need,
    Technique,
    find_technique,
)
from optimizer.assemble import Calculator
from optimizer.distinct import distinct_values
from optimizer.edges.classes import PartialsRule
from optimizer.errors import InvalidInput, Unsupported
from optimizer.model.plan import PlannedQuery
from optimizer.problem import Partition, Problem
from optimizer.workload import Workload

__all__ = ["Task", "find_execution", "items_of"]


@dataclass(frozen=True, kw_only=True)
class Task:
    """A workload to be planned with one technique, rule of partials and execution model."""

    workload: Workload
    technique: Technique
    partials: PartialsRule
    execution: ExecutionModel

    @classmethod
    def of(
        cls,
        queries: Sequence[PlannedQuery],
        rate: float,
        *,
        stream: str | None,
        technique: str,
        partials: PartialsRule,
        execution: str,
    ) -> Task:
        """The task, or an error that names what is wrong with it."""
        found = find_technique(technique)
        if found is None:
            raise InvalidInput.at("technique", f"{technique!r} is not known")
        workload = Workload.of(queries, rate=rate, stream=stream)
        check_capability(workload, found)
        return cls(workload=workload, technique=found, partials=partials, execution=find_execution(execution))

    @cached_property
    def calculator(self) -> Calculator:
        """Counts edges and costs of trees of items."""
        return Calculator(
            self.workload,
            technique=self.technique,
            partials=self.partials,
            execution=self.execution,
        )

    def problem(self) -> Problem:
        """The atoms to be put into trees."""
        return Problem.of(
            self.workload, technique=self.technique, partials=self.partials, execution=self.execution
        )

    def everything(self) -> Partition:
        """All items in one tree."""
        return [np.arange(len(self.workload.items))] if len(self.workload.items) else []

    def by_scope(self) -> Partition:
        """A tree for each scope; what only counts goes with the first."""
        scope = self.workload.items.scope
        named = np.unique(scope[scope > 0])
        joined = np.where(scope > 0, scope, named[0] if len(named) else 0)
        return [np.flatnonzero(joined == each) for each in np.unique(joined)]

    def apart(self) -> Partition:
        """Every item in a tree of its own."""
        return [np.array([item]) for item in range(len(self.workload.items))]

    def cheapest(self, problem: Problem, partition: Partition) -> Partition:
        """Trees of items: those of the partition, or all together or all apart where that is cheaper."""
        trees = items_of(problem, partition)
        if len(trees) < 2:
            return trees
        if problem.space is not None:
            together = sum(problem.cost(distinct_values(problem.atom_of[items])) for items in self.by_scope())
            return self.by_scope() if together < problem.total(partition) else trees
        own, together = (self.calculator.total(each) for each in (trees, self.by_scope()))
        alone = self._apart_total(problem.fixed)
        if min(own, together, alone) == own:
            return trees
        return self.by_scope() if together <= alone else self.apart()

    def _apart_total(self, fixed: float) -> float:
        rate = self.workload.units.rate
        final = self.calculator.alone() - rate
        once = rate if self.execution is TRI_OPS else 0.0
        return once + math.fsum(final) + fixed * len(final)


def items_of(problem: Problem, partition: Partition) -> Partition:
    """Trees of atoms as trees of items."""
    if not partition:
        return []
    tree_of_atom = np.empty(len(problem.atoms), dtype=np.int64)
    for tree, atoms in enumerate(partition):
        tree_of_atom[atoms] = tree
    tree_of = tree_of_atom[problem.atom_of]
    order = np.argsort(tree_of, kind="stable")
    return np.split(order, np.cumsum(np.bincount(tree_of, minlength=len(partition)))[:-1])


def find_execution(name: str) -> ExecutionModel:
    """The execution model of that name, or an error."""
    found = next((model for model in EXECUTION_MODELS if model.name == name), None)
    if found is None:
        raise InvalidInput.at("execution", f"{name!r} is not known: use {TWO_OPS.name} or {TRI_OPS.name}")
    return found


def check_capability(workload: Workload, technique: Technique) -> None:
    """Refuse a technique that cannot serve an aggregate of the workload, with the reason (row I-14)."""
    able = sum(NEEDS[need] for need in technique.serves)
    unserved = workload.items.needs & ~able
    if not unserved.any():
        return
    query = next(q for q in workload.queries if not q.needs <= technique.serves)
    kind = min(query.needs - technique.serves)
    has = "neither invertible nor selective" if kind is Need.NEITHER else f"only {kind.value}"
    raise Unsupported.at(
        "technique",
        f"{technique.name} needs {technique.capability}; query {query.id[:100]!r} has an aggregate that is {has}: "
        "use auto, panes, flatfat or flatfit",
    )
