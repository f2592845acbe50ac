"""The forecast of the cost model, and how far it is off (doc 001 5.3, 5.4)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pyarrow.parquet as pq

from benchmarks.spark.config import Config
from benchmarks.spark.data import STEP, data_files
from benchmarks.spark.plan import SECOND, optimized
from optimizer.estimate import COUNTS, Estimator
from optimizer.model.plan import Plan
from planner_spark.calibrate.file import read_calibration

__all__ = ["deviation", "estimate"]


def estimate(config: Config, home: Path) -> float | None:
    """Tuples per second that the calibrated cost model expects of Weft, by the calibration in that folder.

    None where nothing was measured, or where no optimizer is named whose plan could be estimated.
    """
    calibration = read_calibration(home)
    if calibration is None or config.optimizer is None:
        return None
    rate = SECOND / STEP
    per_batch = pq.read_metadata(data_files(Path(config.data), 0, 1)[0]).num_rows
    estimator = Estimator(
        calibration=calibration,
        cardinalities={"key": int(Path(config.data).name.split("-")[0])},
        shards=config.shards,
        batches=rate / per_batch,
    )
    found = estimator.of(_as_run(optimized(config), config.technique)).estimate
    return None if found is None else rate / found.seconds_per_second


def _as_run(plan: Plan, technique: str | None) -> Plan:
    """The plan with one technique in all of its lanes, tuples counted by it too."""
    if technique is None:
        return plan
    trees = tuple(
        replace(
            tree,
            technique=technique,
            lane_techniques=tuple((lane, technique) for lane in sorted({COUNTS, *tree.lanes})),
        )
        for tree in plan.trees
    )
    return replace(plan, trees=trees, technique=technique)


def deviation(pairs: Sequence[tuple[float, float]]) -> float | None:
    """The mean distance of (estimated, actual) throughputs, each over the largest of its kind, relative to the actual.

    The papers draw both in one plot, normalised at the maximum: what counts is the order of the plans and how far
    they are apart, not the unit.

    >>> deviation([(50.0, 1_000.0), (25.0, 500.0)])
    0.0
    >>> deviation([(50.0, 1_000.0), (30.0, 500.0)])
    0.1
    """
    if not pairs:
        return None
    most = [max(pair[place] for pair in pairs) for place in (0, 1)]
    gaps = [abs(estimated / most[0] - actual / most[1]) / (actual / most[1]) for estimated, actual in pairs]
    return round(sum(gaps) / len(gaps), 12)
