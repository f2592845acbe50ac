"""Trees of items to a plan with counted edges and costs: the last step of every optimizer."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from costmodel import (
    AUTO,
    NEEDS,
    TWO_OPS,
    ExecutionModel,
    Need,
    Technique,
    TreeStats,
    WeavedTree,
)
from costmodel.summaries import FloatArray, IntArray
from optimizer.distinct import distinct_rows, distinct_values
from optimizer.edges.classes import PartialsRule
from optimizer.edges.count import EdgeCount, count_atoms
from optimizer.edges.space import atom_of
from optimizer.model.plan import Baselines, Lane, Plan, PlannedQuery, Requested, Tree
from optimizer.problem import Partition
from optimizer.workload import Workload

__all__ = ["Calculator"]

COUNTING = 2_000_000
"""Intersections that F1 may take for all trees of a plan together."""
DRAWING = 2**27
"""Classes times positions drawn of them, for all trees together."""
MIXED = "mixed"


class Calculator:
    """Edges and costs of trees of one workload's items, by one technique, rule of partials and execution model."""

    def __init__(
        self, workload: Workload, *, technique: Technique, partials: PartialsRule, execution: ExecutionModel
    ) -> None:
        self.workload = workload
        self.technique = technique
        self.partials = partials
        self.execution = execution
        items = workload.items
        self._edges_of_item = atom_of(items.ranges, items.slides, partials)
        first, self._atom_of = distinct_rows(self._edges_of_item.modulus, self._edges_of_item.offset)
        self._atoms = self._edges_of_item.take(first)
        self._draws = min(max(DRAWING // max(len(first), 1), 2**13), 2**17)
        self._counted: dict[bytes, EdgeCount] = {}

    def edges(self, items: IntArray, *, trees: int = 1) -> EdgeCount:
        """The edges of a tree of these items, in window units; ``trees`` share the time that counting takes."""
        atoms = distinct_values(self._atom_of[items])
        key = atoms.tobytes()
        if key not in self._counted:
            self._counted[key] = count_atoms(
                self._atoms.take(atoms), work=max(COUNTING // trees, 2_000), draws=self._draws
            )
        return self._counted[key]

    def weave(self, items: IntArray, *, trees: int = 1) -> WeavedTree:
        """A tree of these items as the cost formulas see it."""
        edge_rate = self.edges(items, trees=trees).edge_rate
        windows = self.workload.items.one(items)
        omega = self.technique.per_edge(self.technique.summarise(windows), np.array([edge_rate]))
        return WeavedTree(edge_rate=edge_rate * self.workload.units.edges_per_unit, omega=float(omega[0]))

    def total(self, trees: Sequence[IntArray]) -> float:
        """The total cost of a plan with these trees of items."""
        filled = [items for items in trees if len(items)]
        together = np.concatenate(filled) if filled else np.array([], dtype=np.int64)
        weaved = [self.weave(items, trees=len(filled)) for items in filled]
        return self.total_of(together, weaved)

    def total_of(self, items: IntArray, trees: Sequence[WeavedTree]) -> float:
        """The total cost of trees that hold these items together."""
        units = self.workload.units
        whole = self.edges(items).edge_rate * units.edges_per_unit
        return self.execution.cost(rate=units.rate, edge_rate=whole, trees=trees).total

    def plan(self, trees: Partition, *, optimizer: str, improve: bool = False, epoch: int = 1) -> Plan:
        """The plan that runs each group of items as a tree, as the optimizer made it, improved or not."""
        workload, units = self.workload, self.workload.units
        trees = _in_order(workload, trees)
        whole = self.edges(np.arange(len(workload.items)))
        members = _members(workload, trees)
        assembled, weaved = [], []
        for number, (items, queries) in enumerate(zip(trees, members, strict=True), start=1):
            edges = self.edges(items, trees=len(trees))
            woven = self.weave(items, trees=len(trees))
            weaved.append(woven)
            chosen = self._chosen(items, edges.edge_rate)
            names = {t.name for t in chosen.values()}
            assembled.append(
                Tree(
                    id=number,
                    members=queries,
                    edge_rate=woven.edge_rate,
                    edge_rate_error=_times(edges.error, units.edges_per_unit),
                    edges=edges.edges,
                    composite_slide=edges.composite_slide,
                    technique=names.pop() if len(names) == 1 else MIXED,
                    lane_techniques=_lane_techniques(queries, chosen),
                    omega=woven.omega,
                    cost=self.execution.tree_cost(
                        rate=units.rate, edge_rate=whole.edge_rate * units.edges_per_unit, tree=woven
                    ),
                )
            )
        used = {tree.technique for tree in assembled} or {self.technique.name}
        return Plan(
            epoch=epoch,
            stream=workload.stream,
            optimizer=optimizer,
            technique=used.pop() if len(used) == 1 else MIXED,
            partials=self.partials,
            execution=self.execution.name,
            time_unit=units.name,
            rate=units.rate,
            edge_rate=whole.edge_rate * units.edges_per_unit,
            edge_rate_error=_times(whole.error, units.edges_per_unit),
            cost=self.execution.cost(
                rate=units.rate, edge_rate=whole.edge_rate * units.edges_per_unit, trees=weaved
            ),
            trees=tuple(assembled),
            baselines=self._baselines(),
            requested=Requested(optimizer=optimizer, technique=self.technique.name, improve=improve),
        )

    def alone(self) -> FloatArray:
        """What each item costs in a tree of its own under TwoOps (Eq. 1)."""
        items = self.workload.items
        rates = self._edges_of_item.rates
        summaries = self.technique.summarise(items.groups(np.arange(len(items)), len(items)), coarse=True)
        final = rates * self.workload.units.edges_per_unit * self.technique.per_edge(summaries, rates)
        cost: FloatArray = self.workload.units.rate + final
        return cost

    def _baselines(self) -> Baselines:
        items = np.arange(len(self.workload.items))
        everything = [self.weave(items)] if len(items) else []
        return Baselines(
            no_share=math.fsum(self.alone() * self.workload.items.copies),
            shared=TWO_OPS.cost(rate=self.workload.units.rate, edge_rate=0.0, trees=everything).total,
        )

    def _chosen(self, items: IntArray, edge_rate: float) -> dict[Need, Technique]:
        """The technique of each kind of aggregate."""
        if self.technique is not AUTO:
            return dict.fromkeys(Need, self.technique)
        windows = self.workload.items.one(items)
        bits = int(np.bitwise_or.reduce(windows.needs, initial=0))
        stats = TreeStats.of(
            edge_rate=edge_rate,
            windows=zip(windows.ranges.tolist(), windows.slides.tolist(), strict=True),
            needs=[need for need, bit in NEEDS.items() if bits & bit],
        )
        return AUTO.choose(stats)


def _in_order(workload: Workload, trees: Partition) -> Partition:
    """The trees by the first of their queries."""
    first = np.full(len(workload.items), len(workload.queries), dtype=np.int64)
    np.minimum.at(first, workload.item_of, np.arange(len(workload.queries)))
    return sorted(trees, key=lambda items: int(first[items].min()))


def _members(workload: Workload, trees: Partition) -> list[tuple[PlannedQuery, ...]]:
    """The queries of each tree, in their order."""
    tree_of = np.empty(len(workload.items), dtype=np.int64)
    for number, items in enumerate(trees):
        tree_of[items] = number
    of_query = tree_of[workload.item_of]
    order = np.argsort(of_query, kind="stable")
    bounds = np.cumsum(np.bincount(of_query, minlength=len(trees)))[:-1]
    queries = workload.queries
    return [tuple(queries[q] for q in rows.tolist()) for rows in np.split(order, bounds)] if trees else []


_KIND_OF = {"count": Need.INVERTIBLE, "sum": Need.INVERTIBLE, "min": Need.SELECTIVE, "max": Need.SELECTIVE}


def _lane_techniques(
    queries: tuple[PlannedQuery, ...], chosen: dict[Need, Technique]
) -> tuple[tuple[Lane, str], ...]:
    """Each lane with its technique; counts that only tell whether there was a value go with their column's lane."""
    lanes = sorted({lane for lanes in {q.lanes for q in queries} for lane in lanes})
    found = []
    for lane in lanes:
        kind = _KIND_OF.get(lane.operation, Need.NEITHER)
        technique = chosen.get(kind) or next(iter(chosen.values()))
        found.append((lane, technique.name))
    return tuple(found)


def _times(error: float | None, factor: float) -> float | None:
    return None if error is None else error * factor
