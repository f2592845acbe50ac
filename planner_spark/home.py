"""The folder of one generation of a job, where service and driver meet.

    WEFT_HOME/streams/<stream>/gen-<n>/
        job.json         what the driver is to do, written before each start
        driver.lock      locked while the driver or its JVM lives
        driver.json      their process ids
        status.json      the driver's last words on its state and progress
        manifest.json    shape and versions of the checkpoint
        driver.log       what the driver printed
        checkpoint/      Spark's own
        control/         heartbeats
        results/         Parquet, and the manifest that says which files count

Files are replaced in one step, so a reader sees a whole one; a file that is missing or that was cut off by a full
disk reads as none.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from planner_spark.files import read_json
from planner_spark.spec import JobSpec
from planner_spark.status import Status

__all__ = ["Home", "homes_of", "streams_folder"]

_GENERATION = re.compile(r"gen-([0-9]{1,9})")


@dataclass(frozen=True, slots=True, kw_only=True)
class Home:
    """A generation's folder, there or not yet."""

    path: Path
    generation: int

    @classmethod
    def at(cls, folder: Path, stream: str, generation: int) -> Home:
        """The folder of that generation of the stream; ``folder`` is that of all streams."""
        return cls(path=folder / stream / f"gen-{generation}", generation=generation)

    @classmethod
    def of(cls, spec: JobSpec) -> Home:
        """The folder that a specification names."""
        return cls(path=Path(spec.home), generation=spec.generation)

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
    def status_file(self) -> Path:
        return self.path / "status.json"

    @property
    def manifest_file(self) -> Path:
        return self.path / "manifest.json"

    @property
    def log_file(self) -> Path:
        return self.path / "driver.log"

    @property
    def checkpoint(self) -> Path:
        return self.path / "checkpoint"

    @property
    def control(self) -> Path:
        return self.path / "control"

    @property
    def results(self) -> Path:
        return self.path / "results"

    def job(self) -> JobSpec | None:
        """The specification that a driver was last started with."""
        raw = read_json(self.job_file)
        return None if raw is None else JobSpec.parse(raw)

    def status(self) -> Status | None:
        """The driver's last words."""
        raw = read_json(self.status_file)
        return None if raw is None else Status.parse(raw)

    def manifest(self) -> dict[str, Any] | None:
        """Shape and versions of the checkpoint; None as long as there is none."""
        return read_json(self.manifest_file)


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
