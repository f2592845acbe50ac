"""One driver per checkpoint: a file lock that the driver and its JVM hold as long as either lives.

The kernel gives a lock back when the last copy of its descriptor is closed, also after ``kill -9``. A driver that is
killed leaves its JVM behind for a moment, and that JVM may still write to the checkpoint, so it has to hold the lock
too. It inherits nothing but the standard streams: the lock is therefore put in the place of standard output.
"""

from __future__ import annotations

import fcntl
import json
import os
import sys
import time
from pathlib import Path

from planner_spark.errors import AlreadyRunning

__all__ = ["hold_lock", "is_held", "note_holder"]

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
    note_holder(path, jvm_pid=None)


def note_holder(path: Path, *, jvm_pid: int | None) -> None:
    """Say in the lock file who holds it."""
    text = json.dumps({"pid": os.getpid(), "jvm_pid": jvm_pid, "started": time.time()})
    with path.open("r+") as file:
        file.truncate()
        file.write(text)


def is_held(path: Path) -> bool:
    """Whether a driver or its JVM lives."""
    try:
        descriptor = os.open(path, os.O_RDWR)
    except FileNotFoundError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(descriptor)
    return False
