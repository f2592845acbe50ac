"""What the plan endpoints take and answer."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import Path
from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from app.queries.schemas import MAX_TEXT, AggregateIn
from app.streams.schemas import RATE
from app.streams.sources import StrictModel
from optimizer.model.acq import MAX_AGGREGATES

__all__ = [
    "CostsOut",
    "DiffOut",
    "ExplainOut",
    "OptimizeIn",
    "OptimizeOut",
    "PlanId",
    "PlanOut",
    "TechniquesOut",
    "WhatIfIn",
]

Optimizer = Literal["auto", "no_share", "shared", "weaveshare", "triweave", "gtweave", "exact"]
Technique = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]{0,63}$")]
Partials = Literal["pairs", "panes", "cutty"]
Exact = int | str | None
"""An exact integer: a text beyond 2^53, null where it is not known exactly."""

MAX_CO_MEMBERS = 1_000
_ID = r"^[A-Za-z0-9-]{1,64}$"
PlanId = Annotated[str, Path(pattern=_ID, max_length=64, description="The plan's id.")]


class _Options(StrictModel):
    optimizer: Optimizer = "auto"
    technique: Technique = Field(
        default="auto",
        description="auto, the cheapest for each tree and kind of aggregate, or a name from GET /v1/techniques.",
    )
    partials: Partials = "pairs"
    improve: bool | None = Field(default=None, description="Default: true for auto, false for the others.")


class OptimizeIn(_Options):
    """How to plan; everything is optional."""

    rate: Annotated[float, RATE] | None = Field(default=None, description="Default: the stream's rate.")
    dry_run: bool = Field(default=False, description="Only answer; put nothing into force.")


_Length = (
    Annotated[str, StringConstraints(min_length=1, max_length=100)]
    | Annotated[int, Field(gt=0)]
    | Annotated[float, Field(gt=0, allow_inf_nan=False)]
)


class WhatIfQuery(StrictModel):
    """A query that need not exist.

    Its plan depends on its window, and the operations of its tree on functions and columns; a predicate or a
    grouping makes no difference to either, and may be given all the same.
    """

    id: Annotated[str, StringConstraints(min_length=1, max_length=128)]
    range: _Length = Field(description="A duration, or a plain number in one abstract unit.", examples=[8])
    slide: _Length | None = Field(default=None, description="Default: the range.", examples=[4])
    unit: Literal["time", "tuples"] = "time"
    stream: Annotated[str, StringConstraints(max_length=128)] | None = Field(
        default=None, description="The same of all queries, as one plan is for one stream."
    )
    aggregates: list[AggregateIn] = Field(default_factory=list, max_length=MAX_AGGREGATES)
    where: Annotated[str, StringConstraints(max_length=MAX_TEXT)] | None = Field(
        default=None,
        description="There is no schema to read it by: it only tells queries apart in the estimate.",
    )
    group_by: list[Annotated[str, StringConstraints(min_length=1, max_length=128)]] = Field(
        default_factory=list, max_length=100, description="Makes a difference only to the estimate."
    )


class WhatIfIn(_Options):
    """A workload to plan without registering it."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "queries": [{"id": "a", "range": 8, "slide": 4}, {"id": "b", "range": 6, "slide": 2}],
                    "rate": 10,
                }
            ]
        }
    )

    queries: list[WhatIfQuery] = Field(min_length=1, max_length=50_000)
    rate: Annotated[float, Field(ge=0, le=1e12, allow_inf_nan=False)] = Field(
        default=1000.0,
        description="Tuples per second, or per unit where the lengths are plain numbers. The plan's time_unit says "
        "what its numbers are per: with lengths such as 2.5 and 4 it is 0.5, the longest that divides them all.",
    )


class CostOut(BaseModel):
    """Aggregate operations per time unit, level by level."""

    total: float
    sub_aggregation: float
    intercede: float
    final_aggregation: float


class LaneOut(BaseModel):
    """An operation over a column that the queries of a tree share."""

    operation: str
    column: str
    technique: str


class RequestedOut(BaseModel):
    """How a plan was asked for; auto leaves the choice to the optimizer."""

    optimizer: str
    technique: str
    improve: bool


class EstimateOut(BaseModel):
    """Seconds of work per second of the stream, level by level, on this machine."""

    seconds_per_second: float
    sub_aggregation: float
    intercede: float
    final_aggregation: float
    results: float
    batches: float
    results_per_second: float
    measured: bool = Field(description="false while the machine has not been measured.")


