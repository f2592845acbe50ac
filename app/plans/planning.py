"""Workloads as the optimizer's plans."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from app.plans.options import IN_FORCE, Choice
from app.plans.schemas import WhatIfIn
from optimizer.errors import FieldError, InvalidInput
from optimizer.model.aggregates import find_aggregate
from optimizer.model.durations import MICROS, parse_duration
from optimizer.model.plan import Lane, Plan, PlannedQuery
from optimizer.model.window import Window
from optimizer.registry import OPTIMIZERS

__all__ = ["make_plan", "per_second", "planned", "what_if"]

_ABSTRACT_UNIT = "1"


def planned(query_id: str, spec: dict[str, Any]) -> PlannedQuery:
    """A stored query as the optimizer knows it; its predicate need not be parsed again for that."""
    lanes = set()
    for call in spec["aggregates"]:
        function = find_aggregate(call["function"])
        operations = function.partials if function else ()
        lanes |= {Lane(operation=operation, column=call["column"] or "*") for operation in operations}
    window = Window(
        range=parse_duration(spec["window"]["range"]), slide=parse_duration(spec["window"]["slide"])
    )
    return PlannedQuery(id=query_id, stream=spec["stream"], window=window, lanes=tuple(sorted(lanes)))


def make_plan(
    queries: Sequence[PlannedQuery], *, rate: float, stream: str, epoch: int = 1, choice: Choice = IN_FORCE
) -> Plan:
    """The plan for a stream's queries; the rate is in tuples per second."""
    optimize = dict(OPTIMIZERS)[choice.optimizer]
    return optimize(
        queries, rate, stream=stream, technique=choice.technique, partials=choice.partials, epoch=epoch
    )


def what_if(body: WhatIfIn, choice: Choice) -> dict[str, Any]:
    """The plan of a workload that is not registered, as JSON.

    Plain numbers are in one abstract unit; inside, they are taken for seconds, and nothing depends on that.
    """
    abstract = isinstance(body.queries[0].range, int)
    errors: list[FieldError] = []
    queries = []
    taken: set[str] = set()
    for position, query in enumerate(body.queries):
        field = f"queries.{position}"
        try:
            window = Window(
                range=_length(query.range, "range", abstract=abstract),
                slide=_length(query.slide, "slide", abstract=abstract),
            )
            queries.append(PlannedQuery(id=query.id, stream="", window=window))
        except InvalidInput as error:
            errors.extend(error.under(field).errors)
        if query.id in taken:
            errors.append(FieldError(field=f"{field}.id", message="is the id of another query here"))
        taken.add(query.id)
    if errors:
        raise InvalidInput(errors)
    document = make_plan(queries, rate=body.rate, stream="", choice=choice).document()
    unit = _ABSTRACT_UNIT if abstract else document["time_unit"]
    return {**document, "id": None, "stream": None, "time_unit": unit}


def per_second(plan: Plan) -> float:
    """The plan's cost in operations per second, so that plans of unlike units can be compared."""
    return plan.cost.total * MICROS["s"] / parse_duration(plan.time_unit)


def _length(value: str | int, field: str, *, abstract: bool) -> int:
    if isinstance(value, int) is not abstract:
        raise InvalidInput.at(field, "lengths must be all durations, or all plain numbers")
    return value * MICROS["s"] if isinstance(value, int) else parse_duration(value, field=field)
