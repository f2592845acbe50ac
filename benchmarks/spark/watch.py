"""What Spark tells of each micro-batch, collected while streaming queries run."""

from __future__ import annotations

import json
import threading
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from pyspark.sql.streaming.listener import StreamingQueryListener

from benchmarks.spark.data import START

__all__ = ["RESULTS", "Batch", "Watch"]

RESULTS = "results"
"""The name under which every side observes the number of its results, as ``n``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """A micro-batch; ``end`` is in seconds of the clock, ``until`` the watermark in seconds of the stream."""

    end: float
    seconds: float
    rows: int
    results: int
    until: int
    state_rows: int
    state_bytes: int

    @classmethod
    def of(cls, progress: dict[str, Any]) -> Batch:
        """From the JSON of a StreamingQueryProgress."""
        seconds = progress["durationMs"]["triggerExecution"] / 1_000
        counted = ((progress.get("observedMetrics") or {}).get(RESULTS) or {}).get("n")
        watermark = (progress.get("eventTime") or {}).get("watermark")
        operators = progress.get("stateOperators") or []
        return cls(
            end=_clock(progress["timestamp"]) + seconds,
            seconds=seconds,
            rows=progress["numInputRows"],
            results=int(counted or 0),
            until=int((_clock(watermark) * 1_000_000 - START) // 1_000_000) if watermark else 0,
            state_rows=sum(operator.get("numRowsTotal") or 0 for operator in operators),
            state_bytes=sum(operator.get("memoryUsedBytes") or 0 for operator in operators),
        )


class Watch(StreamingQueryListener):
    """Collects the batches of every query of a session; safe to read while they come."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._batches: dict[str, list[Batch]] = {}
        self._failure: str | None = None

    def batches(self, run: str) -> list[Batch]:
        """What that run of a query did so far."""
        with self._lock:
            if self._failure is not None:
                raise RuntimeError(self._failure)
            return list(self._batches.get(run, []))

    def onQueryStarted(self, event: Any) -> None:  # noqa: N802
        """Nothing to keep."""

    def onQueryProgress(self, event: Any) -> None:  # noqa: N802
        """Keep the batch."""
        progress = json.loads(event.progress.json)
        with self._lock:
            self._batches.setdefault(progress["runId"], []).append(Batch.of(progress))

    def onQueryIdle(self, event: Any) -> None:  # noqa: N802
        """Nothing to keep."""

    def onQueryTerminated(self, event: Any) -> None:  # noqa: N802
        """Keep why it failed, if it did."""
        if event.exception is not None:
            with self._lock:
                self._failure = str(event.exception)


def _clock(text: str) -> float:
    return datetime.fromisoformat(text).timestamp()
