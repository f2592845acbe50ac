"""How much a result depends on the seeds: the largest gain of an experiment, measured again with other ones.

The papers average ten runs. What another ten would have given tells whether a difference from a paper is chance.
"""

from __future__ import annotations

import statistics
from dataclasses import dataclass

from benchmarks.plans.sample import OPTIMIZERS, Sample
from benchmarks.plans.sweeps import PANES, SLICK, Experiment, Sweep

__all__ = ["BATCHES", "DRAWN", "QUICK_BATCHES", "Batches", "run"]

BATCHES, QUICK_BATCHES = 20, 2
DRAWN = 500_000
"""Queries that the batches of one experiment may draw together; only Experiment 1 has fewer batches for it."""
OPTIMIZER = "weaveshare"


@dataclass(frozen=True, slots=True)
class Batches:
    """Panes over SlickDeque (Non-Inv) by Weave Share, by means of as many draws in each batch, no seed twice."""

    experiment: Experiment
    value: float
    ratios: tuple[float, ...]

    @property
    def mean(self) -> float:
        """The mean of all batches."""
        return statistics.fmean(self.ratios)

    @property
    def least(self) -> float:
        """The batch with the smallest gain."""
        return min(self.ratios)

    @property
    def most(self) -> float:
        """The batch with the largest gain."""
        return max(self.ratios)


def run(sweep: Sweep, batches: int) -> Batches:
    """Repeat the sweep's setting of the largest gain; the first batch has the sweep's own seeds."""
    ratios = sweep.ratios(OPTIMIZER, PANES)
    value = sweep.values[ratios.index(max(ratios))]
    (setting,) = sweep.experiment.settings([value])
    seeds, make = sweep.seeds, OPTIMIZERS[OPTIMIZER]
    found = []
    for batch in range(min(batches, max(DRAWN // (seeds * setting.queries), 1))):
        workloads = [setting.workload(batch * seeds + seed) for seed in range(seeds)]
        panes, slick = (
            Sample.of(make(workload, setting.rate, technique=technique) for workload in workloads)
            for technique in (PANES, SLICK)
        )
        found.append(panes.over(slick))
    return Batches(sweep.experiment, value, tuple(found))
