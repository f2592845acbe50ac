"""Groups of queries to a plan with true edges and costs: the last step of every optimizer.

**Time unit.** Ranges and slides are counted in whole seconds when all of them are, else in milliseconds; the
rate, given in tuples per second, is converted to it. Windows by tuples are counted in tuples: their edge rate
per second is the rate times the edges per tuple (X-07), and they cannot share a plan with windows by time.
Windows in an abstract unit are counted in it, and the rate is per that unit.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

from costmodel import EXECUTION_MODELS, TWO_OPS, Cost, Omega, TreeStats, WeavedTree, find_technique
from costmodel.plan_cost import ExecutionModel
from optimizer.edges.classes import PartialsRule, ResidueClass, classes_of
from optimizer.edges.count import EdgeCount, edge_count
from optimizer.errors import InvalidInput
from optimizer.model.durations import MICROS
from optimizer.model.plan import Baselines, Plan, PlannedQuery, Tree
from optimizer.model.window import Unit, Window

__all__ = ["Calculator", "assemble"]

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Units:
    """How a plan counts: ``length`` microseconds or tuples are one unit of windows."""

    name: str
    length: int
    rate: float
    edges_per_unit: float
    """What an edge rate per window unit is multiplied by to be per time unit."""


class Calculator:
    """Edges and costs of groups of one stream's queries, in one time unit and by one technique."""

    def __init__(
        self,
        queries: Sequence[PlannedQuery],
        *,
        rate: float,
        stream: str | None = None,
        partials: PartialsRule = "pairs",
        technique: str = "panes",
        execution: str = "twoops",
    ) -> None:
        if not (isinstance(rate, int | float) and math.isfinite(rate) and rate >= 0):
            raise InvalidInput.at("rate", "must be a number of tuples per second, 0 or more")
        self.queries = tuple(queries)
        self.stream = _one_stream(self.queries, stream)
        self.partials = partials
        self.omega: Omega = _known(find_technique(technique), "technique", technique)
        self.execution: ExecutionModel = _known(
            next((m for m in EXECUTION_MODELS if m.name == execution), None), "execution", execution
        )
        self.units = _units({q.window for q in self.queries}, rate)
        self._alone: dict[Window, WeavedTree] = {}

    def edges(self, windows: set[Window]) -> EdgeCount:
        """The edges of a tree with these windows; slides and counts are in the plan's unit."""
        classes = {
            ResidueClass(modulus=c.modulus // self.units.length, residue=c.residue // self.units.length)
            for window in windows
            for c in classes_of(window, partials=self.partials)
        }
        found = edge_count(classes)
        factor = self.units.edges_per_unit
        error = found.error * factor if found.error is not None else None
        return EdgeCount(
            edge_rate=found.edge_rate * factor,
            edges=found.edges,
            composite_slide=found.composite_slide,
            error=error,
        )

    def weave(self, windows: set[Window], edge_rate: float) -> WeavedTree:
        """A tree with these windows and that edge rate, as the cost formulas see it."""
        length = self.units.length
        stats = TreeStats.of(
            edge_rate=edge_rate, windows=((w.range // length, w.slide // length) for w in windows)
        )
        return WeavedTree(edge_rate=edge_rate, omega=self.omega(stats))

    def alone(self, window: Window) -> WeavedTree:
        """The tree of a query that runs alone."""
        if window not in self._alone:
            self._alone[window] = self.weave({window}, self.edges({window}).edge_rate)
        return self._alone[window]

    def two_ops(self, trees: Sequence[WeavedTree]) -> float:
        """The total of Eq. 3."""
        return TWO_OPS.cost(rate=self.units.rate, edge_rate=0.0, trees=trees).total

    def cost(self, edge_rate: float, trees: Sequence[WeavedTree]) -> Cost:
        """The cost under the plan's execution model."""
        return self.execution.cost(rate=self.units.rate, edge_rate=edge_rate, trees=trees)

    def total(self, groups: Sequence[set[Window]]) -> float:
        """The total cost of a plan with these groups of windows; an empty group is no tree."""
        whole = self.edges(set().union(*groups)).edge_rate
        weaved = [
            self.alone(next(iter(g))) if len(g) == 1 else self.weave(g, self.edges(g).edge_rate)
            for g in groups
            if g
        ]
        return self.cost(whole, weaved).total

    def tree_cost(self, edge_rate: float, tree: WeavedTree) -> float:
        """What a tree costs by itself under the plan's execution model."""
        return self.execution.tree_cost(rate=self.units.rate, edge_rate=edge_rate, tree=tree)


def assemble(
    groups: Sequence[Sequence[PlannedQuery]], calculator: Calculator, *, optimizer: str, epoch: int = 1
) -> Plan:
    """The plan that runs each group as a tree; identical windows of a tree count once in Omega (X-13)."""
    together = {q.window for q in calculator.queries}
    whole = calculator.edges(together)
    trees, weaved = [], []
    for number, members in enumerate(groups, start=1):
        windows = {q.window for q in members}
        edges = whole if windows == together else calculator.edges(windows)
        woven = calculator.weave(windows, edges.edge_rate)
        weaved.append(woven)
        trees.append(
            Tree(
                id=number,
                members=tuple(members),
                edge_rate=edges.edge_rate,
                edge_rate_error=edges.error,
                edges=edges.edges,
                composite_slide=edges.composite_slide,
                technique=calculator.omega.name,
                omega=woven.omega,
                cost=calculator.tree_cost(whole.edge_rate, woven),
            )
        )
    everything = [calculator.weave(together, whole.edge_rate)] if together else []
    return Plan(
        epoch=epoch,
        stream=calculator.stream,
        optimizer=optimizer,
        technique=calculator.omega.name,
        partials=calculator.partials,
        execution=calculator.execution.name,
        time_unit=calculator.units.name,
        rate=calculator.units.rate,
        edge_rate=whole.edge_rate,
        edge_rate_error=whole.error,
        cost=calculator.cost(whole.edge_rate, weaved),
        trees=tuple(trees),
        baselines=Baselines(
            no_share=calculator.two_ops([calculator.alone(q.window) for q in calculator.queries]),
            shared=calculator.two_ops(everything),
        ),
    )


def _units(windows: set[Window], rate: float) -> _Units:
    kinds = {w.unit for w in windows}
    if len(kinds) > 1:
        raise InvalidInput.at("window.unit", "windows by time and by tuples cannot share a plan")
    if kinds == {Unit.ABSTRACT}:
        return _Units(name="1", length=1, rate=rate, edges_per_unit=1.0)
    if kinds == {Unit.TUPLES}:
        return _Units(name="1s", length=1, rate=rate, edges_per_unit=rate)
    whole_seconds = all(w.range % MICROS["s"] == 0 and w.slide % MICROS["s"] == 0 for w in windows)
    name = "s" if whole_seconds else "ms"
    length = MICROS[name]
    return _Units(name=f"1{name}", length=length, rate=rate * length / MICROS["s"], edges_per_unit=1.0)


def _one_stream(queries: Sequence[PlannedQuery], stream: str | None) -> str:
    """A-26: only queries of one stream share anything."""
    streams = {q.stream for q in queries} | ({stream} if stream is not None else set())
    if len(streams) > 1:
        raise InvalidInput.at("stream", "one plan is for the queries of one stream")
    ids = [q.id for q in queries]
    if len(ids) != len(set(ids)):
        raise InvalidInput.at("id", "each query needs an id of its own")
    return next(iter(streams), "")


def _known(found: T | None, field: str, name: str) -> T:
    if found is None:
        raise InvalidInput.at(field, f"{name!r} is not known")
    return found
