"""The driver's word to the service: one small file, replaced whole whenever something changed."""

from __future__ import annotations

import os
import threading
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from planner_spark.files import read_json, write_json

__all__ = ["Status", "StatusFile"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Status:
    """What a driver is doing; times of the stream in microseconds."""

    state: str = ""
    since: str | None = None
    epoch: int = 0
    generation: int = 0
    pid: int = 0
    watermark: int | None = None
    max_event_time: int | None = None
    input_rows_per_second: float = 0.0
    batch: int = -1
    results: int = 0
    tuples: int = 0
    late_rows: int = 0
    null_event_times: int = 0
    state_rows: int = 0
    """Rows of Spark's state, if it counts them."""
    work: dict[str, float] = field(default_factory=dict)
    """Operations and seconds so far, as `planner_spark.work` describes them."""
    output_share: float | None = None
    """How much of the last batch with results went into these rather than into aggregation."""
    error: str | None = None
    error_code: str | None = None

    @classmethod
    def parse(cls, raw: dict[str, Any]) -> Status:
        """The known fields; a later version's driver may say more."""
        return cls(**{name: raw[name] for name in cls.__slots__ if name in raw})

    def is_finished(self, generation: int, epoch: int) -> bool:
        """Whether this is the end of a bounded source under that very specification."""
        return self.state == "finished" and (self.generation, self.epoch) == (generation, epoch)


_LASTING = ("watermark", "max_event_time", "batch", "tuples", "late_rows", "null_event_times", "work")
"""What is true of the generation, not of one driver: a driver goes on from where the one before it was."""


class StatusFile:
    """The file, and the status that it shows."""

    def __init__(self, path: Path, *, epoch: int, generation: int) -> None:
        self._path = path
        self._changing = threading.Lock()
        before = read_json(path) or {}
        lasting = {name: before[name] for name in _LASTING if name in before}
        self.status = Status(
            state="starting", since=_now(), epoch=epoch, generation=generation, pid=os.getpid(), **lasting
        )
        self.change()

    def change(self, **changes: Any) -> None:
        """Change some fields; ``since`` follows the state."""
        with self._changing:
            if changes.get("state", self.status.state) != self.status.state:
                changes["since"] = _now()
            self.status = replace(self.status, **changes)
            write_json(self._path, asdict(self.status), durable=False)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
