"""How the time of a micro-batch grows from one query to 100, where keys are few and answers cheap."""

from __future__ import annotations

from benchmarks.spark.rounds import Comparison
from benchmarks.spark.runs import Contender, Run
from benchmarks.spark.workload import windows

__all__ = ["FEW", "KEYS", "MANY", "run"]

KEYS = 10
FEW, MANY = "weft, 1 query", "weft, 100 queries"


def run(run: Run) -> list[Comparison]:
    """Both in turn."""
    size, rounds = run.scale.growth
    contenders = [
        Contender(name=name, side="weft", windows=windows(queries), size=size, rounds=rounds)
        for name, queries in ((FEW, 1), (MANY, 100))
    ]
    return [run.compare(f"1 and 100 queries, {KEYS} keys", KEYS, contenders)]
