"""The service's lease: a file that it touches as long as it lives."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

__all__ = ["Lease"]

PATIENCE = 60.0
"""Seconds without a touch after which the service is taken for dead."""


class Lease:
    """Measures by its own clock how long the file has not changed: the wall's may jump, or have slept."""

    def __init__(self, path: Path, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._path = path
        self._clock = clock
        self._touched = self._read()
        self._seen = clock()

    def has_run_out(self) -> bool:
        """Whether the service has been silent for too long."""
        touched = self._read()
        if touched != self._touched:
            self._touched, self._seen = touched, self._clock()
        return self._clock() - self._seen > PATIENCE

    def _read(self) -> int | None:
        try:
            return self._path.stat().st_mtime_ns
        except FileNotFoundError:
            return None
