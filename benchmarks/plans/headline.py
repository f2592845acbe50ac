"""The numbers that the papers give in words, beside those measured."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from benchmarks.plans.batches import Batches
from benchmarks.plans.matrix import Matrix
from benchmarks.plans.rates import TABLE_II, RateCurve
from benchmarks.plans.sample import OPTIMIZERS, TECHNIQUES, Setting
from benchmarks.plans.sweeps import FLATFIT, PANES, SLICK, Sweep, mean_trees

__all__ = ["PAPER_FLATFIT", "PAPER_REDUCTION", "PAPER_TREES", "Results", "headline"]

PAPER_TREES = {
    "panes": 16.0,
    "flatfat": 15.7,
    "flatfit": 10.3,
    "slickdeque_inv": 4.8,
    "slickdeque_noninv": 4.8,
}
"""Doc 001 5.2: trees of a plan on average; one number for both kinds of SlickDeque."""
PAPER_FLATFIT = 3
"""Doc 001 Exp. 1: FlatFIT over SlickDeque, "up to"."""
PAPER_REDUCTION = 0.65
"""Doc 000 Fig. 10: what TriWeave saves at best."""


@dataclass(frozen=True, slots=True)
class Results:
    """All that a run measured."""

    sweeps: Sequence[Sweep]
    batches: Sequence[Batches]
    curves: Sequence[RateCurve]
    matrices: Sequence[Matrix]

    @property
    def parameters(self) -> dict[str, Any]:
        """What the workloads were drawn with (row T-31)."""
        return {"seeds": self.sweeps[0].seeds, "midpoint": asdict(Setting()), "table_ii": TABLE_II}

    @property
    def midpoint_trees(self) -> dict[str, float]:
        """Trees of each technique where the experiments meet, by Weave Share."""
        sweep = next(s for s in self.sweeps if s.experiment.parameter == "max_slide")
        place = sweep.values.index(Setting().max_slide)
        return {t: sweep.samples["weaveshare", t][place].mean_trees for t in TECHNIQUES}

    @property
    def overlap_spread(self) -> float:
        """How much the cost of SlickDeque (Non-Inv) varies over all overlaps: the largest over the smallest."""
        sweep = next(s for s in self.sweeps if s.experiment.parameter == "max_overlap")
        return max(max(sweep.costs(o, SLICK)) / min(sweep.costs(o, SLICK)) for o in OPTIMIZERS)


def headline(results: Results) -> dict[str, Any]:
    """The figures for the last line of a run."""
    figures: dict[str, Any] = {}
    for sweep in results.sweeps:
        name = f"exp{sweep.experiment.number}"
        figures[f"{name}_panes_over_slick"] = round(sweep.largest(PANES))
        figures[f"{name}_panes_over_slick_one_draw"] = round(sweep.largest_draw(PANES))
        figures[f"{name}_flatfit_over_slick"] = round(sweep.largest(FLATFIT), 2)
    for each in results.batches:
        spread = [round(each.least), round(each.mean), round(each.most)]
        figures[f"exp{each.experiment.number}_panes_over_slick_batches"] = spread
    figures["exp3_slick_spread"] = round(results.overlap_spread, 4)
    figures["trees_mean"] = {t: round(trees, 2) for t, trees in mean_trees(results.sweeps).items()}
    figures["trees_midpoint"] = {t: round(trees, 2) for t, trees in results.midpoint_trees.items()}
    figures["triweave_over_weaveshare_best"] = round(min(c.best for c in results.curves), 3)
    low = [ratio for curve in results.curves for ratio in curve.low]
    figures["triweave_over_weaveshare_low_rate"] = round(max(low), 3)
    ratios = [ratio for matrix in results.matrices for ratio in matrix.normalised("shared", "triops")]
    figures["shared_triops_over_twoops"] = round(max(ratios), 6)
    gains = [gain for matrix in results.matrices for gain in matrix.gains("weaveshare")]
    figures["weaveshare_triops_over_twoops"] = [round(min(gains), 3), round(max(gains), 3)]
    figures["parameters"] = results.parameters
    return figures
