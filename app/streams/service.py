"""The rules of defining streams."""

from __future__ import annotations

from typing import Any

from sqlalchemy.orm import Session

from app.errors import ApiError
from app.persistence.database import Database
from app.persistence.models import Stream
from app.persistence.types import iso
from app.queries.convert import normalized
from app.queries.prepare import read_acq
from app.queries.repository import QueryRepository
from app.settings import Settings
from app.streams.activity import Activity
from app.streams.definition import normalize
from app.streams.repository import StreamRepository
from app.streams.schemas import StreamIn
from optimizer.errors import FieldError, InvalidInput

__all__ = ["StreamService"]


class StreamService:
    """Defines, replaces and lists streams; each call is one transaction.

    ``activity`` says whether the stream's job is running.
    """

    def __init__(self, database: Database, settings: Settings, activity: Activity) -> None:
        self._database = database
        self._settings = settings
        self._activity = activity

    def normal_form(self, body: StreamIn) -> dict[str, Any]:
        """The definition as it would be stored."""
        return normalize(body, self._settings)

    def put(self, name: str, body: StreamIn) -> tuple[dict[str, Any], bool]:
        """Define or redefine a stream; the second value says whether it is new."""
        definition = self.normal_form(body)

        def work(session: Session) -> tuple[dict[str, Any], bool]:
            streams = StreamRepository(session)
            stream = streams.find(name, lock=True)
            if stream is None:
                return _view(streams.add(name, definition), 0), True
            if stream.definition != definition:
                self._check_change(session, stream, definition)
                streams.redefine(stream, definition)
            return _view(stream, streams.query_counts([name]).get(name, 0)), False

        return self._database.write(work)

    def get(self, name: str) -> dict[str, Any]:
        """The stream of that name."""

        def work(session: Session) -> dict[str, Any]:
            streams = StreamRepository(session)
            return _view(streams.get(name), streams.query_counts([name]).get(name, 0))

        return self._database.read(work)

    def page(self, *, after: str | None, limit: int) -> list[dict[str, Any]]:
        """Streams in the order of their names."""

        def work(session: Session) -> list[dict[str, Any]]:
            streams = StreamRepository(session)
            found = streams.page(after=after, limit=limit)
            counts = streams.query_counts([stream.name for stream in found])
            return [_view(stream, counts.get(stream.name, 0)) for stream in found]

        return self._database.read(work)

    def set_rate(self, name: str, rate: float) -> float:
        """Set the expected input rate; answers with the one before."""

        def work(session: Session) -> float:
            streams = StreamRepository(session)
            stream = streams.get(name, lock=True)
            previous: float = stream.definition["rate"]
            if previous != rate:
                streams.redefine(stream, {**stream.definition, "rate": rate})
            return previous

        return self._database.write(work)

    def remove(self, name: str, *, cascade: bool) -> None:
        """Delete a stream; with ``cascade`` also its queries, and its job ends."""

        def work(session: Session) -> None:
            streams = StreamRepository(session)
            stream = streams.get(name, lock=True)
            users = []
            if count := streams.query_counts([name]).get(name, 0):
                users.append("1 query" if count == 1 else f"{count} queries")
            if self._running(streams, name):
                users.append("its running job")
            if users and not cascade:
                raise ApiError(
                    "stream_in_use", f"{' and '.join(users)} would go with it: delete with ?cascade=true"
                )
            streams.remove(stream)

        self._database.write(work)

    def _running(self, streams: StreamRepository, name: str) -> bool:
        return self._activity.is_running(name, streams.job(name))

    def _check_change(self, session: Session, stream: Stream, definition: dict[str, Any]) -> None:
        told = ("rate", "cardinalities")
        if _without(stream.definition, told) == _without(definition, told):
            return  # what is expected of the stream is not what it is
        if self._running(StreamRepository(session), stream.name):
            raise ApiError(
                "stream_running", "stop the stream's job before giving the stream another definition"
            )
        errors: list[FieldError] = []
        for query in QueryRepository(session).of_stream(stream.name):
            try:
                same = normalized(read_acq(query.spec, definition)) == query.spec
                found = [] if same else [FieldError(field="", message="would mean something else")]
            except InvalidInput as error:
                found = list(error.errors)
            errors.extend(e.under(f"queries.{query.id}") for e in found)
        if errors:
            first = errors[0].field.split(".")[1]
            raise ApiError(
                "queries_would_break",
                f"registered queries do not fit the new definition, such as {first!r}: delete them first",
                errors=errors,
            )
        StreamRepository(session).rest(stream.name)


def _without(definition: dict[str, Any], names: tuple[str, ...]) -> dict[str, Any]:
    return {name: value for name, value in definition.items() if name not in names}


def _view(stream: Stream, queries: int) -> dict[str, Any]:
    return {
        "name": stream.name,
        "cardinalities": {},
        **stream.definition,
        "queries": queries,
        "created": iso(stream.created),
        "updated": iso(stream.updated),
    }
