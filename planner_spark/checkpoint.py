"""What Spark's checkpoint says of how far a job has read.

The status of a driver that was killed may be a batch behind its state. The checkpoint is not: each
committed batch notes the watermark of the next one, which is the latest event time so far less the delay,
cut to milliseconds.
"""

from __future__ import annotations

import json
from pathlib import Path

__all__ = ["read_until"]

_MILLISECOND = 1_000


def read_until(checkpoint: Path, *, delay: int) -> int | None:
    """An event time, in microseconds, that no tuple in the state is later than; None before the first commit.

    ``delay`` is the watermark's, in microseconds. The bound is at most a millisecond above the latest event
    time, unless a heartbeat has moved time on without tuples.
    """
    try:
        batches = [int(path.name) for path in (checkpoint / "commits").iterdir() if path.name.isdecimal()]
    except FileNotFoundError:
        return None
    if not batches:
        return None
    _, _, noted = (checkpoint / "commits" / str(max(batches))).read_text().partition("\n")
    watermark: int = json.loads(noted)["nextBatchWatermarkMs"]
    return (watermark + 1) * _MILLISECOND - 1 + delay
