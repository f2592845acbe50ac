"""The rules of registering queries."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

from sqlalchemy.orm import Session

from app.errors import ApiError
from app.persistence.database import Database
from app.persistence.models import Query
from app.persistence.types import from_micros, iso
from app.queries.prepare import Prepared, Preparer
from app.queries.repository import QueryRepository
from app.queries.schemas import SpecIn, SqlIn
from app.streams.repository import StreamRepository
from optimizer.errors import FieldError, InvalidInput, Unsupported

__all__ = ["QueryService", "Registered", "view"]

_STALE_ATTEMPTS = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Registered:
    """The answer to a registration: the queries in the order of the bodies, and how many are new."""

    items: list[dict[str, Any]]
    created: int


class _StaleError(Exception):
    """A stream's definition changed between the check of a query and its storage."""


class QueryService:
    """Registers, replaces and lists queries; each call is one transaction."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def register(self, body: SpecIn | SqlIn) -> Registered:
        """Store one query, or find it there already."""
        return self._register([body], prefix=None)

    def register_all(self, bodies: Sequence[SpecIn | SqlIn]) -> Registered:
        """Store all of the queries or none."""
        return self._register(bodies, prefix="queries")

    def replace(self, query_id: str, body: SpecIn | SqlIn) -> Registered:
        """Put the query at that id: a new incarnation, unless the same text is there already."""
        if body.id not in (None, query_id):
            raise InvalidInput.at("id", f"must be {query_id!r}, as in the address, or be left out")
        for _ in range(_STALE_ATTEMPTS):
            preparer = self._preparer()
            prepared = preparer.prepare(body)
            try:
                return self._database.write(lambda s: _replace(s, query_id, prepared, preparer))  # noqa: B023
            except _StaleError:
                continue
        raise ApiError("conflict", "the stream's definition keeps changing: try again")

    def prepare(self, body: SpecIn | SqlIn) -> Prepared:
        """Check a query as a registration would, and store nothing."""
        prepared = self._preparer().prepare(body)
        if prepared.id is not None:
            there = self._database.read(lambda s: QueryRepository(s).find(prepared.id or ""))
            if there is not None and there.spec != prepared.spec:
                raise InvalidInput.at("id", f"{prepared.id!r} is taken by another query")
        return prepared

    def get(self, query_id: str) -> dict[str, Any]:
        """The query of that id."""
        return self._database.read(lambda s: view(QueryRepository(s).get(query_id)))

    def page(self, *, stream: str | None, after: str | None, limit: int) -> list[dict[str, Any]]:
        """Queries in the order of their ids."""
        return self._database.read(
            lambda s: [view(q) for q in QueryRepository(s).page(stream=stream, after=after, limit=limit)]
        )

    def remove(self, query_id: str) -> None:
        """Delete the query."""

        def work(session: Session) -> None:
            queries, streams = QueryRepository(session), StreamRepository(session)
            query = queries.get(query_id, lock=True)
            stream = streams.get(query.stream, lock=True)
            queries.remove(query)
            streams.touch(stream)

        self._database.write(work)

    def _preparer(self) -> Preparer:
        def lookup(name: str) -> dict[str, Any] | None:
            stream = self._database.read(lambda s: StreamRepository(s).find(name))
            return stream.definition if stream else None

        return Preparer(lookup)

    def _register(self, bodies: Sequence[SpecIn | SqlIn], *, prefix: str | None) -> Registered:
        for _ in range(_STALE_ATTEMPTS):
            preparer = self._preparer()
            prepared = _prepare_all(preparer, bodies, prefix)
            try:
                return self._database.write(lambda s: _store(s, prepared, preparer, prefix))  # noqa: B023
            except _StaleError:
                continue
        raise ApiError("conflict", "the stream's definition keeps changing: try again")


def view(query: Query) -> dict[str, Any]:
    """A stored query as the API shows it."""
    return {
        "id": query.id,
        **query.spec,
        "canonical": query.canonical_number,
        "incarnation": query.incarnation,
        "active_from": None if query.active_from is None else iso(from_micros(query.active_from)),
        "status": "active" if query.activated else "pending",
        "created": iso(query.created),
    }


def _prepare_all(preparer: Preparer, bodies: Iterable[SpecIn | SqlIn], prefix: str | None) -> list[Prepared]:
    prepared: list[Prepared] = []
    errors: list[FieldError] = []
    unsupported = True
    for position, body in enumerate(bodies):
        try:
            prepared.append(preparer.prepare(body))
        except InvalidInput as error:
            unsupported = unsupported and isinstance(error, Unsupported)
            errors.extend(error.under(f"{prefix}.{position}").errors if prefix else error.errors)
    if errors:
        raise Unsupported(errors) if unsupported else InvalidInput(errors)
    return prepared


def _lock_streams(session: Session, names: Iterable[str], preparer: Preparer) -> dict[str, bool]:
    """Lock the streams, check that the queries were checked against them, say which have started."""
    streams = StreamRepository(session)
    started = {}
    for name in sorted(set(names)):  # everybody locks in the same order, so that nobody waits in a circle
        stream = streams.find(name, lock=True)
        checked = preparer.definitions.get(name)
        if stream is None or (checked is not None and stream.definition != checked):
            raise _StaleError
        started[name] = streams.has_started(name)
        streams.touch(stream)
    return started


def _store(
    session: Session, prepared: Sequence[Prepared], preparer: Preparer, prefix: str | None
) -> Registered:
    started = _lock_streams(session, (p.acq.stream for p in prepared), preparer)
    queries = QueryRepository(session)
    known = queries.find_all({p.id for p in prepared if p.id is not None})
    numbers: dict[tuple[str, str], int] = {}
    for name in started:
        texts = {p.hash: p.text for p in prepared if p.acq.stream == name}
        found = queries.canonical_numbers(name, texts)
        numbers.update(((name, key), number) for key, number in found.items())
    items: list[Query] = []
    fresh: list[Query] = []
    conflicts: list[FieldError] = []
    now = datetime.now(UTC)
    for position, item in enumerate(prepared):
        there = known.get(item.id) if item.id is not None else None
        if there is None:
            there = _row(item, numbers[item.acq.stream, item.hash], now, started=started[item.acq.stream])
            known[there.id] = there
            fresh.append(there)
        elif there.spec != item.spec:
            field = f"{prefix}.{position}.id" if prefix else "id"
            conflicts.append(FieldError(field=field, message=f"{item.id!r} is taken by another query"))
        items.append(there)
    if conflicts:
        detail = f"{conflicts[0].field}: {conflicts[0].message}; replace it with PUT, or choose another id"
        raise ApiError("query_exists", detail, errors=conflicts)
    queries.add_all([_values(row) for row in fresh])
    return Registered(items=[view(row) for row in items], created=len(fresh))


def _replace(session: Session, query_id: str, prepared: Prepared, preparer: Preparer) -> Registered:
    queries = QueryRepository(session)
    there = queries.find(query_id, lock=True)
    if there is not None and there.spec == prepared.spec:
        return Registered(items=[view(there)], created=0)
    name = prepared.acq.stream
    names = {name} if there is None else {name, there.stream}
    started = _lock_streams(session, names, preparer)
    number = queries.canonical_numbers(name, {prepared.hash: prepared.text})[prepared.hash]
    row = _row(prepared, number, datetime.now(UTC), started=started[name])
    row.id = query_id
    if there is not None:
        queries.remove(there)
    queries.add_all([_values(row)])
    return Registered(items=[view(row)], created=int(there is None))


def _row(prepared: Prepared, number: int, now: datetime, *, started: bool) -> Query:
    return Query(
        id=prepared.id or f"q-{uuid4().hex}",
        stream=prepared.acq.stream,
        incarnation=str(uuid4()),
        spec=prepared.spec,
        canonical_hash=prepared.hash,
        canonical_number=number,
        active_from=None,
        activated=not started,
        created=now,
    )


def _values(row: Query) -> dict[str, Any]:
    return {column.key: getattr(row, column.key) for column in Query.__table__.columns}
