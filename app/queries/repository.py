"""The rows of queries and of the canonical queries that they share."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from sqlalchemy import func, insert, select
from sqlalchemy.orm import Session

from app.errors import ApiError
from app.persistence.models import CanonicalQuery, Query

__all__ = ["QueryRepository"]

_CHUNK = 5_000
"""Parameters per statement: SQLite takes 32,766, PostgreSQL 65,535."""


class QueryRepository:
    """Queries, in one transaction."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def find(self, query_id: str, *, lock: bool = False) -> Query | None:
        """The query of that id, with ``lock`` until the end of the transaction."""
        return self._session.get(Query, query_id, with_for_update=lock)

    def get(self, query_id: str, *, lock: bool = False) -> Query:
        """The query of that id, or a 404."""
        found = self.find(query_id, lock=lock)
        if found is None:
            raise ApiError("query_not_found", f"there is no query {query_id!r}")
        return found

    def find_all(self, ids: Iterable[str]) -> dict[str, Query]:
        """Those of the queries that exist."""
        found: dict[str, Query] = {}
        for chunk in _chunks(ids):
            found.update((q.id, q) for q in self._session.scalars(select(Query).where(Query.id.in_(chunk))))
        return found

    def canonical_numbers(self, stream: str, texts: Mapping[str, str]) -> dict[str, int]:
        """The number of each canonical query, given as hash and text; new ones are numbered."""
        numbers = self._numbers(stream, texts)
        missing = [
            {"stream": stream, "hash": key, "text": text} for key, text in texts.items() if key not in numbers
        ]
        if missing:
            self._session.execute(insert(CanonicalQuery), missing)
            numbers.update(self._numbers(stream, [row["hash"] for row in missing]))
        return numbers

    def add_all(self, rows: Sequence[dict[str, Any]]) -> None:
        """Insert new queries."""
        if rows:
            self._session.execute(insert(Query), rows)

    def page(self, *, stream: str | None, after: str | None, limit: int) -> Sequence[Query]:
        """The queries whose ids follow ``after``."""
        query = select(Query).order_by(Query.id).limit(limit)
        if stream is not None:
            query = query.where(Query.stream == stream)
        if after is not None:
            query = query.where(Query.id > after)
        return self._session.scalars(query).all()

    def of_stream(self, stream: str) -> Sequence[Query]:
        """Every query of a stream, in the order of their ids."""
        return self._session.scalars(select(Query).where(Query.stream == stream).order_by(Query.id)).all()

    def count(self) -> int:
        """How many queries are registered."""
        return self._session.scalar(select(func.count()).select_from(Query)) or 0

    def remove(self, query: Query) -> None:
        """Delete a query; its canonical query stays, as its number must not be given again."""
        self._session.delete(query)
        self._session.flush()

    def _numbers(self, stream: str, hashes: Iterable[str]) -> dict[str, int]:
        numbers: dict[str, int] = {}
        for chunk in _chunks(hashes):
            query = select(CanonicalQuery.hash, CanonicalQuery.number).where(
                CanonicalQuery.stream == stream, CanonicalQuery.hash.in_(chunk)
            )
            numbers.update((key, number) for key, number in self._session.execute(query))
        return numbers


def _chunks(items: Iterable[str]) -> Iterator[list[str]]:
    rest = iter(items)
    while chunk := list(islice(rest, _CHUNK)):
        yield chunk
