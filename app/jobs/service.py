"""The rules of starting and stopping jobs.

Calls only say what is wanted; the supervisor brings it about. A call that asks for what is wanted already
changes nothing, so all of them may be repeated.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from app.jobs.composition import FRESH, RESUME, is_answered
from app.jobs.schemas import MAX_PENDING
from app.jobs.state import Desired, Observed
from app.jobs.supervisor import Supervisor
from app.jobs.work import limit, shown_work
from app.persistence.database import Database
from app.persistence.models import Job, Query, Stream
from app.persistence.types import from_micros, iso
from app.settings import Settings
from app.streams.repository import StreamRepository
from planner_spark.home import Home, streams_folder
from planner_spark.status import Status

__all__ = ["JobService"]

_ALIVE = frozenset({Observed.STARTING, Observed.RUNNING, Observed.SWITCHING, Observed.RECOVERING})


class JobService:
    """Starts, stops and shows jobs; each call is one transaction."""

    def __init__(self, database: Database, settings: Settings, supervisor: Supervisor) -> None:
        self._database = database
        self._settings = settings
        self._supervisor = supervisor

    def start(self, name: str, *, fresh: bool) -> dict[str, Any]:
        """Ask for the stream's job to run; refused without queries or with a checkpoint that does not fit."""

        def work(session: Session) -> dict[str, Any]:
            stream = StreamRepository(session).get(name, lock=True)
            job = session.get(Job, name)
            if fresh or not self._is_under_way(job):
                answered = is_answered(session, self._settings, stream, job, fresh=fresh)
                job = self._request(session, stream, job, fresh=fresh, answered=answered)
            return self._view(session, name, job)

        shown = self._database.write(work)
        self._supervisor.wake()
        return shown

    def stop(self, name: str) -> dict[str, Any]:
        """Ask for the stream's job to stop; its state is kept, and the next start resumes it."""

        def work(session: Session) -> dict[str, Any]:
            StreamRepository(session).get(name, lock=True)
            job = session.get(Job, name)
            if job is not None and job.desired != Desired.STOPPED:
                job.desired, job.request, job.since = Desired.STOPPED, None, datetime.now(UTC)
                session.flush()
            return self._view(session, name, job)

        shown = self._database.write(work)
        self._supervisor.wake()
        return shown

    def show(self, name: str) -> dict[str, Any]:
        """The stream's job; one that was never started is stopped."""

        def work(session: Session) -> dict[str, Any]:
            StreamRepository(session).get(name)
            return self._view(session, name, session.get(Job, name))

        return self._database.read(work)

    def _is_under_way(self, job: Job | None) -> bool:
        """Whether a start was asked for that is still being carried out, or has led to a living job.

        Nothing seen yet means that the service has just begun, and is about to adopt or resume the job.
        """
        if job is None or job.desired != Desired.RUNNING:
            return False
        seen = self._supervisor.observe(job.stream)
        if seen.observed is Observed.FAILED:
            # Also with a request that could not be carried out: asking again is how it is tried again.
            return False
        return job.request is not None or seen.since is None or seen.observed in _ALIVE

    def _request(
        self, session: Session, stream: Stream, job: Job | None, *, fresh: bool, answered: bool
    ) -> Job:
        if job is None:
            job = Job(stream=stream.name, generation=0, epoch=0, restarts=0)
            session.add(job)
        elif answered and job.desired == Desired.RUNNING:
            # A finished stream stays finished; queries equal to answered ones may still have to be let in.
            job.request = RESUME
            return job
        job.desired, job.since = Desired.RUNNING, datetime.now(UTC)
        job.request = FRESH if fresh else RESUME
        job.restarts, job.error = 0, None
        session.flush()
        return job

    def _view(self, session: Session, name: str, job: Job | None) -> dict[str, Any]:
        seen = self._supervisor.observe(name)
        status = self._status(job)
        since = seen.since or (job.since if job else None)
        waiting = (Query.stream == name, Query.activated.is_(False))
        return {
            "desired": job.desired if job else Desired.STOPPED,
            "observed": seen.observed,
            "since": None if since is None else iso(since),
            "generation": job.generation if job else 0,
            "epoch": job.epoch if job else 0,
            "watermark": None if status.watermark is None else iso(from_micros(status.watermark)),
            "input_rows_per_second": status.input_rows_per_second
            if seen.observed is Observed.RUNNING
            else 0.0,
            "results": status.results,
            "restarts": job.restarts if job else 0,
            "error": seen.error,
            "last_error": job.error if job else None,
            "pending": list(
                session.scalars(select(Query.id).where(*waiting).order_by(Query.id).limit(MAX_PENDING))
            ),
            "pending_count": session.scalar(select(func.count()).select_from(Query).where(*waiting)) or 0,
            "late_rows": status.late_rows,
            "null_event_times": status.null_event_times,
            "work": shown_work(status.work),
            "output_share": status.output_share,
            "limit": limit(status.output_share),
        }

    def _status(self, job: Job | None) -> Status:
        if job is None or job.generation == 0:
            return Status()
        home = Home.at(streams_folder(self._settings.home), job.stream, job.generation)
        return home.status() or Status()
