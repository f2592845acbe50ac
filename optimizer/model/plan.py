"""The plan: which queries share which execution tree, and what that costs (doc 000 II-C, III).

Every number of a plan is in its ``time_unit``: the rate is tuples per unit, an edge rate is edges per unit,
costs are aggregate operations per unit.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass
from functools import lru_cache
from typing import Any

from costmodel import Cost, Need
from costmodel.estimate import Estimate
from optimizer.edges.classes import PartialsRule
from optimizer.model.acq import Acq
from optimizer.model.aggregates import Aggregate, Invertible, Selective, find_aggregate
from optimizer.model.window import Window

__all__ = [
    "EVERY_COLUMN",
    "Baselines",
    "Lane",
    "Plan",
    "PlannedQuery",
    "Requested",
    "Tree",
    "check_plan",
    "measured",
]

EVERY_COLUMN = "*"
"""The column of ``count(*)``, which is none in particular."""
MAX_JSON_INTEGER = 2**53
"""Beyond it JSON numbers are not exact everywhere, so integers are written as strings."""


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class Lane:
    """One operation of sub-aggregation over one column: what queries of a tree share besides edges (A-26)."""

    operation: str
    column: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedQuery:
    """What the optimizer knows of a query."""

    id: str
    stream: str
    window: Window
    lanes: tuple[Lane, ...] = ()
    needs: frozenset[Need] = frozenset()
    """The kinds of its aggregates; none where no aggregate is named."""
    calls: tuple[tuple[str, str | None], ...] = ()
    """Its functions of columns."""
    group_by: tuple[str, ...] = ()
    where: str | None = None

    @classmethod
    def of(cls, id_: str, acq: Acq) -> PlannedQuery:
        """The query of an ACQ; sum, count and avg of one column share their lanes (row I-16)."""
        calls = tuple(
            (call.function.name, call.column.name if call.column else None) for call in acq.aggregates
        )
        where = acq.predicate.sql if acq.predicate else None
        return cls.named(id_, acq.stream, acq.window, calls, group_by=acq.canonical_group_by, where=where)

    @classmethod
    def named(
        cls,
        id_: str,
        stream: str,
        window: Window,
        calls: tuple[tuple[str, str | None], ...],
        *,
        group_by: tuple[str, ...] = (),
        where: str | None = None,
    ) -> PlannedQuery:
        """The query with these functions of columns; functions that are not known have no lane."""
        lanes, needs = _operations(calls)
        return cls(
            id=id_,
            stream=stream,
            window=window,
            lanes=lanes,
            needs=needs,
            calls=calls,
            group_by=group_by,
            where=where,
        )

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that it measures: queries share partials only where these are the same (A-26)."""
        return measured(self.lanes)


def measured(lanes: tuple[Lane, ...]) -> tuple[str, ...]:
    """The columns of lanes; counting tuples measures none."""
    return tuple(sorted({lane.column for lane in lanes} - {EVERY_COLUMN}))


@lru_cache(maxsize=4096)
def _operations(calls: tuple[tuple[str, str | None], ...]) -> tuple[tuple[Lane, ...], frozenset[Need]]:
    """The operations that functions of columns are lowered from, each once, and the kinds of the functions.

    >>> lanes, needs = _operations((("avg", "p"), ("sum", "p"), ("count", None)))
    >>> [f"{lane.operation} {lane.column}" for lane in lanes], sorted(needs)
    (['count *', 'count p', 'sum p'], [<Need.INVERTIBLE: 'invertible'>])
    """
    lanes = set()
    needs = set()
    for name, column in calls:
        function = find_aggregate(name)
        if function is None:
            continue
        lanes |= {Lane(operation=operation, column=column or EVERY_COLUMN) for operation in function.partials}
        needs.add(_need(function))
    return tuple(sorted(lanes)), frozenset(needs)


def _need(function: Aggregate) -> Need:
    if isinstance(function, Selective):
        return Need.SELECTIVE
    return Need.INVERTIBLE if isinstance(function, Invertible) else Need.NEITHER


@dataclass(frozen=True, slots=True, kw_only=True)
class Tree:
    """An execution tree: queries whose windows are combined from the same fragments."""

    id: int
    members: tuple[PlannedQuery, ...]
    edge_rate: float
    edge_rate_error: float | None
    edges: int | None
    composite_slide: int | None
    technique: str
    omega: float
    cost: float
    lane_techniques: tuple[tuple[Lane, str], ...] = ()
    """Each operation of the members with the technique that serves it."""
    seconds_per_second: float | None = None
    """What the tree takes by itself, estimated; None is not known."""

    @property
    def queries(self) -> tuple[str, ...]:
        """The ids of the members."""
        return tuple(m.id for m in self.members)

    @property
    def lanes(self) -> tuple[Lane, ...]:
        """The distinct operations and columns of the members."""
        return tuple(lane for lane, _ in self.lane_techniques)


