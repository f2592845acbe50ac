"""Doc 001 5.2, Experiments 1 to 5: the cost of plans as one parameter of the workload changes (Fig. 17 to 21).

Each experiment leaves the other parameters at the midpoint and plans every draw with every technique, once by Weave
Share and once by TriWeave.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from benchmarks.plans.sample import OPTIMIZERS, TECHNIQUES, Sample, Setting

__all__ = ["EXPERIMENTS", "Experiment", "Sweep", "mean_trees", "run"]

PANES, FLATFIT, SLICK = "panes", "flatfit", "slickdeque_noninv"


@dataclass(frozen=True, slots=True, kw_only=True)
class Experiment:
    """One parameter, the values that it takes, and what the paper says of the largest gains."""

    number: int
    row: str
    figure: int
    parameter: str
    label: str
    file: str
    values: tuple[float, ...]
    quick: tuple[float, ...]
    paper: int
    """Panes over SlickDeque, "up to"."""
    logarithmic: bool = True

    def settings(self, values: Iterable[float]) -> list[Setting]:
        """A setting for each of these values of the parameter."""
        return [replace(Setting(), **{self.parameter: value}) for value in values]


EXPERIMENTS = (
    Experiment(
        number=1,
        row="I-31",
        figure=17,
        parameter="queries",
        label="number of ACQs",
        file="number-of-acqs",
        values=(1, 10, 100, 1_000, 10_000),
        quick=(10, 1_000),
        paper=5_000,
    ),
    Experiment(
        number=2,
        row="I-32",
        figure=18,
        parameter="max_slide",
        label="maximum slide",
        file="maximum-slide",
        values=(10, 100, 1_000, 10_000, 100_000),
        quick=(10, 1_000, 100_000),
        paper=4_300,
    ),
    Experiment(
        number=3,
        row="I-33",
        figure=19,
        parameter="max_overlap",
        label="maximum overlap factor",
        file="overlap",
        values=(100, 1_000, 10_000, 100_000, 1_000_000),
        quick=(100, 10_000, 1_000_000),
        paper=270_000,
    ),
    Experiment(
        number=4,
        row="I-34",
        figure=20,
        parameter="rate",
        label="input rate (tuples per time unit)",
        file="input-rate",
        values=(0.01, 0.1, 1.0, 10.0, 100.0),
        quick=(0.01, 1.0, 100.0),
        paper=3_000,
    ),
    Experiment(
        number=5,
        row="I-35",
        figure=21,
        parameter="skew",
        label="slide skew (below 0 small slides, above 0 large ones)",
        file="slide-skew",
        values=(-1.0, -0.5, 0.0, 0.5, 1.0),
        quick=(-1.0, 0.0, 1.0),
        paper=4_200,
        logarithmic=False,
    ),
)


@dataclass(frozen=True, slots=True)
class Sweep:
    """The results of an experiment: for each optimizer and technique a sample per value of the parameter."""

    experiment: Experiment
    values: tuple[float, ...]
    samples: dict[tuple[str, str], list[Sample]]

    @property
    def seeds(self) -> int:
        """How many draws each sample has."""
        return len(self.samples[next(iter(OPTIMIZERS)), PANES][0].costs)

    def costs(self, optimizer: str, technique: str) -> list[float]:
        """The mean costs along the parameter."""
        return [sample.cost for sample in self.samples[optimizer, technique]]

    def trees(self, optimizer: str, technique: str) -> list[float]:
        """The mean numbers of trees along the parameter."""
        return [sample.mean_trees for sample in self.samples[optimizer, technique]]

    def ratios(self, optimizer: str, technique: str, other: str = SLICK) -> list[float]:
        """Mean costs of a technique over those of another one."""
        pairs = zip(self.samples[optimizer, technique], self.samples[optimizer, other], strict=True)
        return [mine.over(theirs) for mine, theirs in pairs]

    def largest(self, technique: str) -> float:
        """The largest ratio of mean costs to SlickDeque (Non-Inv), whatever the optimizer."""
        return max(max(self.ratios(optimizer, technique)) for optimizer in OPTIMIZERS)

    def largest_draw(self, technique: str) -> float:
        """The largest such ratio in a single draw."""
        return max(
            mine.most_over(theirs)
            for optimizer in OPTIMIZERS
            for mine, theirs in zip(
                self.samples[optimizer, technique], self.samples[optimizer, SLICK], strict=True
            )
        )


def run(experiment: Experiment, values: Sequence[float], seeds: int) -> Sweep:
    """Plan ``seeds`` draws at each value."""
    samples: dict[tuple[str, str], list[Sample]] = {(o, t): [] for o in OPTIMIZERS for t in TECHNIQUES}
    for setting in experiment.settings(values):
        workloads = [setting.workload(seed) for seed in range(seeds)]
        for (optimizer, technique), found in samples.items():
            make = OPTIMIZERS[optimizer]
            found.append(Sample.of(make(w, setting.rate, technique=technique) for w in workloads))
    return Sweep(experiment, tuple(values), samples)


def mean_trees(sweeps: Iterable[Sweep]) -> dict[str, float]:
    """The mean number of trees of each technique over all settings and both optimizers (row I-36)."""
    done = list(sweeps)
    return {
        technique: statistics.fmean(
            trees for sweep in done for optimizer in OPTIMIZERS for trees in sweep.trees(optimizer, technique)
        )
        for technique in TECHNIQUES
    }
