"""The whole self-measurement: kernels and shards in numpy, then Spark's part."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path

from costmodel.calibration import Calibration
from costmodel.defaults import ASSUMED
from planner_spark.calibrate.file import read_calibration, write_calibration
from planner_spark.calibrate.kernels import kernel_costs
from planner_spark.calibrate.shards import shard_costs

__all__ = ["Progress", "calibrate"]

Progress = Callable[[str, float], None]
"""Is told what is measured, and which share of it is done."""


def calibrate(home: Path, *, quick: bool, progress: Progress = lambda _what, _share: None) -> Calibration:
    """Measure this machine, and keep what comes out; ``quick`` leaves Spark's part as it was measured or assumed."""
    home.mkdir(parents=True, exist_ok=True)
    known = read_calibration(home) or ASSUMED
    kernels = kernel_costs(lambda share: progress("kernels", share))
    shards = shard_costs()
    progress("shards", 1.0)
    found = replace(
        known,
        measured=True,
        cores=len(os.sched_getaffinity(0)),
        kernels=kernels,
        roll_up=shards.roll_up,
        intercede=shards.intercede,
        window=shards.window,
        result=shards.result,
    )
    if not quick:
        # Only here, so that a quick measurement needs no JVM.
        from planner_spark.calibrate.jobs import job_costs  # noqa: PLC0415

        costs = job_costs(home, found, lambda share: progress("jobs", share))
        found = replace(found, **asdict(costs))
    write_calibration(home, found)
    return found
