"""The rules of registering queries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy.orm import Session

from app.errors import ApiError
from app.persistence.database import Database
from app.queries.prepare import Prepared, Preparer
from app.queries.repository import QueryRepository
from app.queries.schemas import Malformed, SpecIn, SqlIn
from app.queries.store import Registered, StaleError, TakenError, replace, store, taken_ids, view
from app.streams.repository import StreamRepository
from optimizer.errors import FieldError, InvalidInput, Unsupported

__all__ = ["QueryService", "Registered", "view"]

_STALE_ATTEMPTS = 5
MAX_EACH = 3
"""Errors that are told of each query of a batch: all offending queries are named, so each in few words."""


class QueryService:
    """Registers, replaces and lists queries; each call is one transaction."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def register(self, body: SpecIn | SqlIn) -> Registered:
        """Store one query, or find it there already."""
        for _ in range(_STALE_ATTEMPTS):
            preparer = self._preparer()
            prepared = [preparer.prepare(body)]
            try:
                return self._database.write(lambda s: store(s, prepared, preparer))  # noqa: B023
            except TakenError as taken:
                error = taken.errors[0]
                detail = f"id: {error.message}; replace it with PUT, or choose another id"
                raise ApiError("query_exists", detail, errors=[error]) from None
            except StaleError:
                continue
        raise _restless()

    def register_all(self, bodies: Sequence[SpecIn | SqlIn | Malformed]) -> Registered:
        """Store all of the queries or none; the error names every offending one."""
        for _ in range(_STALE_ATTEMPTS):
            preparer = self._preparer()
            prepared, faults = _prepare_all(preparer, bodies)
            try:
                if not faults:
                    items = list(prepared.values())
                    return self._database.write(lambda s: store(s, items, preparer))  # noqa: B023
                taken = self._database.read(lambda s: taken_ids(s, prepared))  # noqa: B023
            except TakenError as error:
                taken = dict(error.errors)
            except StaleError:
                continue
            raise _refusal(faults | {p: InvalidInput([e]) for p, e in taken.items()}, of=len(bodies))
        raise _restless()

    def replace(self, query_id: str, body: SpecIn | SqlIn) -> Registered:
        """Put the query at that id: a new incarnation, unless the same text is there already."""
        if body.id not in (None, query_id):
            raise InvalidInput.at("id", f"must be {query_id!r}, as in the address, or be left out")
        for _ in range(_STALE_ATTEMPTS):
            preparer = self._preparer()
            prepared = preparer.prepare(body)
            try:
                return self._database.write(lambda s: replace(s, query_id, prepared, preparer))  # noqa: B023
            except StaleError:
                continue
        raise _restless()

    def prepare(self, body: SpecIn | SqlIn) -> Prepared:
        """Check a query as a registration would, and store nothing."""
        prepared = self._preparer().prepare(body)
        taken = self._database.read(lambda s: taken_ids(s, {0: prepared}))
        if taken:
            raise InvalidInput(taken.values())
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


def _prepare_all(
    preparer: Preparer, bodies: Sequence[SpecIn | SqlIn | Malformed]
) -> tuple[dict[int, Prepared], dict[int, InvalidInput]]:
    """The queries that are valid, and what is wrong with the others, by position."""
    prepared: dict[int, Prepared] = {}
    faults: dict[int, InvalidInput] = {}
    for position, body in enumerate(bodies):
        try:
            if isinstance(body, Malformed):
                raise InvalidInput(body.errors)
            prepared[position] = preparer.prepare(body)
        except InvalidInput as error:
            faults[position] = error
    return prepared, faults


def _refusal(faults: Mapping[int, InvalidInput], *, of: int) -> ApiError:
    errors: list[FieldError] = []
    for position in sorted(faults):
        errors.extend(faults[position].under(f"queries.{position}").errors[:MAX_EACH])
    unsupported = all(isinstance(fault, Unsupported) for fault in faults.values())
    detail = f"{len(faults)} of {of} queries cannot be registered, so that none is: " + "; ".join(
        f"{error.field}: {error.message}" for error in errors[:3]
    )
    code = "unsupported" if unsupported else "invalid_input"
    return ApiError(code, detail, errors=errors, every=True)


def _restless() -> ApiError:
    return ApiError("conflict", "the stream's definition keeps changing: try again")
