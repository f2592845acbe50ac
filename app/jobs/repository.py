"""The rows of jobs, as the supervisor reads and writes them."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.calibration import Measurements
from app.errors import ApiError
from app.jobs.composition import compose
from app.jobs.state import Desired
from app.persistence.database import Database
from app.persistence.models import Job
from app.plans.service import PlanCache, PlanService
from app.settings import Settings
from app.streams.repository import StreamRepository

__all__ = ["JobRegistry", "JobRow"]


@dataclass(frozen=True, slots=True, kw_only=True)
class JobRow:
    """What is wanted of a stream's job; ``since`` tells one request from the next."""

    stream: str
    desired: Desired
    request: str | None
    generation: int
    epoch: int
    spec: dict[str, Any] | None
    since: datetime

    @classmethod
    def of(cls, job: Job) -> JobRow:
        """A copy that outlives the session."""
        return cls(
            stream=job.stream,
            desired=Desired(job.desired),
            request=job.request,
            generation=job.generation,
            epoch=job.epoch,
            spec=job.spec,
            since=job.since,
        )


class JobRegistry:
    """The jobs in the registry; every call is a transaction."""

    def __init__(self, database: Database, settings: Settings) -> None:
        self._database = database
        self._settings = settings
        self._plans = PlanService(database, PlanCache(), Measurements(settings))

    def rows(self) -> dict[str, JobRow]:
        """All jobs that were ever asked for, by stream."""
        return self._database.read(lambda s: {job.stream: JobRow.of(job) for job in s.scalars(select(Job))})

    def compose(self, stream: str) -> JobRow | None:
        """Carry out the request to start; None when it was withdrawn meanwhile.

        The plan is made first: that may take seconds, in which the registry must not be locked.
        """
        with contextlib.suppress(ApiError):
            self._plans.current(stream)

        def work(session: Session) -> JobRow | None:
            definition = StreamRepository(session).find(stream, lock=True)
            job = session.get(Job, stream)
            if definition is None or job is None or job.desired != Desired.RUNNING:
                return None
            compose(session, self._settings, definition, job)
            session.flush()
            return JobRow.of(job)

        return self._database.write(work)

    def record(self, stream: str, error: str, *, restart: bool) -> None:
        """Keep why the job's driver ended, and that it is started once more."""

        def work(session: Session) -> None:
            job = session.get(Job, stream)
            if job is not None:
                job.error = error
                job.restarts += restart

        self._database.write(work)
