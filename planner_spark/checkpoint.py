"""What Spark's checkpoint says of how far a job has read.

The status of a driver that was killed may be a batch behind its state. The checkpoint is not: each
committed batch notes the watermark of the next one, which is the latest event time so far less the delay,
cut to milliseconds.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

__all__ = ["committed_watermark", "read_until"]

_MILLISECOND = 1_000


def committed_watermark(checkpoint: Path) -> int | None:
    """The watermark, in milliseconds, with which the last committed batch ran; None before the first commit."""
    batch = _last_commit(checkpoint)
    if batch is None:
        return None
    return int(_noted(checkpoint / "offsets" / str(batch))["batchWatermarkMs"])


def read_until(checkpoint: Path, *, delay: int) -> int | None:
    """An event time, in microseconds, that no tuple in the state is later than; None before the first commit.

    ``delay`` is the watermark's, in microseconds. The bound is at most a millisecond above the latest event
    time, unless a heartbeat has moved time on without tuples.
    """
    batch = _last_commit(checkpoint)
    if batch is None:
        return None
    watermark = int(_noted(checkpoint / "commits" / str(batch))["nextBatchWatermarkMs"])
    return (watermark + 1) * _MILLISECOND - 1 + delay


def _last_commit(checkpoint: Path) -> int | None:
    try:
        batches = [int(path.name) for path in (checkpoint / "commits").iterdir() if path.name.isdecimal()]
    except FileNotFoundError:
        return None
    return max(batches, default=None)


def _noted(path: Path) -> dict[str, Any]:
    """The metadata in a file of Spark's logs: a line for the format's version, then one of JSON."""
    noted: dict[str, Any] = json.loads(path.read_text().splitlines()[1])
    return noted
