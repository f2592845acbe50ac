"""One stream's job: at each tick, one step from what is towards what is wanted.

What there is to do, in the order in which it is looked at:

    a driver lives, and it is the wanted one         watch it
    a driver lives, and it is not                    end it: ask, wait, kill
    none lives, and none is wanted                   rest; without a stream, remove what is left of it
    none lives, and a start is asked for             make the next specification
    none lives, and the bounded source is read       rest, finished
    none lives, and the last one crashed just now    wait
    none lives                                       start one
"""

from __future__ import annotations

import logging
import shutil
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from app.jobs.process import COMMAND, Driver, is_locked, spawn
from app.jobs.repository import JobRegistry, JobRow
from app.jobs.state import Desired, Observed, check_transition
from app.jobs.workload import place
from app.settings import Settings
from optimizer.errors import WeftError
from planner_spark.errors import AlreadyRunning, CheckpointMismatch
from planner_spark.home import Home, homes_of, streams_folder
from planner_spark.spec import JobSpec
from planner_spark.status import Status

__all__ = ["Automaton", "Observation"]

log = logging.getLogger("weft.jobs")

STOP_GRACE = 30.0
"""Seconds that a driver has for its last batch before it is killed."""
LINGER = 5.0
"""Seconds that a JVM may outlast its driver."""
FIRST_DELAY, LONGEST_DELAY = 1.0, 60.0
STEADY = 300.0
"""Seconds of running after which earlier crashes are forgotten."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Observation:
    """What is the case with a job, since when, and what is wrong."""

    observed: Observed = Observed.STOPPED
    since: datetime | None = None
    error: str | None = None


class Automaton:
    """The job of one stream."""

    def __init__(
        self,
        stream: str,
        settings: Settings,
        registry: JobRegistry,
        *,
        command: Sequence[str] = COMMAND,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.stream = stream
        self.driver: Driver | None = None
        self.observation: Observation | None = None
        self._settings = settings
        self._folder = streams_folder(settings.home)
        self._registry = registry
        self._command = command
        self._clock = clock
        self._kill_at: float | None = None
        self._linger_until: float | None = None
        self._started = 0.0
        self._failures = 0
        self._retry_at = 0.0
        self._refused: datetime | None = None
        self._searched = False
        self._known = False

    @property
    def is_gone(self) -> bool:
        """Whether nothing is left of the stream."""
        return self.driver is None and not (self._folder / self.stream).exists()

    def tick(self, row: JobRow | None) -> None:
        """One step; ``row`` is None when there is no such stream, or nobody ever asked for its job."""
        self._known |= row is not None
        if not self._searched:
            self.driver = self._find()
            self._searched = True
        if self.driver is not None and not self.driver.is_alive():
            self._ended(self.driver, row)
        if self.driver is not None:
            self._watch(self.driver, row)
        else:
            self._rest(row)

    def terminate(self) -> None:
        """Ask a living driver to stop, because the service does; what is wanted stays as it is."""
        if self.driver is not None and self._kill_at is None:
            self._kill_at = self._clock() + STOP_GRACE
            self.driver.terminate()

    def wait_out(self) -> bool:
        """Whether the driver that was asked to stop is gone; kills it when its time is over."""
        if self.driver is None or not self.driver.is_alive():
            return True
        self._end(self.driver)
        return False

    def _watch(self, driver: Driver, row: JobRow | None) -> None:
        if self._kill_at is not None or not _wants(row, driver):
            self._move(Observed.STOPPING)
            self._end(driver)
        elif not driver.has_process:
            self._move(Observed.RECOVERING, "the driver is gone and its JVM is about to follow")
            self._end_jvm(driver)
        else:
            status = driver.home.status()
            # Until the driver has written its own status, the file holds the last words of the one before.
            state = status.state if status is not None and status.pid == driver.pid else "starting"
            if state == "running":
                self._move(Observed.RUNNING)
                if self._clock() - self._started >= STEADY:
                    self._failures = 0
            elif state == "starting":
                self._move(Observed.RECOVERING if self._failures else Observed.STARTING, keep_error=True)

    def _rest(self, row: JobRow | None) -> None:
        if row is None or row.desired is Desired.STOPPED:
            self._failures, self._retry_at, self._refused = 0, 0.0, None
            self._move(Observed.STOPPED)
            if row is None and self._known:
                # It was registered and is no longer. A folder of which this registry never knew stays: it may
                # belong to another one.
                shutil.rmtree(self._folder / self.stream, ignore_errors=True)
            return
        if self._refused == row.since:
            return
        if row.request is not None or row.spec is None:
            composed = self._compose(row)
            if composed is None:
                return
            row = composed
        home = Home.at(self._folder, self.stream, row.generation)
        status = home.status()
        if status is not None and status.is_finished(row.generation, row.epoch):
            self._move(Observed.FINISHED)
        elif self._clock() < self._retry_at:
            self._move(Observed.RECOVERING, keep_error=True)
        else:
            self._start(row, home)

    def _compose(self, row: JobRow) -> JobRow | None:
        try:
            composed = self._registry.compose(self.stream)
        except WeftError as error:
            self._refuse(row, str(error))
            return None
        self._failures, self._retry_at = 0, 0.0
        return composed

    def _start(self, row: JobRow, home: Home) -> None:
        self._move(Observed.RECOVERING if self._failures else Observed.STARTING, keep_error=True)
        self.driver = self._find()
        if self.driver is not None:
            return
        self._started = self._clock()
        try:
            home.path.mkdir(parents=True, exist_ok=True)
            place(JobSpec.parse(row.spec or {}), self._settings).write(home.job_file)
            self.driver = spawn(home, epoch=row.epoch, command=self._command)
        except OSError as error:
            self._crashed(f"the driver could not be started: {error.strerror}")
            return
        log.info("started the driver of %s, generation %d, epoch %d", self.stream, row.generation, row.epoch)
        for other in homes_of(self._folder, self.stream):
            if other.generation != row.generation:
                shutil.rmtree(other.path, ignore_errors=True)

    def _find(self) -> Driver | None:
        """A living driver of any generation, started by whomever."""
        for home in homes_of(self._folder, self.stream):
            if is_locked(home):
                job = home.job()
                self._started = self._clock()
                log.info("found a living driver of %s, generation %d", self.stream, home.generation)
                return Driver(home, epoch=job.epoch if job else 0)
        return None

    def _ended(self, driver: Driver, row: JobRow | None) -> None:
        asked = self._kill_at is not None
        self.driver, self._kill_at, self._linger_until = None, None, None
        if asked or row is None or row.desired is Desired.STOPPED:
            return
        status = driver.home.status() or Status()
        code = driver.exit_code
        log.info("the driver of %s ended with exit code %s", self.stream, code)
        if status.is_finished(driver.home.generation, driver.epoch):
            return
        if code == AlreadyRunning.exit_code:
            self._retry_at = self._clock() + FIRST_DELAY
        elif code == CheckpointMismatch.exit_code:
            self._refuse(row, status.error or "the checkpoint is of another shape or version")
        else:
            ended = "was killed" if code is None or code < 0 else f"ended with exit code {code}"
            # A driver that died early has written no status: those would be the last words of the one before.
            said = status.error if status.state == "failed" and status.pid == driver.pid else None
            self._crashed(said or f"the driver {ended}; its driver.log may say why")

    def _crashed(self, error: str) -> None:
        if self._clock() - self._started >= STEADY:
            self._failures = 0
        self._retry_at = self._clock() + min(LONGEST_DELAY, FIRST_DELAY * 2**self._failures)
        self._failures += 1
        self._registry.record(self.stream, error, restart=True)
        self._move(Observed.RECOVERING, error)

    def _refuse(self, row: JobRow, error: str) -> None:
        """Rest until the next request: the same start would end in the same way."""
        self._refused = row.since
        self._registry.record(self.stream, error, restart=False)
        self._move(Observed.FAILED, error)

    def _end(self, driver: Driver) -> None:
        now = self._clock()
        if self._kill_at is None:
            self._kill_at = now + STOP_GRACE
            driver.terminate()
        elif now >= self._kill_at:
            driver.kill()
        elif not driver.has_process:
            self._end_jvm(driver)

    def _end_jvm(self, driver: Driver) -> None:
        if self._linger_until is None:
            self._linger_until = self._clock() + LINGER
        elif self._clock() >= self._linger_until:
            driver.kill()

    def _move(self, observed: Observed, error: str | None = None, *, keep_error: bool = False) -> None:
        before = self.observation
        if before is not None:
            check_transition(before.observed, observed)
            error = before.error if keep_error else error
            if (before.observed, before.error) == (observed, error):
                return
        same = before is not None and before.observed is observed
        since = before.since if before is not None and same else datetime.now(UTC)
        self.observation = Observation(observed=observed, since=since, error=error)


def _wants(row: JobRow | None, driver: Driver) -> bool:
    """Whether this driver, and no other, is what is asked for."""
    if row is None or row.desired is Desired.STOPPED or row.request is not None:
        return False
    return (row.generation, row.epoch) == (driver.home.generation, driver.epoch)
