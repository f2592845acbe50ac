"""Driver processes: starting one, finding one that an earlier service started, ending one.

A driver lives as long as somebody holds the lock of its folder: the process itself or its JVM, which may
outlast it. The driver notes both, but a process id may have been given to another process since; so none is
signalled that does not prove to be the driver, by its command line, or its JVM, by holding the lock file
open.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import app
from planner_spark.errors import AlreadyRunning
from planner_spark.files import read_json
from planner_spark.home import Home

__all__ = ["COMMAND", "Driver", "is_locked", "spawn"]

COMMAND = (sys.executable, "-m", "planner_spark")
"""What runs a driver; the path of its job.json comes last."""
LOG_LIMIT = 10 * 2**20
_PACKAGES = Path(app.__file__).resolve().parents[1]


class Driver:
    """A living driver: our child, or one that an earlier service left behind."""

    def __init__(self, home: Home, *, epoch: int, child: subprocess.Popen[bytes] | None = None) -> None:
        self.home = home
        self.epoch = epoch
        self._child = child

    @property
    def pid(self) -> int | None:
        """The driver's process id, if it is known."""
        return self._child.pid if self._child else _pids(self.home)[0]

    @property
    def exit_code(self) -> int | None:
        """How our child ended; None while it lives, and always for one that we did not start."""
        return self._child.poll() if self._child else None

    @property
    def has_process(self) -> bool:
        """Whether the driver itself lives, not only its JVM."""
        if self._child:
            return self._child.poll() is None
        return _is_driver(_pids(self.home)[0], self.home)

    def is_alive(self) -> bool:
        """Whether the driver or its JVM lives.

        The lock of a child that runs is never probed: it may be just about to take it, and would find it
        taken. That of a child which was turned away is another driver's.
        """
        if self._child is not None and self._child.poll() in {None, AlreadyRunning.exit_code}:
            return self._child.poll() is None
        return is_locked(self.home)

    def terminate(self) -> None:
        """Ask the driver to stop gracefully."""
        for pid in self._targets(with_jvm=False):
            _signal(pid, signal.SIGTERM)

    def kill(self) -> None:
        """End the driver and its JVM at once; the checkpoint is made for that."""
        for pid in self._targets(with_jvm=True):
            _signal(pid, signal.SIGKILL)

    def _targets(self, *, with_jvm: bool) -> Iterator[int]:
        driver, jvm = _pids(self.home)
        if self._child:
            if self._child.poll() is None:
                yield self._child.pid
        elif driver is not None and _is_driver(driver, self.home):
            yield driver
        if with_jvm and jvm is not None and _holds(jvm, self.home.lock_file):
            yield jvm


def spawn(home: Home, *, epoch: int, command: Sequence[str] = COMMAND) -> Driver:
    """Start a driver on the job.json in that folder.

    It gets a session of its own, so that Ctrl-C in the service's terminal does not reach it: the service
    stops it.
    """
    if home.log_file.exists() and home.log_file.stat().st_size > LOG_LIMIT:
        home.log_file.replace(home.log_file.with_suffix(".log.1"))
    paths = [str(_PACKAGES), *filter(None, [os.environ.get("PYTHONPATH")])]
    with home.log_file.open("ab") as log:
        child = subprocess.Popen(
            [*command, str(home.job_file)],
            cwd=home.path,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    return Driver(home, epoch=epoch, child=child)


def is_locked(home: Home) -> bool:
    """Whether somebody holds the driver's lock; takes it for a moment to find out."""
    try:
        descriptor = os.open(home.lock_file, os.O_RDWR | os.O_CLOEXEC)
    except (FileNotFoundError, NotADirectoryError):
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(descriptor)
    return False


def _pids(home: Home) -> tuple[int | None, int | None]:
    """The process ids of driver and JVM, as the driver noted them."""
    named = read_json(home.holder_file) or {}
    pid, jvm = (
        value if isinstance(value, int) and value > 1 else None
        for value in map(named.get, ("pid", "jvm_pid"))
    )
    return pid, jvm


def _is_driver(pid: int | None, home: Home) -> bool:
    """Whether that process was started with this folder's job.json."""
    if pid is None:
        return False
    try:
        arguments = Path(f"/proc/{pid}/cmdline").read_bytes().rstrip(b"\0").split(b"\0")
    except OSError:
        return False
    return arguments[-1] == os.fsencode(home.job_file)


def _holds(pid: int, lock: Path) -> bool:
    """Whether that process has the lock file open."""
    try:
        wanted = lock.stat()
        descriptors = list(Path(f"/proc/{pid}/fd").iterdir())
    except OSError:
        return False
    for descriptor in descriptors:
        with contextlib.suppress(OSError):
            held = descriptor.stat()
            if (held.st_dev, held.st_ino) == (wanted.st_dev, wanted.st_ino):
                return True
    return False


def _signal(pid: int, number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, number)