@dataclass(frozen=True, slots=True, kw_only=True)
class Baselines:
    """Total costs of other plans for the same queries: Eq. 3, Eq. 4 for TriWeave; None is not computed."""

    no_share: float
    shared: float
    weaveshare: float | None = None
    triweave: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Requested:
    """How a plan was asked for: ``auto`` leaves the choice to the optimizer."""

    optimizer: str
    technique: str
    improve: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """A plan for all queries of a stream."""

    epoch: int
    stream: str
    optimizer: str
    technique: str
    partials: PartialsRule
    execution: str
    time_unit: str
    rate: float
    edge_rate: float
    edge_rate_error: float | None
    cost: Cost
    trees: tuple[Tree, ...]
    baselines: Baselines
    requested: Requested
    estimate: Estimate | None = None
    """What it takes on a machine; None is not known."""

    @property
    def id(self) -> str:
        """A name for exactly this content: equal plans have equal ids.

        A rate that changes costs but no tree gives another plan, since a plan is shown with its costs. What it is
        estimated to take is the machine's, and makes no other plan.
        """
        content = json.dumps(self._content(), sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(content.encode()).hexdigest()[:20]

    def tree_of(self, query_id: str) -> Tree | None:
        """The tree that answers a query."""
        return next((t for t in self.trees if query_id in t.queries), None)

    def document(self) -> dict[str, Any]:
        """The plan as JSON, in the fields of the HTTP contract."""
        trees = [
            {**_tree_document(tree), "estimated_seconds_per_second": tree.seconds_per_second}
            for tree in self.trees
        ]
        return {
            "id": self.id,
            **self._content(),
            "trees": trees,
            "estimate": _estimate_document(self.estimate),
        }

    def _content(self) -> dict[str, Any]:
        return {
            "epoch": self.epoch,
            "stream": self.stream,
            "optimizer": self.optimizer,
            "technique": self.technique,
            "partials": self.partials,
            "execution": self.execution,
            "time_unit": self.time_unit,
            "rate": self.rate,
            "edge_rate": self.edge_rate,
            "edge_rate_error": self.edge_rate_error,
            "cost": {
                "total": self.cost.total,
                "sub_aggregation": self.cost.sub_aggregation,
                "intercede": self.cost.intercede,
                "final_aggregation": self.cost.final_aggregation,
            },
            "trees": [_tree_document(tree) for tree in self.trees],
            "baselines": {
                "no_share": self.baselines.no_share,
                "shared": self.baselines.shared,
                "weaveshare": self.baselines.weaveshare,
                "triweave": self.baselines.triweave,
            },
            "requested": {
                "optimizer": self.requested.optimizer,
                "technique": self.requested.technique,
                "improve": self.requested.improve,
            },
        }


def check_plan(plan: Plan, query_ids: set[str]) -> list[str]:
    """What is wrong with a plan for these queries; empty when every invariant holds."""
    placed = [q for tree in plan.trees for q in tree.queries]
    wrong = []
    if len(placed) != len(set(placed)):
        wrong.append("a query is in two trees")
    if set(placed) != query_ids:
        wrong.append("the trees do not hold exactly the queries")
    if [t.id for t in plan.trees] != list(range(1, len(plan.trees) + 1)):
        wrong.append("trees are not numbered from 1")
    if any(not t.members for t in plan.trees):
        wrong.append("a tree is empty")
    if any(m.stream != plan.stream for t in plan.trees for m in t.members):
        wrong.append("a tree has a query of another stream")
    slack = 1 + 1e-9
    exact = all(e is None for e in (plan.edge_rate_error, *(t.edge_rate_error for t in plan.trees)))
    if exact and plan.trees and max(t.edge_rate for t in plan.trees) > plan.edge_rate * slack:
        wrong.append("a tree has more edges than all trees together")
    own = sum(t.cost for t in plan.trees) + (plan.rate if plan.execution == "triops" and plan.trees else 0.0)
    if abs(own - plan.cost.total) > 1e-9 * (1 + plan.cost.total):
        wrong.append("the trees' costs do not add up to the plan's")
    return wrong


def _tree_document(tree: Tree) -> dict[str, Any]:
    return {
        "id": tree.id,
        "queries": list(tree.queries),
        "edge_rate": tree.edge_rate,
        "edge_rate_error": tree.edge_rate_error,
        "edges": _exact(tree.edges),
        "composite_slide": _exact(tree.composite_slide),
        "technique": tree.technique,
        "omega": tree.omega,
        "cost": tree.cost,
        "lanes": [
            {"operation": lane.operation, "column": lane.column, "technique": technique}
            for lane, technique in tree.lane_techniques
        ],
    }


def _estimate_document(estimate: Estimate | None) -> dict[str, Any] | None:
    if estimate is None:
        return None
    return {"seconds_per_second": estimate.seconds_per_second, **asdict(estimate)}


def _exact(number: int | None) -> int | str | None:
    return str(number) if number is not None and number > MAX_JSON_INTEGER else number
