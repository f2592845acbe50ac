"""What the manifest says of a result file, read from its footer."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pyarrow.parquet as pq

from planner_spark.sinks.manifest import ResultFile

__all__ = ["describe"]

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


def describe(folder: Path, path: Path) -> ResultFile | None:
    """What the manifest says of a file, from its footer alone; None for a file without rows."""
    metadata = pq.read_metadata(path)
    if not metadata.num_rows:
        return None
    column = metadata.schema.names.index("window_end")
    bounds = [metadata.row_group(i).column(column).statistics for i in range(metadata.num_row_groups)]
    return ResultFile(
        path=str(path.relative_to(folder)),
        rows=metadata.num_rows,
        bytes=path.stat().st_size,
        min_end=min(_micros(b.min) for b in bounds),
        max_end=max(_micros(b.max) for b in bounds),
    )


def _micros(value: datetime) -> int:
    aware = value if value.tzinfo else value.replace(tzinfo=UTC)
    return (aware - _EPOCH) // _MICROSECOND
