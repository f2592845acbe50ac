"""What a job's operators say of their work: operations by level, and the seconds that they took.

A report has ``tuples`` and ``partials`` that came out of sub-aggregation, ``intercede`` operations, for tree 3 its
``3:edges`` and the operations of each lane (``3:sum:price``), and ``seconds:kernels``, ``seconds:rows`` and
``seconds:write``: those of aggregating, of making rows of the answers, and of writing them, over all of the job's
workers.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping

__all__ = ["OUTPUT_SECONDS", "SECONDS", "added", "output_share"]

SECONDS = "seconds:"
OUTPUT_SECONDS = (f"{SECONDS}rows", f"{SECONDS}write")


def added(reports: Iterable[str | Mapping[str, float]]) -> dict[str, float]:
    """Reports together.

    >>> added(['{"tuples": 3, "1:edges": 1}', '{"tuples": 4}'])
    {'tuples': 7, '1:edges': 1}
    """
    total: dict[str, float] = {}
    for report in reports:
        for name, value in (json.loads(report) if isinstance(report, str) else report).items():
            total[name] = total.get(name, 0) + value
    return total


def output_share(report: Mapping[str, float], *, seconds: float, workers: int) -> float:
    """How much of a batch went into results rather than aggregation, from 0 to 1.

    >>> output_share({"seconds:rows": 0.5, "seconds:write": 1.0, "seconds:kernels": 9.0}, seconds=1.0, workers=2)
    0.75
    """
    spent = sum(report.get(name, 0.0) for name in OUTPUT_SECONDS)
    return min(spent / (seconds * workers), 1.0) if seconds > 0 else 0.0
