"""A query's answers: whose rows they are, and where they lie.

Results are stored once per canonical query; each subscriber sees those of the windows that start at or
after its own activation. Only the current generation counts: an earlier one was replaced by it.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from sqlalchemy.orm import Session

from app.persistence.database import Database
from app.persistence.models import Job
from app.persistence.types import to_micros
from app.queries.prepare import read_acq
from app.queries.repository import QueryRepository
from app.results.cursor import Cursor
from app.results.layout import Layout
from app.results.reader import Page, Request, ResultReader
from app.results.values import instant
from app.settings import Settings
from app.streams.definition import stream_spec
from app.streams.repository import StreamRepository
from planner_spark.home import Home, streams_folder
from planner_spark.spec import JobSpec

__all__ = ["ResultService"]

_NOTHING = Page(rows=[], more=False, cursor=None, watermark=None)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Subscription:
    """A query as it is read: ``home`` is None while nothing of it can be there."""

    layout: Layout
    number: int
    incarnation: str
    active_from: int | None
    home: Home | None


class ResultService:
    """Pages of answers."""

    def __init__(self, database: Database, settings: Settings, reader: ResultReader) -> None:
        self._database = database
        self._settings = settings
        self._reader = reader

    def page(
        self,
        query_id: str,
        *,
        after: str | None,
        limit: int,
        end_from: datetime | None,
        end_to: datetime | None,
    ) -> dict[str, Any]:
        """The rows behind ``after``, of windows that end in [end_from, end_to)."""
        query = self._database.read(lambda session: self._subscription(session, query_id))
        place = None
        if after is not None:
            place = Cursor.decode(after, incarnation=query.incarnation, groups=query.layout.groups)
        found = _NOTHING
        watermark = None
        if query.home is not None:
            # The driver's word is ahead of the manifest's; read before it, it holds for what that lists.
            status = query.home.status()
            watermark = status.watermark if status else None
            request = Request(
                number=query.number,
                incarnation=query.incarnation,
                active_from=query.active_from,
                after=place,
                end_from=None if end_from is None else _micros(end_from),
                end_to=None if end_to is None else _micros(end_to),
                limit=limit,
            )
            found = self._reader.read(query.home.results, query.layout, request)
            watermark = max((w for w in (watermark, found.watermark) if w is not None), default=None)
        cursor = found.cursor or place
        text = None if cursor is None else cursor.encode()
        return {
            "columns": query.layout.columns,
            "rows": found.rows,
            "next": text if found.more else None,
            "cursor": text,
            "watermark": None if watermark is None else instant(watermark),
        }

    def _subscription(self, session: Session, query_id: str) -> _Subscription:
        query = QueryRepository(session).get(query_id)
        stream = StreamRepository(session).get(query.stream)
        job = session.get(Job, query.stream)
        home = None
        # A stream that was given other tuples, and a query that waits for a start, have no results yet.
        if job is not None and job.spec is not None and query.activated:
            ran = JobSpec.parse(job.spec).stream
            now = stream_spec(stream.name, stream.definition)
            if (ran.source, ran.schema, ran.event_time) == (now.source, now.schema, now.event_time):
                home = Home.at(streams_folder(self._settings.home), query.stream, job.generation)
        return _Subscription(
            layout=Layout.of(read_acq(query.spec, stream.definition)),
            number=query.canonical_number,
            incarnation=query.incarnation,
            active_from=query.active_from,
            home=home,
        )


def _micros(moment: datetime) -> int:
    """Microseconds since the epoch; a time without a zone is in UTC, as all of Weft's."""
    return to_micros(moment if moment.tzinfo else moment.replace(tzinfo=UTC))
