"""Result files as a driver writes them, without a driver."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from planner_spark.sinks.describe import describe
from planner_spark.sinks.manifest import Manifest, Segment

_FIXED = {
    "query": pa.int32(),
    "window_start": pa.timestamp("us", tz="UTC"),
    "window_end": pa.timestamp("us", tz="UTC"),
    "epoch": pa.int32(),
    "valid": pa.int64(),
    "overflow": pa.int64(),
}
_SLOTS = {"l": pa.int64(), "d": pa.float64(), "s": pa.string()}


def write_batch(
    folder: Path, rows: Sequence[dict[str, Any]], types: dict[str, pa.DataType], *, watermark: int = 0
) -> None:
    """Add one batch to the results in a folder; ``types`` are those of the group columns."""
    folder.mkdir(parents=True, exist_ok=True)
    manifest = Manifest.read(folder)
    batch = manifest.last_batch + 1
    names = dict.fromkeys(name for row in rows for name in row)
    schema = pa.schema(
        [(name, _type(name, types)) for name in [*_FIXED, *(n for n in names if n not in _FIXED)]]
    )
    path = folder / f"batch-{batch:010d}.parquet"
    filled = [{"epoch": 1, "overflow": 0, **row} for row in rows]
    pq.write_table(pa.Table.from_pylist(filled, schema=schema), path)
    described = describe(folder, path)
    segment = Segment(
        first_batch=batch, last_batch=batch, written=0.0, files=(described,) if described else ()
    )
    manifest.with_batch(segment, watermark).write(folder)


def merge_all(folder: Path) -> None:
    """Compact everything into one file, and remove the files of before."""
    manifest = Manifest.read(folder)
    old = [folder / file.path for segment in manifest.segments for file in segment.files]
    path = folder / f"merged-{manifest.last_batch:010d}.parquet"
    pq.write_table(pa.concat_tables([pq.read_table(p) for p in old], promote_options="default"), path)
    described = describe(folder, path)
    assert described is not None
    segment = Segment(first_batch=0, last_batch=manifest.last_batch, written=0.0, files=(described,))
    replace(manifest, segments=(segment,)).write(folder)
    for file in old:
        file.unlink()


def _type(name: str, types: dict[str, pa.DataType]) -> pa.DataType:
    if name in _FIXED:
        return _FIXED[name]
    return types[name] if name.startswith("g_") else _SLOTS[name[0]]
