"""Workloads as the optimizer's plans."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from app.plans.options import IN_FORCE, Choice
from optimizer.model.aggregates import find_aggregate
from optimizer.model.durations import MICROS, parse_duration
from optimizer.model.plan import Lane, Plan, PlannedQuery
from optimizer.model.window import Window
from optimizer.registry import OPTIMIZERS

__all__ = ["lanes_of", "make_plan", "per_second", "planned"]


def planned(query_id: str, spec: dict[str, Any]) -> PlannedQuery:
    """A stored query as the optimizer knows it; its predicate need not be parsed again for that."""
    calls = [(call["function"], call["column"]) for call in spec["aggregates"]]
    window = Window(
        range=parse_duration(spec["window"]["range"]), slide=parse_duration(spec["window"]["slide"])
    )
    return PlannedQuery(id=query_id, stream=spec["stream"], window=window, lanes=lanes_of(calls))


def lanes_of(calls: Iterable[tuple[str, str | None]]) -> tuple[Lane, ...]:
    """The operations that functions of columns are lowered from, each once.

    >>> [f"{lane.operation} {lane.column}" for lane in lanes_of([("avg", "p"), ("sum", "p"), ("count", None)])]
    ['count *', 'count p', 'sum p']
    """
    lanes = set()
    for name, column in calls:
        function = find_aggregate(name)
        operations = function.partials if function else ()
        lanes |= {Lane(operation=operation, column=column or "*") for operation in operations}
    return tuple(sorted(lanes))


def make_plan(
    queries: Sequence[PlannedQuery], *, rate: float, stream: str, epoch: int = 1, choice: Choice = IN_FORCE
) -> Plan:
    """The plan for a stream's queries; the rate is in tuples per second."""
    optimize = dict(OPTIMIZERS)[choice.optimizer]
    return optimize(
        queries, rate, stream=stream, technique=choice.technique, partials=choice.partials, epoch=epoch
    )


def per_second(plan: Plan) -> float:
    """The plan's cost in operations per second, so that plans of unlike units can be compared."""
    return plan.cost.total * MICROS["s"] / parse_duration(plan.time_unit)
