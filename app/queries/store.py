"""Storing prepared queries, in one transaction that the caller makes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

from sqlalchemy.orm import Session

from app.persistence.models import Query, Stream
from app.persistence.types import from_micros, iso
from app.queries.prepare import Prepared, Preparer
from app.queries.repository import QueryRepository
from app.streams.repository import StreamRepository
from optimizer.errors import FieldError

__all__ = ["Registered", "StaleError", "TakenError", "replace", "store", "taken_ids", "view"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Registered:
    """The answer to a registration: the queries in the order of the bodies, and how many are new."""

    items: list[dict[str, Any]]
    created: int


class StaleError(Exception):
    """A stream's definition changed between the check of a query and its storage."""


class TakenError(Exception):
    """Some of the ids belong to other queries; ``errors`` says so of each position."""

    def __init__(self, errors: Mapping[int, FieldError]) -> None:
        super().__init__()
        self.errors = errors


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


def taken_ids(session: Session, prepared: Mapping[int, Prepared]) -> dict[int, FieldError]:
    """The positions whose id belongs to another query, of the registry or further up among these."""
    stored = QueryRepository(session).find_all({p.id for p in prepared.values() if p.id is not None})
    return _conflicts({key: query.spec for key, query in stored.items()}, prepared)


def store(session: Session, prepared: Sequence[Prepared], preparer: Preparer) -> Registered:
    """Store the queries that are not there yet; `TakenError` when an id belongs to another one."""
    streams = _lock_streams(session, (p.acq.stream for p in prepared), preparer)
    queries = QueryRepository(session)
    known = queries.find_all({p.id for p in prepared if p.id is not None})
    conflicts = _conflicts({key: query.spec for key, query in known.items()}, dict(enumerate(prepared)))
    if conflicts:
        raise TakenError(conflicts)
    new = [p for p in prepared if p.id is None or p.id not in known]
    numbers: dict[tuple[str, str], int] = {}
    for name in sorted({p.acq.stream for p in new}):
        texts = {p.hash: p.text for p in new if p.acq.stream == name}
        found = queries.canonical_numbers(name, texts)
        numbers.update(((name, key), number) for key, number in found.items())
        # Only what changes the workload makes plans old: the same queries again do not.
        StreamRepository(session).touch(streams[name])
    started = {name: StreamRepository(session).has_started(name) for name in streams}
    now = datetime.now(UTC)
    items: list[Query] = []
    fresh: list[Query] = []
    for item in prepared:
        there = known.get(item.id) if item.id is not None else None
        if there is None:
            there = _row(item, numbers[item.acq.stream, item.hash], now, started=started[item.acq.stream])
            known[there.id] = there
            fresh.append(there)
        items.append(there)
    queries.add_all([_values(row) for row in fresh])
    return Registered(items=[view(row) for row in items], created=len(fresh))


def replace(session: Session, query_id: str, prepared: Prepared, preparer: Preparer) -> Registered:
    """Put a query at an id: a new incarnation, unless the same text is there already."""
    queries = QueryRepository(session)
    there = queries.find(query_id, lock=True)
    if there is not None and there.spec == prepared.spec:
        return Registered(items=[view(there)], created=0)
    name = prepared.acq.stream
    names = {name} if there is None else {name, there.stream}
    for stream in _lock_streams(session, names, preparer).values():
        StreamRepository(session).touch(stream)
    number = queries.canonical_numbers(name, {prepared.hash: prepared.text})[prepared.hash]
    row = _row(prepared, number, datetime.now(UTC), started=StreamRepository(session).has_started(name))
    row.id = query_id
    if there is not None:
        queries.remove(there)
    queries.add_all([_values(row)])
    return Registered(items=[view(row)], created=int(there is None))


def _conflicts(
    stored: Mapping[str, dict[str, Any]], prepared: Mapping[int, Prepared]
) -> dict[int, FieldError]:
    found: dict[int, FieldError] = {}
    first: dict[str, tuple[int, dict[str, Any]]] = {}
    for position, item in prepared.items():
        if item.id is None:
            continue
        before, spec = first.setdefault(item.id, (position, item.spec))
        if item.id in stored and stored[item.id] != item.spec:
            found[position] = FieldError(field="id", message=f"{item.id!r} is taken by another query")
        elif spec != item.spec:
            message = f"{item.id!r} is the id of another query of the batch, at {before}"
            found[position] = FieldError(field="id", message=message)
    return found


def _lock_streams(session: Session, names: Iterable[str], preparer: Preparer) -> dict[str, Stream]:
    """Lock the streams, and check that the queries were checked against them as they are."""
    streams = {}
    for name in sorted(set(names)):  # everybody locks in the same order, so that nobody waits in a circle
        stream = StreamRepository(session).find(name, lock=True)
        checked = preparer.definitions.get(name)
        if stream is None or (checked is not None and stream.definition != checked):
            raise StaleError
        streams[name] = stream
    return streams


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
