"""Results as Parquet, written once per batch and made visible by the manifest.

Spark's workers write the files, straight from the columns in which the answers come, and tell the driver what they
wrote. A batch that is replayed after a crash is recomputed for its state's sake, but written only if the manifest
does not have it yet: its rows are out exactly once. What a failed attempt of a task wrote is listed nowhere, and
removed.
"""

from __future__ import annotations

import json
import shutil
import time
import uuid
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import DataFrame

from planner_spark.blocks import DATA, from_bytes
from planner_spark.final_aggregation import REPORT
from planner_spark.sinks.describe import describe
from planner_spark.sinks.housekeeping import Housekeeping
from planner_spark.sinks.manifest import Manifest, ResultFile, Segment
from planner_spark.work import SECONDS

__all__ = ["ParquetSink"]

_FILE = "file"
_NAMED = ["query", "window_start", "window_end", "epoch", "valid", "overflow"]
"""Columns with few values next to each other; a dictionary of measured values would be as long as they are."""


class ParquetSink:
    """Writes batches; called by Spark with each batch's packed rows and its number."""

    def __init__(self, folder: Path, housekeeping: Housekeeping, watermark: Callable[[], int | None]) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._folder = folder
        self._housekeeping = housekeeping
        self._watermark = watermark
        self.manifest = Manifest.read(folder)
        self.reports: deque[str] = deque()
        """Of the work behind the batches that were written, until somebody takes them."""
        housekeeping.remove_strays(folder, self.manifest)

    def __call__(self, packed: DataFrame, batch: int) -> None:
        """Write one batch."""
        if batch <= self.manifest.last_batch:
            packed.write.format("noop").mode("overwrite").save()
            return
        name = f"batch-{batch:010d}-{uuid.uuid4().hex[:8]}"
        place = self._folder / name
        place.mkdir()
        told = packed.mapInArrow(
            _writer(str(self._folder), name), f"{_FILE} string, {REPORT} string"
        ).collect()
        self.reports.extend(row[REPORT] for row in told if row[REPORT] is not None)
        segment = Segment(
            first_batch=batch,
            last_batch=batch,
            written=time.time(),
            files=tuple(ResultFile(**json.loads(row[_FILE])) for row in told if row[_FILE] is not None),
        )
        listed = {file.path for file in segment.files}
        for path in place.iterdir():
            if str(path.relative_to(self._folder)) not in listed:
                path.unlink()
        manifest = self.manifest.with_batch(segment, self._watermark())
        manifest.write(self._folder)
        if not listed:
            shutil.rmtree(place)
        self.manifest = self._housekeeping.tidy(self._folder, manifest)


def _writer(folder: str, name: str) -> Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """What a task does: all of its rows to one file, and a word on it and on the work behind them."""

    def write(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        path = Path(folder) / name / f"{uuid.uuid4().hex}.parquet"
        writer: pq.ParquetWriter | None = None
        reports: list[str] = []
        seconds = 0.0
        try:
            for batch in batches:
                reports += batch.column(REPORT).drop_null().to_pylist()
                for data in batch.column(DATA).drop_null():
                    began = time.perf_counter()
                    table = from_bytes(data.as_buffer())
                    if writer is None:
                        writer = _open(path, table.schema)
                    writer.write_table(table)
                    seconds += time.perf_counter() - began
        finally:
            if writer is not None:
                writer.close()
        reports.append(json.dumps({f"{SECONDS}write": seconds}))
        described = describe(Path(folder), path) if writer is not None else None
        files = [] if described is None else [json.dumps(asdict(described))]
        yield pa.RecordBatch.from_arrays(
            [
                pa.array(files + [None] * len(reports), pa.string()),
                pa.array([None] * len(files) + reports, pa.string()),
            ],
            [_FILE, REPORT],
        )

    return write


def _open(path: Path, schema: pa.Schema) -> pq.ParquetWriter:
    named = [*_NAMED, *(name for name in schema.names if name.startswith("g_"))]
    return pq.ParquetWriter(path, schema, compression="zstd", use_dictionary=named)
