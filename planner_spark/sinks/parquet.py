"""Results as Parquet, written once per batch and made visible by the manifest.

A batch that is replayed after a crash is recomputed for its state's sake, but written only if the manifest does not
have it yet: its rows are out exactly once.
"""

from __future__ import annotations

import shutil
import time
import uuid
from collections.abc import Callable
from pathlib import Path

from pyspark.sql import DataFrame

from planner_spark.sinks.describe import describe
from planner_spark.sinks.housekeeping import Housekeeping
from planner_spark.sinks.manifest import Manifest, ResultFile, Segment

__all__ = ["ParquetSink"]


class ParquetSink:
    """Writes batches; called by Spark with each batch's rows and number."""

    def __init__(self, folder: Path, housekeeping: Housekeeping, watermark: Callable[[], int | None]) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._folder = folder
        self._housekeeping = housekeeping
        self._watermark = watermark
        self.manifest = Manifest.read(folder)
        housekeeping.remove_strays(folder, self.manifest)

    def __call__(self, rows: DataFrame, batch: int) -> None:
        """Write one batch."""
        if batch <= self.manifest.last_batch:
            rows.write.format("noop").mode("overwrite").save()
            return
        name = f"batch-{batch:010d}-{uuid.uuid4().hex[:8]}"
        rows.sortWithinPartitions("query", "window_end").write.parquet(str(self._folder / name))
        segment = Segment(
            first_batch=batch,
            last_batch=batch,
            written=time.time(),
            files=tuple(self._described(name)),
        )
        manifest = self.manifest.with_batch(segment, self._watermark())
        manifest.write(self._folder)
        if not segment.files:
            shutil.rmtree(self._folder / name)
        self.manifest = self._housekeeping.tidy(self._folder, manifest)

    def _described(self, name: str) -> list[ResultFile]:
        found = []
        for path in sorted((self._folder / name).glob("*.parquet")):
            described = describe(self._folder, path)
            if described is not None:
                found.append(described)
        return found
