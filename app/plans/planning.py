"""Workloads as the optimizer's plans."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from app.plans.options import DEFAULT, Choice
from optimizer.baselines import with_baselines
from optimizer.estimate import Estimator
from optimizer.model.durations import MICROS, parse_duration
from optimizer.model.plan import Plan, PlannedQuery
from optimizer.model.window import Window
from optimizer.reoptimize import reoptimize

__all__ = ["make_plan", "per_second", "planned"]


def planned(query_id: str, spec: dict[str, Any]) -> PlannedQuery:
    """A stored query as the optimizer knows it; its predicate need not be parsed again for that."""
    calls = tuple((call["function"], call["column"]) for call in spec["aggregates"])
    window = Window(
        range=parse_duration(spec["window"]["range"]), slide=parse_duration(spec["window"]["slide"])
    )
    return PlannedQuery.named(
        query_id,
        spec["stream"],
        window,
        calls,
        group_by=tuple(sorted(spec.get("group_by") or ())),
        where=spec.get("where"),
    )


def make_plan(
    queries: Sequence[PlannedQuery],
    *,
    rate: float,
    stream: str,
    epoch: int = 1,
    choice: Choice = DEFAULT,
    last: Plan | None = None,
    estimator: Estimator | None = None,
) -> Plan:
    """The plan for a stream's queries, following the last one; the rate is in tuples per second."""
    plan = reoptimize(
        queries,
        rate,
        optimizer=choice.optimizer,
        technique=choice.technique,
        improve=choice.improve,
        partials=choice.partials,
        stream=stream,
        epoch=epoch,
        last=last,
        estimator=estimator,
    )
    return with_baselines(plan)


def per_second(cost: float, plan: Plan) -> float:
    """A cost of the plan in operations per second, so that plans of unlike units can be compared."""
    return cost * MICROS["s"] / parse_duration(plan.time_unit)
