"""Carrying out a request to start: from the registered queries to the specification of the next driver.

It happens when no driver of the stream lives any more, because it builds on the last one's last words, and
in one transaction with the activation of the queries that join: a service that dies in the middle has done
nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace

from sqlalchemy.orm import Session

from app.calibration import Measurements
from app.jobs.activation import active_from
from app.jobs.generations import Before, Keep, Resume, decide
from app.jobs.workload import activated, earliest, registered, wanted_job
from app.persistence.models import Job, Query, Stream
from app.plans.force import plan_in_force
from app.settings import Settings
from planner_spark.checkpoint import read_until
from planner_spark.home import Home, homes_of, streams_folder
from planner_spark.plan import plan_spec
from planner_spark.spec import JobSpec

__all__ = ["FRESH", "RESUME", "compose", "is_answered", "last_generation"]

RESUME = "resume"
FRESH = "fresh"


def last_generation(settings: Settings, job: Job | None) -> Before | None:
    """What the job's last generation left on disk."""
    if job is None or job.generation == 0:
        return None
    home = Home.at(streams_folder(settings.home), job.stream, job.generation)
    spec = home.job()
    if spec is None:
        return None
    status = home.status()
    # The status of a driver that was killed may be behind its checkpoint.
    times = [
        read_until(home.checkpoint, delay=spec.stream.watermark),
        status.max_event_time if status else None,
    ]
    return Before(
        job=spec,
        manifest=home.manifest(),
        status=status,
        read_until=max((time for time in times if time is not None), default=None),
    )


def is_answered(
    session: Session, settings: Settings, stream: Stream, job: Job | None, *, fresh: bool
) -> bool:
    """Whether a start would change nothing; raises what would keep it from starting."""
    before = last_generation(settings, job)
    wanted = wanted_job(session, stream, settings, before=before.job if before else None)
    return isinstance(decide(before, wanted, fresh=fresh), Keep)


def compose(session: Session, settings: Settings, stream: Stream, job: Job) -> None:
    """Turn the request in ``job`` into its next specification, and activate the queries that join with it."""
    before = last_generation(settings, job)
    wanted = wanted_job(session, stream, settings, before=before.job if before else None)
    decision = decide(before, wanted, fresh=job.request == FRESH)
    queries = registered(session, stream.name)
    job.request = None
    job.error = None
    if before is not None and isinstance(decision, Keep):
        # The answers are all there, also for a query that only now became the second one to ask for them.
        _activate([query for query in queries if not query.activated], None)
        return
    if before is not None and isinstance(decision, Resume):
        spec = replace(_joined(wanted, before, queries), generation=job.generation, epoch=decision.epoch)
    else:
        _activate(queries, None)
        generation = 1 + max([job.generation, *(h.generation for h in _homes(settings, stream.name))])
        spec = replace(wanted, generation=generation, epoch=1, shards=settings.shards)
    numbers = {query.id: query.canonical_number for query in queries}
    spec = replace(spec, plan=plan_spec(plan_in_force(session, stream, Measurements(settings)), numbers))
    job.generation, job.epoch, job.spec = spec.generation, spec.epoch, asdict(spec)


def _joined(wanted: JobSpec, before: Before, queries: Sequence[Query]) -> JobSpec:
    """The specification that goes on for the queries of before and takes in the new ones."""
    known = {query.number: query.active_from for query in before.job.queries}
    joining = [query for query in queries if not query.activated or query.canonical_number not in known]
    _activate(joining, active_from([query.slide for query in before.job.queries], before.read_until))
    subscribers: dict[int, list[int | None]] = {}
    for query in queries:
        subscribers.setdefault(query.canonical_number, []).append(query.active_from)
    times = {number: earliest(times) for number, times in subscribers.items()}
    joined = activated(wanted, {**times, **{n: t for n, t in known.items() if n in times}})
    if joined.stream.source["kind"] == "synthetic":
        # The event time of a generated tuple follows from its number and the rate: another rate waits for the next
        # generation, or time would jump.
        joined = replace(joined, stream=replace(joined.stream, rate=before.job.stream.rate))
    return joined


def _activate(queries: Sequence[Query], time: int | None) -> None:
    for query in queries:
        query.active_from = time
        query.activated = True


def _homes(settings: Settings, stream: str) -> list[Home]:
    return homes_of(streams_folder(settings.home), stream)
