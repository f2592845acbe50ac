"""One driver per checkpoint: a file lock that the driver and its JVM hold as long as either lives.

The kernel gives a lock back when the last copy of its descriptor is closed, also after ``kill -9``. A driver that is
killed leaves its JVM behind for a moment, and that JVM may still write to the checkpoint, so it has to hold the lock
too. It inherits nothing but the standard streams: the lock is therefore put in the place of standard output.
"""

from __future__ import annotations

import fcntl
import os
import sys
import time
from pathlib import Path

from planner_spark.errors import AlreadyRunning
from planner_spark.files import write_json

__all__ = ["hold_lock", "note_holder"]

_STDOUT = 1


def hold_lock(path: Path, *, patience: float = 10.0) -> None:
    """Take the lock for this process and those that it starts; wait a little for a dying JVM."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    deadline = time.monotonic() + patience
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            break
        except BlockingIOError:
            if time.monotonic() >= deadline:
                os.close(descriptor)
                raise AlreadyRunning(f"another driver holds {path}") from None
            time.sleep(0.1)
    sys.stdout.flush()
    os.dup2(descriptor, _STDOUT)
    os.close(descriptor)


def note_holder(path: Path, *, jvm_pid: int | None) -> None:
    """Say who holds the lock, in a file of its own: what a JVM prints to standard output ends up in the lock."""
    write_json(path, {"pid": os.getpid(), "jvm_pid": jvm_pid, "started": time.time()}, durable=False)
