"""A range of 3,600 slides of a second: a tuple is in 3,600 windows, and Spark's own query copies it as often."""

from __future__ import annotations

from benchmarks.spark.rounds import Comparison
from benchmarks.spark.runs import Contender, Run
from benchmarks.spark.workload import HOUR_BY_SECOND, Window

__all__ = ["KEYS", "run"]

KEYS = 1_000


def run(run: Run) -> list[Comparison]:
    """Weft beside a tumbling query of one second on the same data, and Spark's own sliding window on a fraction."""
    size, rounds = run.scale.hour
    sliding = (HOUR_BY_SECOND,)
    contenders = [
        Contender(name="weft", side="weft", windows=sliding, size=size, rounds=rounds),
        Contender(name="tumbling", side="tumbling", windows=(Window(1, 1),), size=size, rounds=rounds),
    ]
    fraction = run.scale.hour_by_spark
    if fraction is not None:
        contenders.append(
            Contender(name="spark_windows", side="spark_windows", windows=sliding, size=fraction)
        )
    return [run.compare(f"an hour by the second, {KEYS:,} keys", KEYS, contenders)]
