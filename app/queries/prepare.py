"""Bodies, as specs or as SQL, as queries that are ready to be stored."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from app.problems import field_errors
from app.queries.convert import normalized, to_acq
from app.queries.schemas import SpecIn, SqlIn
from app.sql import parse_sql
from app.streams.definition import schema_of
from optimizer.errors import FieldError, InvalidInput
from optimizer.model.acq import Acq
from optimizer.model.schema import Schema

__all__ = ["Prepared", "Preparer", "read_acq"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """A valid query; ``hash`` is that of the text of its canonical form."""

    id: str | None
    acq: Acq
    spec: dict[str, Any]
    text: str
    hash: str


class Preparer:
    """Prepares queries against the streams' definitions, each of which is looked up once.

    ``definitions`` then holds what the queries were checked against; whoever stores them must make sure,
    under a lock, that it is still so.
    """

    def __init__(self, lookup: Callable[[str], dict[str, Any] | None]) -> None:
        self._lookup = lookup
        self.definitions: dict[str, dict[str, Any] | None] = {}
        self._schemas: dict[str, Schema] = {}

    def prepare(self, body: SpecIn | SqlIn) -> Prepared:
        """The query, or an error that names every offending field."""
        if isinstance(body, SpecIn):
            return self._prepare(body, None)
        try:
            return self._prepare(*_from_sql(body))
        except InvalidInput as error:
            # The caller wrote SQL: that is the field, and its parts are named in the message.
            raise type(error)(
                e if e.field.split(".")[0] == "sql" else FieldError(field="sql", message=_of_part(e))
                for e in error.errors
            ) from None

    def _prepare(self, spec: SpecIn, window_column: str | None) -> Prepared:
        name = spec.stream
        if name not in self.definitions:
            self.definitions[name] = self._lookup(name)
        definition = self.definitions[name]
        if definition is None:
            raise InvalidInput.at("stream", f"there is no stream {name!r}")
        if name not in self._schemas:
            self._schemas[name] = schema_of(definition)
        _check_window_column(window_column, definition["event_time"])
        acq = to_acq(spec, schema=self._schemas[name], event_time=definition["event_time"])
        text = acq.canonical
        digest = hashlib.sha256(text.encode()).hexdigest()
        return Prepared(id=spec.id, acq=acq, spec=normalized(acq), text=text, hash=digest)


def read_acq(spec: dict[str, Any], definition: dict[str, Any]) -> Acq:
    """The ACQ of a normalized spec over a stream of that definition."""
    return to_acq(
        SpecIn.model_validate(spec), schema=schema_of(definition), event_time=definition["event_time"]
    )


def _from_sql(body: SqlIn) -> tuple[SpecIn, str]:
    """The spec, and the column that its window goes by."""
    spec = parse_sql(body.sql)
    window_column = spec.pop("event_time")
    try:
        return SpecIn.model_validate({**spec, "id": body.id}), window_column
    except ValidationError as error:
        located = ({**e, "loc": ("body", *e["loc"])} for e in error.errors())
        raise InvalidInput(field_errors(located, spec)) from None


def _check_window_column(given: str | None, event_time: str) -> None:
    if given is not None and given.lower() != event_time.lower():
        raise InvalidInput.at(
            "window", f"must go by the stream's event time: window({event_time}, ...), not {given!r}"
        )


def _of_part(error: FieldError) -> str:
    return f"{error.field}: {error.message}" if error.field else error.message
