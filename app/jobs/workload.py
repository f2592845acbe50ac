"""The registered queries of a stream as a job specification."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import replace

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.errors import ApiError
from app.persistence.models import CanonicalQuery, Query, Stream
from app.settings import Settings
from app.streams.definition import stream_spec
from planner_spark.home import Home, streams_folder
from planner_spark.spec import JobSpec, QuerySpec

__all__ = ["lease_file", "place", "registered", "wanted_job"]


def lease_file(settings: Settings) -> str:
    """The file that the service touches as long as it lives."""
    return str(settings.home / "service.lease")


def registered(session: Session, stream: str) -> list[Query]:
    """The stream's queries by id."""
    return list(session.scalars(select(Query).where(Query.stream == stream).order_by(Query.id)))


def wanted_job(session: Session, stream: Stream, settings: Settings, *, before: JobSpec | None) -> JobSpec:
    """What a driver would be started with for the queries of now.

    Generation, epoch and times of activation are still those of none. The number of shards is part of a
    checkpoint, so a setting that changed waits for the next generation.
    """
    rows = session.scalars(
        select(CanonicalQuery)
        .where(CanonicalQuery.number.in_(select(Query.canonical_number).where(Query.stream == stream.name)))
        .order_by(CanonicalQuery.number)
    ).all()
    if not rows:
        raise ApiError(
            "no_queries", f"stream {stream.name!r} has no queries: register one, then start its job"
        )
    job = JobSpec(
        home="",
        generation=0,
        epoch=0,
        stream=stream_spec(stream.name, stream.definition),
        queries=tuple(_query(row) for row in rows),
        shards=before.shards if before else settings.shards,
    )
    return replace(job, retain_age=settings.retain_age_micros, retain_bytes=settings.retain_bytes)


def place(job: JobSpec, settings: Settings) -> JobSpec:
    """The specification for this machine as it is set up now: a resumed job follows its settings."""
    home = Home.at(streams_folder(settings.home), job.stream.name, job.generation)
    return replace(
        job,
        home=str(home.path),
        master=settings.spark_master,
        lease=lease_file(settings),
        retain_age=settings.retain_age_micros,
        retain_bytes=settings.retain_bytes,
    )


def activated(job: JobSpec, times: Mapping[int, int | None]) -> JobSpec:
    """The specification with each canonical query's time of activation."""
    return replace(job, queries=tuple(replace(q, active_from=times[q.number]) for q in job.queries))


def earliest(times: Iterable[int | None]) -> int | None:
    """The first of several times of activation, where None is for ever.

    >>> earliest([20, 10]), earliest([20, None])
    (10, None)
    """
    known = list(times)
    return None if None in known else min(time for time in known if time is not None)


def _query(row: CanonicalQuery) -> QuerySpec:
    parts = json.loads(row.text)
    return QuerySpec(
        number=row.number,
        range=parts["range"],
        slide=parts["slide"],
        aggregates=tuple((function, column) for function, column in parts["aggregates"]),
        where=parts["where"],
        group_by=tuple(parts["group_by"]),
    )
