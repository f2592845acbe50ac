"""The rows of streams."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

from sqlalchemy import delete, func, select
from sqlalchemy.orm import Session

from app.errors import ApiError
from app.persistence.models import CanonicalQuery, Job, Plan, Query, Stream

__all__ = ["StreamRepository"]


class StreamRepository:
    """Streams, in one transaction."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def find(self, name: str, *, lock: bool = False) -> Stream | None:
        """The stream, with ``lock`` until the end of the transaction.

        Whoever changes a stream or its workload locks it first: such changes come one after the other.
        """
        return self._session.get(Stream, name, with_for_update=lock)

    def get(self, name: str, *, lock: bool = False) -> Stream:
        """The stream, or a 404."""
        found = self.find(name, lock=lock)
        if found is None:
            raise ApiError("stream_not_found", f"there is no stream {name!r}")
        return found

    def add(self, name: str, definition: dict[str, Any]) -> Stream:
        """A new stream."""
        now = datetime.now(UTC)
        stream = Stream(
            name=name, incarnation=str(uuid4()), definition=definition, version=1, created=now, updated=now
        )
        self._session.add(stream)
        self._session.flush()
        return stream

    def redefine(self, stream: Stream, definition: dict[str, Any]) -> None:
        """Give the stream another definition; with other tuples it is another incarnation."""
        shape = ("source", "schema", "event_time")
        if any(stream.definition[part] != definition[part] for part in shape):
            stream.incarnation = str(uuid4())
        stream.definition = definition
        stream.updated = datetime.now(UTC)
        self.touch(stream)

    def touch(self, stream: Stream) -> None:
        """Count a change of the definition or of the workload."""
        stream.version += 1
        self._session.flush()

    def page(self, *, after: str | None, limit: int) -> Sequence[Stream]:
        """The streams whose names follow ``after``."""
        query = select(Stream).order_by(Stream.name).limit(limit)
        if after is not None:
            query = query.where(Stream.name > after)
        return self._session.scalars(query).all()

    def query_counts(self, names: Sequence[str]) -> dict[str, int]:
        """How many queries each stream has; streams without any are left out."""
        query = select(Query.stream, func.count()).where(Query.stream.in_(names)).group_by(Query.stream)
        return {row[0]: row[1] for row in self._session.execute(query)}

    def job(self, name: str) -> Job | None:
        """What is wanted of the stream's job; None when nobody ever asked for it."""
        return self._session.get(Job, name)

    def rest(self, name: str) -> None:
        """Want no more of a job that rests anyway: it would start on what the stream was before."""
        job = self.job(name)
        if job is not None and job.desired != "stopped":
            job.desired, job.request, job.since = "stopped", None, datetime.now(UTC)
            self._session.flush()

    def has_started(self, name: str) -> bool:
        """Whether the stream's job was ever started."""
        job = self._session.get(Job, name)
        return job is not None and job.generation > 0

    def remove(self, stream: Stream) -> None:
        """Delete the stream and all that belongs to it."""
        for table in (Query, CanonicalQuery, Plan, Job):
            self._session.execute(delete(table).where(table.stream == stream.name))
        self._session.delete(stream)
        self._session.flush()
