"""A spec as the ACQ that it means, and an ACQ as its normalized spec.

All errors of a spec are found, not only the first.
"""

from __future__ import annotations

from typing import Any

from app.queries.schemas import AggregateIn, SpecIn, WindowIn
from optimizer.errors import FieldError, InvalidInput, Unsupported
from optimizer.model.acq import Acq, AggregateCall
from optimizer.model.aggregates import AGGREGATES, find_aggregate
from optimizer.model.durations import format_duration, parse_duration
from optimizer.model.parse_predicate import parse_predicate
from optimizer.model.predicate import Predicate
from optimizer.model.schema import Column, Schema
from optimizer.model.window import Unit, Window

__all__ = ["normalized", "to_acq"]


def to_acq(spec: SpecIn, *, schema: Schema, event_time: str) -> Acq:
    """The ACQ, or an error that names every offending field; tuple windows are legal, and unsupported."""
    errors: list[FieldError] = []
    window = _window(spec.window, errors)
    calls = [_call(item, schema, f"aggregates.{i}", errors) for i, item in enumerate(spec.aggregates)]
    columns = [
        _grouping(name, schema, event_time, f"group_by.{i}", errors) for i, name in enumerate(spec.group_by)
    ]
    predicate = _predicate(spec.where, schema, errors)
    if errors or window is None:
        raise InvalidInput(errors)
    acq = Acq(
        stream=spec.stream,
        window=window,
        aggregates=tuple(call for call in calls if call is not None),
        predicate=predicate,
        group_by=tuple(column for column in columns if column is not None),
    )
    if window.unit is Unit.TUPLES:
        raise Unsupported.at(
            "window.unit", "no engine runs windows by tuples yet: give range and slide as durations"
        )
    return acq


def normalized(acq: Acq) -> dict[str, Any]:
    """The one form in which a query is stored, compared and echoed."""
    return {
        "stream": acq.stream,
        "aggregates": [
            {
                "function": call.function.name,
                "column": call.column.name if call.column else None,
                "as": call.alias,
            }
            for call in acq.aggregates
        ],
        "window": {
            "range": format_duration(acq.window.range),
            "slide": format_duration(acq.window.slide),
            "unit": "time",
        },
        "where": acq.predicate.sql if acq.predicate else None,
        "group_by": [column.name for column in acq.group_by],
    }


def _window(window: WindowIn, errors: list[FieldError]) -> Window | None:
    slide = window.range if window.slide is None else window.slide
    found: list[FieldError] = []
    lengths = []
    for name, value in (("range", window.range), ("slide", slide)):
        try:
            lengths.append(_length(value, name, window.unit))
        except InvalidInput as error:
            found.extend(error.errors)
    if not found:
        try:
            return Window(range=lengths[0], slide=lengths[1], unit=Unit(window.unit))
        except InvalidInput as error:
            found.extend(error.errors)
    errors.extend(e.under("window") for e in found)
    return None


def _length(value: str | int, field: str, unit: str) -> int:
    if unit == Unit.TIME:
        if isinstance(value, int):
            raise InvalidInput.at(field, f'must be a duration such as "{value}s"')
        return parse_duration(value, field=field)
    if isinstance(value, str):
        raise InvalidInput.at(field, "must be a number of tuples")
    return value


def _call(item: AggregateIn, schema: Schema, field: str, errors: list[FieldError]) -> AggregateCall | None:
    function = find_aggregate(item.function)
    if function is None:
        names = ", ".join(a.name for a in AGGREGATES)
        errors.append(FieldError(field=f"{field}.function", message=f"unknown function: use one of {names}"))
    name = None if item.column == "*" else item.column
    column = None
    try:
        if name is not None:
            column = schema.column(name, field=f"{field}.column")
    except InvalidInput as error:
        errors.extend(error.errors)
        return None
    if function is None:
        return None
    default = f"{function.name}_{column.name}" if column else function.name
    try:
        return AggregateCall(function=function, column=column, alias=item.alias or default[:128])
    except InvalidInput as error:
        errors.extend(e.under(field) for e in error.errors)
        return None


def _grouping(
    name: str, schema: Schema, event_time: str, field: str, errors: list[FieldError]
) -> Column | None:
    try:
        column = schema.column(name, field=field)
    except InvalidInput as error:
        errors.extend(error.errors)
        return None
    if column.name == event_time:
        errors.append(
            FieldError(
                field=field, message="the event-time column cannot be grouped by: the window does that"
            )
        )
        return None
    return column


def _predicate(text: str | None, schema: Schema, errors: list[FieldError]) -> Predicate | None:
    if text is None or not text.strip():
        return None
    try:
        return parse_predicate(text, schema, field="where")
    except InvalidInput as error:
        errors.extend(error.errors)
        return None
