"""Plans of workloads that nobody has registered.

Lengths are durations, numbers of tuples, or plain numbers in one abstract unit of time. Plain numbers may have
fractions: all are counted in the longest unit that divides one and makes every length whole, exactly as they
are written in decimal, and the plan's ``time_unit`` is that unit.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from fractions import Fraction
from typing import Any

from app.plans.options import Choice
from app.plans.planning import make_plan
from app.plans.schemas import WhatIfIn, WhatIfQuery
from optimizer.errors import FieldError, InvalidInput
from optimizer.estimate import Estimator
from optimizer.model.aggregates import AGGREGATES, find_aggregate
from optimizer.model.durations import parse_duration
from optimizer.model.plan import PlannedQuery
from optimizer.model.window import MAX_ABSTRACT, Unit, Window

__all__ = ["what_if"]


def what_if(body: WhatIfIn, choice: Choice, estimator: Estimator) -> dict[str, Any]:
    """The plan of a workload that is not registered, as JSON."""
    first = body.queries[0]
    unit = _unit(first)
    scale = _scale(body.queries) if unit is Unit.ABSTRACT else 1
    if scale > MAX_ABSTRACT:
        raise InvalidInput.at(
            "queries.0.range", "lengths differ too much: no unit of at least 2^-62 divides them all"
        )
    errors: list[FieldError] = []
    queries = []
    taken: set[str] = set()
    for position, query in enumerate(body.queries):
        field = f"queries.{position}"
        try:
            queries.append(_planned(query, unit, scale))
        except InvalidInput as error:
            errors.extend(error.under(field).errors)
        if query.id in taken:
            errors.append(FieldError(field=f"{field}.id", message="is the id of another query here"))
        if query.stream != first.stream:
            errors.append(
                FieldError(field=f"{field}.stream", message="one plan is for the queries of one stream")
            )
        taken.add(query.id)
    if errors:
        raise InvalidInput(errors)
    plan = make_plan(queries, rate=body.rate / scale, stream="", choice=choice, estimator=estimator)
    document = plan.document()
    time_unit = _decimal(Fraction(1, scale)) if unit is Unit.ABSTRACT else document["time_unit"]
    return {**document, "id": None, "stream": first.stream, "time_unit": time_unit}


def _unit(query: WhatIfQuery) -> Unit:
    """What the lengths are measured in."""
    if query.unit == "tuples":
        return Unit.TUPLES
    return Unit.TIME if isinstance(query.range, str) else Unit.ABSTRACT


def _planned(query: WhatIfQuery, unit: Unit, scale: int) -> PlannedQuery:
    if (query.unit == "tuples") is not (unit is Unit.TUPLES):
        raise InvalidInput.at("unit", "windows by time and by tuples cannot share a plan")
    lengths = {"range": query.range, "slide": query.range if query.slide is None else query.slide}
    errors = [*_wrong_calls(query)]
    whole: dict[str, int] = {}
    for name, value in lengths.items():
        try:
            whole[name] = _length(value, name, unit, scale)
        except InvalidInput as error:
            errors.extend(error.errors)
    if errors:
        raise InvalidInput(errors)
    calls = tuple((call.function, None if call.column == "*" else call.column) for call in query.aggregates)
    return PlannedQuery.named(
        query.id,
        "",
        Window(**whole, unit=unit),
        calls,
        group_by=tuple(sorted(set(query.group_by))),
        where=query.where,
    )


def _wrong_calls(query: WhatIfQuery) -> Iterator[FieldError]:
    for position, call in enumerate(query.aggregates):
        function = find_aggregate(call.function)
        if function is None:
            names = ", ".join(a.name for a in AGGREGATES)
            yield FieldError(
                field=f"aggregates.{position}.function", message=f"unknown function: use one of {names}"
            )
        elif call.column in (None, "*") and function.name != "count":
            yield FieldError(field=f"aggregates.{position}.column", message=f"{function.name} needs a column")


def _length(value: str | float, field: str, unit: Unit, scale: int) -> int:
    if unit is Unit.TUPLES:
        if isinstance(value, str) or value != int(value):
            raise InvalidInput.at(field, "must be a whole number of tuples")
        return int(value)
    if isinstance(value, str) is not (unit is Unit.TIME):
        raise InvalidInput.at(field, "lengths must be all durations, or all plain numbers")
    return parse_duration(value, field=field) if isinstance(value, str) else int(_exact(value) * scale)


def _scale(queries: Iterable[WhatIfQuery]) -> int:
    """The number of finest units in one abstract unit."""
    lengths = (length for query in queries for length in (query.range, query.slide))
    return math.lcm(*(_exact(x).denominator for x in lengths if isinstance(x, int | float)))


def _exact(value: float) -> Fraction:
    """The number as it was written, which for 0.1 is not what a computer holds."""
    return Fraction(repr(value))


def _decimal(value: Fraction) -> str:
    """A fraction whose denominator divides a power of ten, in decimal.

    >>> _decimal(Fraction(1)), _decimal(Fraction(1, 4))
    ('1', '0.25')
    """
    digits = 0
    while (value * 10**digits).denominator != 1:
        digits += 1
    return f"{float(value):.{digits}f}"
