"""When a silent stream is told that time goes on (row G-09), for streams that ask for it."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from planner_spark.status import Status

__all__ = ["Idleness"]

SHORTEST = 1_000_000
_SECOND = 1_000_000


class Idleness:
    """Says when to write a heartbeat, and of what time.

    A stream is silent when Spark has nothing to read and nothing at work; a slow batch or a backlog is not silence. The
    time told is the stream's own: its latest event time and the length of the silence, never the clock on the wall,
    which may be hours ahead of what is still to come.
    """

    def __init__(self, after: int, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._after = max(after, SHORTEST)
        self._clock = clock
        self._tuples = -1
        self._since = clock()
        self._told = clock()
        self._latest: int | None = None

    def beat(self, activity: dict[str, Any], status: Status) -> int | None:
        """The event time of a heartbeat that is due now, in microseconds; ``activity`` is the query's own status."""
        now = self._clock()
        at_work = activity["isDataAvailable"] or activity["isTriggerActive"]
        if at_work and status.tuples == self._tuples:
            # The batch without data that a heartbeat brings about is no end of the silence, but a reason to wait.
            self._told = now
            return None
        if at_work or status.tuples != self._tuples:
            self._tuples, self._since, self._told = status.tuples, now, now
            self._latest = status.max_event_time
            return None
        if self._latest is None or (now - self._told) * _SECOND < self._after:
            return None
        self._told = now
        return self._latest + int((now - self._since) * _SECOND)
