"""Keeping the results folder small: compaction of many little files, retention by age and by size.

Both only ever write a new manifest; files that it no longer lists are removed when no reader can still be in them.
"""

from __future__ import annotations

import logging
import shutil
import time
import uuid
from dataclasses import dataclass, field, replace
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from planner_spark.sinks.describe import describe
from planner_spark.sinks.manifest import Manifest, Segment

__all__ = ["Housekeeping"]

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Housekeeping:
    """How results are kept: so many segments become one, while they are small; for so long; within so many bytes."""

    fan_in: int = 32
    large: int = 64 << 20
    grace: float = 60.0
    retain_age: float | None = None
    retain_bytes: int | None = None
    unlisted: dict[str, float] = field(default_factory=dict)
    """When each file was first seen to be listed no more."""

    def tidy(self, folder: Path, manifest: Manifest) -> Manifest:
        """Compact and retain; the manifest that is in force afterwards."""
        # What frees space comes first: a full disk must be able to recover.
        retained = self._retained(manifest)
        if retained != manifest:
            retained.write(folder)
        self.remove_strays(folder, retained)
        try:
            compacted = self._compacted(folder, retained)
            if compacted != retained:
                compacted.write(folder)
        except OSError:
            log.exception("results could not be compacted; the next batch tries again")
            return retained
        return compacted

    def _compacted(self, folder: Path, manifest: Manifest) -> Manifest:
        """Merge the newest small segments once there are enough of one size class, as a log-structured tree does."""
        segments = list(manifest.segments)
        while len(segments) >= self.fan_in:
            tail = segments[-self.fan_in :]
            if sum(s.bytes for s in tail) > self.large or len({s.level for s in tail}) > 1:
                break
            segments[-self.fan_in :] = [self._merged(folder, tail)]
        return replace(manifest, segments=tuple(segments))

    def _merged(self, folder: Path, segments: list[Segment]) -> Segment:
        tables = [pq.read_table(folder / file.path) for segment in segments for file in segment.files]
        merged = pa.concat_tables(tables, promote_options="default").sort_by(
            [("query", "ascending"), ("window_end", "ascending")]
        )
        first, last = segments[0].first_batch, segments[-1].last_batch
        path = folder / f"merged-{first:010d}-{last:010d}-{uuid.uuid4().hex[:8]}.parquet"
        pq.write_table(merged, path, row_group_size=1 << 17, compression="zstd")
        described = describe(folder, path)
        return Segment(
            first_batch=first,
            last_batch=last,
            written=segments[-1].written,
            level=segments[-1].level + 1,
            files=(described,) if described else (),
        )

    def _retained(self, manifest: Manifest) -> Manifest:
        segments = list(manifest.segments)
        if self.retain_age is not None:
            oldest = time.time() - self.retain_age
            segments = [s for s in segments if s.written >= oldest]
        if self.retain_bytes is not None:
            while len(segments) > 1 and sum(s.bytes for s in segments) > self.retain_bytes:
                segments.pop(0)
        return replace(manifest, segments=tuple(segments))

    def remove_strays(self, folder: Path, manifest: Manifest) -> None:
        """Remove what the manifest has not listed for the time of grace."""
        listed = {Path(file.path).parts[0] for segment in manifest.segments for file in segment.files}
        now = time.monotonic()
        for path in folder.iterdir():
            if not path.name.startswith(("batch-", "merged-")) or path.name in listed:
                continue
            if now - self.unlisted.setdefault(path.name, now) < self.grace:
                continue
            if path.is_dir():
                shutil.rmtree(path, ignore_errors=True)
            else:
                path.unlink(missing_ok=True)
            del self.unlisted[path.name]
