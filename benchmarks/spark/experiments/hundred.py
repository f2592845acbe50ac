"""100 queries over 1,000 keys: Weft, the tumbling floor and the peers in turn, and what it costs to store results."""

from __future__ import annotations

from benchmarks.spark.rounds import Comparison
from benchmarks.spark.runs import Contender, Run
from benchmarks.spark.workload import TEN_SECONDS, windows

__all__ = ["KEYS", "QUERIES", "STORED", "run"]

QUERIES, KEYS = 100, 1_000
STORED = "weft_parquet"
"""Weft with the sink that the service uses."""


def run(run: Run) -> list[Comparison]:
    """One comparison of all sides."""
    asked = windows(QUERIES)
    contenders = [
        Contender(
            name=side,
            side=side,
            windows=(TEN_SECONDS,) if side == "tumbling" else asked,
            size=size,
            rounds=rounds,
        )
        for side, (size, rounds) in run.scale.headline.items()
    ]
    size, _ = run.scale.headline["weft"]
    contenders.append(Contender(name=STORED, side="weft", windows=asked, size=size, sink="parquet"))
    return [run.compare(f"{QUERIES} queries, {KEYS:,} keys", KEYS, contenders)]
