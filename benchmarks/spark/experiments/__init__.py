"""The experiments, one file each, in the order in which they are run: what matters most comes first.

| module | what it asks |
|---|---|
| ``hundred`` | 100 queries, 1,000 keys: Weft beside every peer |
| ``growth`` | how much longer a micro-batch takes with 100 queries than with one |
| ``hour`` | a range of one hour that slides by a second, beside a tumbling query |
| ``techniques`` | techniques and optimizers: the forecast beside the measured throughput |
| ``scaling`` | 1 to 1,000 queries, 10 to 100,000 keys |

Each has ``run(run) -> list[Comparison]``.
"""

from __future__ import annotations

from collections.abc import Callable

from benchmarks.spark.experiments import growth, hour, hundred, scaling, techniques
from benchmarks.spark.rounds import Comparison
from benchmarks.spark.runs import Run

__all__ = ["EXPERIMENTS"]

EXPERIMENTS: dict[str, Callable[[Run], list[Comparison]]] = {
    "hundred": hundred.run,
    "growth": growth.run,
    "hour": hour.run,
    "techniques": techniques.run,
    "scaling": scaling.run,
}
