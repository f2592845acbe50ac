"""Plans of one setting, drawn several times: their costs and their numbers of trees."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from optimizer.generate import draw, planned
from optimizer.model.plan import Plan, PlannedQuery
from optimizer.triweave import triweave
from optimizer.weaveshare import weaveshare

__all__ = ["OPTIMIZERS", "TECHNIQUES", "Optimizer", "Sample", "Setting"]


class Optimizer(Protocol):
    """What makes a plan of queries at a rate."""

    def __call__(self, queries: Sequence[PlannedQuery], rate: float, *, technique: str = ...) -> Plan:
        """The plan."""


OPTIMIZERS: dict[str, Optimizer] = {"weaveshare": weaveshare, "triweave": triweave}
TECHNIQUES = ("panes", "flatfat", "flatfit", "slickdeque_inv", "slickdeque_noninv")


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """The parameters of doc 001 5.1; by default the point where its five experiments meet (Table 4)."""

    queries: int = 100
    max_slide: int = 1_000
    max_overlap: int = 10_000
    rate: float = 1.0
    skew: float = 0.0

    def workload(self, seed: int) -> list[PlannedQuery]:
        """The queries of one draw: the same ones for the same seed (row I-30)."""
        return planned(
            draw(
                queries=self.queries,
                max_slide=self.max_slide,
                max_overlap=self.max_overlap,
                skew=self.skew,
                seed=seed,
            )
        )


@dataclass(slots=True)
class Sample:
    """What several draws gave."""

    costs: list[float] = field(default_factory=list)
    trees: list[int] = field(default_factory=list)

    @classmethod
    def of(cls, plans: Iterable[Plan]) -> Sample:
        """The sample of these plans."""
        sample = cls()
        for plan in plans:
            sample.add(plan.cost.total, len(plan.trees))
        return sample

    def add(self, cost: float, trees: int) -> None:
        """One draw more."""
        self.costs.append(cost)
        self.trees.append(trees)

    @property
    def cost(self) -> float:
        """The mean cost."""
        return statistics.fmean(self.costs)

    @property
    def mean_trees(self) -> float:
        """The mean number of trees."""
        return statistics.fmean(self.trees)

    def over(self, other: Sample) -> float:
        """This mean cost over the other one."""
        return self.cost / other.cost

    def most_over(self, other: Sample) -> float:
        """The largest cost of a draw over the other's of the same draw."""
        return max(mine / theirs for mine, theirs in zip(self.costs, other.costs, strict=True))
