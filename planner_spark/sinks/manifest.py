"""The manifest of a generation's results: which files hold which batches.

A batch is visible from the moment when the manifest that lists it replaces the one before, so a reader never sees
half a batch. There is one writer, the driver. Files that a newer manifest no longer lists stay on disk for a while:
a reader may be in the middle of them.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from pathlib import Path

from planner_spark.files import read_json, write_json

__all__ = ["Manifest", "ResultFile", "Segment"]

VERSION = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultFile:
    """One Parquet file; the path is relative to the results folder, window ends in microseconds."""

    path: str
    rows: int
    bytes: int
    min_end: int
    max_end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Segment:
    """The files of some consecutive batches; ``written`` in seconds since the epoch, ``level`` how often merged."""

    first_batch: int
    last_batch: int
    written: float
    level: int = 0
    files: tuple[ResultFile, ...]

    @property
    def bytes(self) -> int:
        """The size of its files."""
        return sum(file.bytes for file in self.files)

    @property
    def rows(self) -> int:
        """The rows in its files."""
        return sum(file.rows for file in self.files)


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """All visible results, and how many rows there have ever been."""

    last_batch: int = -1
    rows_ever: int = 0
    watermark: int | None = None
    segments: tuple[Segment, ...] = ()

    @classmethod
    def read(cls, folder: Path) -> Manifest:
        """The manifest in a results folder; empty where there is none yet."""
        raw = read_json(folder / "manifest.json")
        if raw is None:
            return cls()
        segments = tuple(
            Segment(**{**s, "files": tuple(ResultFile(**f) for f in s["files"])}) for s in raw["segments"]
        )
        return cls(
            last_batch=raw["last_batch"],
            rows_ever=raw["rows_ever"],
            watermark=raw["watermark"],
            segments=segments,
        )

    def write(self, folder: Path) -> None:
        """Make this the manifest that readers see."""
        write_json(folder / "manifest.json", {"version": VERSION, **asdict(self)})

    def with_batch(self, segment: Segment, watermark: int | None) -> Manifest:
        """The manifest with one more batch; an empty one is only counted."""
        return replace(
            self,
            last_batch=segment.last_batch,
            rows_ever=self.rows_ever + segment.rows,
            watermark=watermark if watermark is not None else self.watermark,
            segments=(*self.segments, segment) if segment.rows else self.segments,
        )