class TreeOut(BaseModel):
    """One execution tree."""

    id: int
    queries: list[str]
    edge_rate: float
    edge_rate_error: float | None = Field(description="Bound on the estimate's error; null when exact.")
    edges: Exact
    composite_slide: Exact
    technique: str = Field(description="mixed where lanes have unlike ones.")
    omega: float = Field(description="Final-aggregation operations per edge.")
    cost: float
    lanes: list[LaneOut]
    estimated_seconds_per_second: float | None = Field(
        description="What its intercede and final aggregation are estimated to take; null where unknown."
    )


class PlanOut(BaseModel):
    """A plan and its cost by the papers' equations."""

    id: str | None = Field(description="null for a plan that is in force nowhere.")
    epoch: int
    stream: str | None
    optimizer: str
    technique: str
    partials: str
    execution: str
    time_unit: str = Field(description="What rates, edges and costs are per.")
    rate: float
    edge_rate: float
    edge_rate_error: float | None
    cost: CostOut
    trees: list[TreeOut]
    baselines: dict[str, float | None] = Field(
        description="Total cost of other ways to share, in the same unit; null: not computed."
    )
    requested: RequestedOut
    estimate: EstimateOut | None = Field(description="null for windows by tuples or in an abstract unit.")


class DiffOut(BaseModel):
    """How a plan differs from the one before."""

    added: list[str] = Field(description="Queries that the plan before did not have.")
    removed: list[str]
    moved: list[str] = Field(description="Queries that share with others than before.")
    cost_before: float | None
    cost_after: float


class OptimizeOut(BaseModel):
    """A plan, and how it differs from the one in force."""

    plan: PlanOut
    changed: bool
    reason: str
    diff: DiffOut


class CostLine(BaseModel):
    """One way to plan."""

    optimizer: str
    technique: str
    execution: str | None
    partials: str
    total: float | None = Field(description="null where this way to plan is refused.")
    trees: int | None
    seconds: float = Field(description="Time that planning took.")
    refused: str | None = Field(description="Why there is no such plan.")


class CostsOut(BaseModel):
    """Every way to plan, cheapest first."""

    time_unit: str
    rate: float
    items: list[CostLine]


class TechniqueOut(BaseModel):
    """A technique of final aggregation."""

    name: str
    formula: str = Field(description="Operations per edge, in the papers' symbols.")
    capability: str = Field(description="What an aggregate must be capable of.")
    serves: list[str] = Field(description="The kinds of aggregates that it may serve.")
    multi_query: bool = Field(description="Whether many queries may share one tree of it.")
    in_auto: bool = Field(description="Whether auto may choose it.")


class TechniquesOut(BaseModel):
    """All techniques."""

    items: list[TechniqueOut]
    next: None = None


class AlternativeOut(BaseModel):
    """Another place of a query."""

    tree: int | None = Field(description="null for a tree of its own.")
    added_cost: float = Field(description="What the plan would cost more.")


class MergeOut(BaseModel):
    """Two trees that became one."""

    gain: float
    joined: list[str] = Field(
        description="The first queries of the tree that the query's own was merged with."
    )
    joined_count: int


class ExplainOut(BaseModel):
    """Where a query is in the plan, and why; costs are in operations per time unit of the plan."""

    query: str
    stream: str
    plan: str
    optimizer: str
    execution: str
    time_unit: str
    tree: int
    window: str
    shared: bool
    reason: str
    co_members: list[str] = Field(description=f"Queries of the same tree, the first {MAX_CO_MEMBERS}.")
    co_member_count: int
    same_window: list[str] = Field(description="Those of them that have the same window.")
    identical: list[str] = Field(description="Those that are the same computation, done once for all.")
    marginal_cost: float = Field(description="What the plan would cost less without the query.")
    alone_cost: float = Field(description="What the query would cost in a tree of its own.")
    saved_by_sharing: float = Field(description="The difference of the two.")
    tree_edge_rate: float
    tree_edges: str
    tree_cost: float
    tree_technique: str
    tree_running_aggregates: int | None = Field(
        description="What SlickDeque (Inv) would really keep in this tree; null where counting takes too long."
    )
    alternatives: list[AlternativeOut] = Field(description="The best other places of the query.")
    merges: list[MergeOut] = Field(
        description="The merges by which greedy made its tree, before improvement; none where they are too many."
    )
