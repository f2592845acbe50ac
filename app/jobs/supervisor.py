"""The supervisor: a loop that brings every stream's job to what is wanted of it.

It holds the lease of WEFT_HOME, so that one service at a time looks after its drivers, and touches it at
every tick: drivers whose service is long gone stop by themselves. At a shutdown in good order the drivers
are stopped, and what is wanted of them stays; after a crash of the service they go on, and the next service
adopts them.
"""

from __future__ import annotations

import contextlib
import fcntl
import logging
import os
import threading
import time
from collections.abc import Sequence
from pathlib import Path

from app.jobs.automaton import Automaton, Observation
from app.jobs.process import COMMAND
from app.jobs.repository import JobRegistry
from app.jobs.workload import lease_file
from app.persistence.database import Database
from app.settings import Settings
from planner_spark.home import streams_folder

__all__ = ["Supervisor", "SupervisorError"]

log = logging.getLogger("weft.jobs")

TICK = 0.5
_LEASE_PATIENCE = 5.0
LONGEST_STOP = 90.0
"""Seconds after which a shutdown goes on without drivers that do not end even when killed."""


class SupervisorError(Exception):
    """The supervisor cannot do its work here; the message says why."""


class Supervisor:
    """Looks after the jobs of all streams, in a thread of its own."""

    def __init__(
        self, settings: Settings, database: Database, *, command: Sequence[str] = COMMAND, tick: float = TICK
    ) -> None:
        self._settings = settings
        self._registry = JobRegistry(database, settings)
        self._command = command
        self._tick_seconds = tick
        self._automata: dict[str, Automaton] = {}
        self._wake = threading.Event()
        self._ending = threading.Event()
        self._thread: threading.Thread | None = None
        self._lease: int | None = None

    def start(self) -> None:
        """Take the lease and begin; raises `SupervisorError` when another service has it."""
        folder = streams_folder(self._settings.home)
        folder.mkdir(parents=True, exist_ok=True)
        self._lease = _take_lease(Path(lease_file(self._settings)))
        # What is on disk but not in the registry may still have a living driver.
        for entry in folder.iterdir():
            if entry.is_dir():
                self._automaton(entry.name)
        self._ending.clear()
        self._thread = threading.Thread(target=self._run, name="weft-supervisor", daemon=True)
        self._thread.start()
        # By a thread of its own: a registry that does not answer must not look like a dead service.
        threading.Thread(target=self._hold_lease, args=(self._lease,), name="weft-lease", daemon=True).start()

    def stop(self) -> None:
        """Stop all drivers gracefully and end; what is wanted of them stays for the next start."""
        self._ending.set()
        self._wake.set()
        if self._thread is not None:
            self._thread.join()
            self._thread = None
        if self._lease is not None:
            os.close(self._lease)
            self._lease = None

    def wake(self) -> None:
        """Look at the registry now rather than at the next tick."""
        self._wake.set()

    def observe(self, stream: str) -> Observation:
        """What is the case with a stream's job, as of the last tick."""
        automaton = self._automata.get(stream)
        return (automaton.observation if automaton else None) or Observation()

    def is_alive(self, stream: str) -> bool:
        """Whether a driver of the stream lives, whatever is wanted of it."""
        automaton = self._automata.get(stream)
        return automaton is not None and automaton.driver is not None

    def _automaton(self, stream: str) -> Automaton:
        if stream not in self._automata:
            self._automata[stream] = Automaton(stream, self._settings, self._registry, command=self._command)
        return self._automata[stream]

    def _run(self) -> None:
        while not self._ending.is_set():
            self._wake.clear()
            try:
                self._tick()
            except Exception:
                # The registry may be out of reach for a while; drivers go on without it.
                log.exception("the supervisor could not look after the jobs, and tries again")
            self._wake.wait(self._tick_seconds)
        self._wind_down()

    def _tick(self) -> None:
        rows = self._registry.rows()
        for stream in sorted({*rows, *self._automata}):
            automaton = self._automaton(stream)
            try:
                automaton.tick(rows.get(stream))
            except Exception:
                log.exception("the job of %s could not be looked after, and is tried again", stream)
            if stream not in rows and automaton.is_gone:
                del self._automata[stream]

    def _wind_down(self) -> None:
        waiting = list(self._automata.values())
        for automaton in waiting:
            automaton.terminate()
        deadline = time.monotonic() + LONGEST_STOP
        while waiting := [automaton for automaton in waiting if not automaton.wait_out()]:
            if time.monotonic() >= deadline:
                log.error("left behind: the drivers of %s", ", ".join(a.stream for a in waiting))
                break
            time.sleep(0.1)

    def _hold_lease(self, lease: int) -> None:
        """Touch the lease until the drivers are gone, or the service is."""
        while self._lease == lease:
            with contextlib.suppress(OSError):
                os.utime(lease_file(self._settings))
            time.sleep(self._tick_seconds)


def _take_lease(path: Path) -> int:
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    deadline = time.monotonic() + _LEASE_PATIENCE
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() < deadline:
                time.sleep(0.1)
                continue
            os.close(descriptor)
            raise SupervisorError(
                f"another Weft service runs on {path.parent}: stop it, or set WEFT_HOME to another folder"
            ) from None
        return descriptor
