"""The folder of one generation of a job, and what its driver says there.

    WEFT_HOME/streams/<stream>/gen-<n>/
        job.json         what the driver is to do, written before each start
        driver.lock      locked while the driver or its JVM lives
        driver.json      their process ids
        status.json      the driver's last words on its state and progress
        manifest.json    shape and versions of the checkpoint
        driver.log       what the driver printed
        checkpoint/ control/ results/

The driver replaces its files in one step, so a reader sees a whole one; a file that is missing or that was
cut off by a full disk reads as none.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from planner_spark.spec import JobSpec

__all__ = ["Home", "Status", "homes_of", "read_json", "streams_folder"]

_GENERATION = re.compile(r"gen-([0-9]{1,9})")


@dataclass(frozen=True, slots=True, kw_only=True)
class Status:
    """What a driver last said; event times in microseconds."""

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
    late_rows: int = 0
    null_event_times: int = 0
    error: str | None = None
    error_code: str | None = None

    @classmethod
    def parse(cls, raw: dict[str, Any]) -> Status:
        """The known fields; a later version's driver may say more."""
        return cls(**{name: raw[name] for name in cls.__slots__ if name in raw})

    def is_finished(self, generation: int, epoch: int) -> bool:
        """Whether this is the end of a bounded source under that very specification."""
        return self.state == "finished" and (self.generation, self.epoch) == (generation, epoch)


@dataclass(frozen=True, slots=True, kw_only=True)
class Home:
    """A generation's folder, there or not yet."""

    path: Path
    generation: int

    @classmethod
    def at(cls, folder: Path, stream: str, generation: int) -> Home:
        """The folder of that generation of the stream; ``folder`` is that of all streams."""
        return cls(path=folder / stream / f"gen-{generation}", generation=generation)

    @property
    def job_file(self) -> Path:
        return self.path / "job.json"

    @property
    def lock_file(self) -> Path:
        return self.path / "driver.lock"

    @property
    def holder_file(self) -> Path:
        return self.path / "driver.json"

    @property
    def log_file(self) -> Path:
        return self.path / "driver.log"

    @property
    def results(self) -> Path:
        return self.path / "results"

    def job(self) -> JobSpec | None:
        """The specification that a driver was last started with."""
        raw = read_json(self.job_file)
        return None if raw is None else JobSpec.parse(raw)

    def status(self) -> Status | None:
        """The driver's last words."""
        raw = read_json(self.path / "status.json")
        return None if raw is None else Status.parse(raw)

    def manifest(self) -> dict[str, Any] | None:
        """Shape and versions of the checkpoint; None as long as there is none."""
        return read_json(self.path / "manifest.json")


def streams_folder(home: Path) -> Path:
    """The folder of all streams under WEFT_HOME."""
    return home / "streams"


def homes_of(folder: Path, stream: str) -> list[Home]:
    """The generations of a stream that are on disk, oldest first."""
    try:
        names = [entry.name for entry in (folder / stream).iterdir()]
    except (FileNotFoundError, NotADirectoryError):
        return []
    found = sorted(int(match[1]) for name in names if (match := _GENERATION.fullmatch(name)))
    return [Home.at(folder, stream, generation) for generation in found]


def read_json(path: Path) -> dict[str, Any] | None:
    """The object in that file; None when there is no such file or no whole object in it."""
    try:
        raw = json.loads(path.read_text())
    except (FileNotFoundError, NotADirectoryError, ValueError):
        return None
    return raw if isinstance(raw, dict) else None
