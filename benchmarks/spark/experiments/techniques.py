"""Techniques and optimizers on a workload of middle size: measured, for the forecast to be held against."""

from __future__ import annotations

from benchmarks.spark.rounds import Comparison
from benchmarks.spark.runs import Contender, Run
from benchmarks.spark.workload import windows
from planner_spark.kernels.techniques import KERNELS

__all__ = ["KEYS", "QUERIES", "contenders", "run"]

QUERIES, KEYS = 30, 1_000


def run(run: Run) -> list[Comparison]:
    """Every technique under every optimizer, in turn."""
    return [run.compare(f"{QUERIES} queries, {KEYS:,} keys", KEYS, contenders(run))]


def contenders(run: Run) -> list[Contender]:
    """Techniques that can serve many ranges at once; one that serves only some operations does these."""
    names = [kernel.name for kernel in KERNELS if kernel.multi_query][: run.scale.most_techniques]
    return [
        Contender(
            name=f"{optimizer}, {technique}",
            side="weft",
            windows=windows(QUERIES),
            size=run.scale.techniques,
            technique=technique,
            optimizer=optimizer,
        )
        for technique in names
        for optimizer in run.scale.optimizers
    ]
