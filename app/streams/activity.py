"""Whether a stream's job runs or is about to: then the stream keeps its definition.

What is wanted of a job says too little: a job that has finished or failed is still wanted, and rests. What was
last seen says too little as well: a request to start may not have been looked at yet. So a job is taken to
rest only where both agree that nothing will start by itself.
"""

from __future__ import annotations

from collections.abc import Callable

from app.jobs.automaton import Observation
from app.jobs.state import Desired, Observed
from app.persistence.models import Job
from app.settings import Settings
from planner_spark.home import Home, streams_folder

__all__ = ["Activity"]

_AT_REST = frozenset({Observed.STOPPED, Observed.FINISHED, Observed.FAILED})


class Activity:
    """Judges jobs by what is wanted of them and by what the supervisor sees."""

    def __init__(self, settings: Settings, observe: Callable[[str], Observation]) -> None:
        self._settings = settings
        self._observe = observe

    def is_running(self, stream: str, job: Job | None) -> bool:
        """Whether a driver of the stream lives or may start without another request."""
        seen = self._observe(stream)
        if seen.observed not in _AT_REST:
            return True  # whatever is wanted: a driver that was told to stop may not have done so yet
        if job is None or job.desired != Desired.RUNNING:
            return False
        if seen.observed is Observed.FINISHED:
            return job.request is not None or not self._is_finished(job)
        if seen.observed is Observed.FAILED:
            # A request clears the error, and refusing it writes the new one down.
            return job.error is None or job.error != seen.error
        return True  # not looked at yet, or about to start

    def _is_finished(self, job: Job) -> bool:
        """Whether the driver of this very generation and epoch has come to the end of its source."""
        status = Home.at(streams_folder(self._settings.home), job.stream, job.generation).status()
        return status is not None and status.is_finished(job.generation, job.epoch)
