"""Doc 000 Fig. 10: the cost of TriWeave's plans over Weave Share's as the input rate grows (row T-32).

Workloads are those of Table II (row T-31): slides by a Zipf law of 0.6 over the factors of 10,000, overlap factors
uniform in [1, 50], Panes. The rate of the paper's Poisson arrivals enters the cost only by its mean.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from benchmarks.plans.sample import OPTIMIZERS, Sample
from optimizer.generate import planned, table_ii

__all__ = ["QUERIES", "QUICK_RATES", "RATES", "TABLE_II", "RateCurve", "run"]

TABLE_II = {"max_slide": 10_000, "max_overlap": 50, "skew": 0.6}
"""What `table_ii` draws with, to be told with the results."""

QUERIES = (256, 500, 1_000)
RATES = (0.5, 1.0, 5.0, 10.0, 50.0, 100.0, 300.0, 500.0, 1_000.0, 3_000.0, 10_000.0)
QUICK_RATES = (0.5, 1.0, 50.0, 500.0, 1_000.0, 10_000.0)

LOW_RATE = 1.0
"""The rate up to which both optimizers are expected to be as good."""


@dataclass(frozen=True, slots=True)
class RateCurve:
    """Both optimizers along the rates, for one number of ACQs."""

    queries: int
    rates: tuple[float, ...]
    weaveshare: list[Sample]
    triweave: list[Sample]

    @property
    def ratios(self) -> list[float]:
        """TriWeave's mean cost over Weave Share's."""
        return [mine.over(theirs) for mine, theirs in zip(self.triweave, self.weaveshare, strict=True)]

    @property
    def best(self) -> float:
        """The smallest ratio."""
        return min(self.ratios)

    @property
    def best_rate(self) -> float:
        """The rate of the smallest ratio."""
        return min(zip(self.ratios, self.rates, strict=True))[1]

    @property
    def low(self) -> list[float]:
        """The ratios at low rates."""
        return [ratio for rate, ratio in zip(self.rates, self.ratios, strict=True) if rate <= LOW_RATE]


def run(queries: int, rates: Sequence[float], seeds: int) -> RateCurve:
    """Plan ``seeds`` draws at each rate by both optimizers."""
    workloads = [planned(table_ii(queries=queries, seed=seed)) for seed in range(seeds)]
    samples = {
        name: [Sample.of(make(w, rate, technique="panes") for w in workloads) for rate in rates]
        for name, make in OPTIMIZERS.items()
    }
    return RateCurve(queries, tuple(rates), samples["weaveshare"], samples["triweave"])
