"""Doc 000 Fig. 11 to 13: the plan of each optimizer under each execution model (row T-33).

A plan is made for the model of its optimizer (Shared and Weave Share for TwoOps, TriWeave for TriOps) and then costed
under both, Eq. 3 and Eq. 4, with the same trees. All costs are over that of the Shared plan under TwoOps.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from benchmarks.plans.sample import OPTIMIZERS, Optimizer, Sample
from costmodel import EXECUTION_MODELS, ExecutionModel, WeavedTree
from optimizer.generate import planned, table_ii
from optimizer.model.plan import Plan
from optimizer.shared import shared

__all__ = ["MODELS", "PLANS", "QUERIES", "QUICK_QUERIES", "RATES", "Matrix", "cost_under", "run"]

RATES = (50.0, 300.0, 10_000.0)
QUERIES = (50, 100, 200, 300, 500, 750, 1_000)
QUICK_QUERIES = (50, 300, 1_000)

PLANS: dict[str, Optimizer] = {"shared": shared, **OPTIMIZERS}
MODELS = tuple(model.name for model in EXECUTION_MODELS)
BASE = ("shared", "twoops")


@dataclass(frozen=True, slots=True)
class Matrix:
    """For each plan and model a sample per number of ACQs, at one rate."""

    rate: float
    queries: tuple[int, ...]
    samples: dict[tuple[str, str], list[Sample]]

    def normalised(self, plan: str, model: str) -> list[float]:
        """Mean costs over those of the Shared plan under TwoOps."""
        pairs = zip(self.samples[plan, model], self.samples[BASE], strict=True)
        return [mine.over(base) for mine, base in pairs]

    def groups(self, plan: str) -> list[float]:
        """Mean numbers of trees; they are the same under both models."""
        return [sample.mean_trees for sample in self.samples[plan, BASE[1]]]

    def gains(self, plan: str) -> list[float]:
        """TriOps over TwoOps for the same plan, in every draw where it has two trees or more."""
        return [
            triops / twoops
            for two, tri in zip(self.samples[plan, "twoops"], self.samples[plan, "triops"], strict=True)
            for twoops, triops, trees in zip(two.costs, tri.costs, two.trees, strict=True)
            if trees >= 2
        ]


def cost_under(plan: Plan, model: ExecutionModel) -> float:
    """The cost of a plan's trees when they are run by this model."""
    trees = [WeavedTree(edge_rate=tree.edge_rate, omega=tree.omega) for tree in plan.trees]
    return model.cost(rate=plan.rate, edge_rate=plan.edge_rate, trees=trees).total


def run(rate: float, queries: Sequence[int], seeds: int) -> Matrix:
    """Plan ``seeds`` draws of each number of ACQs."""
    samples: dict[tuple[str, str], list[Sample]] = {
        (name, model): [Sample() for _ in queries] for name in PLANS for model in MODELS
    }
    for place, count in enumerate(queries):
        for seed in range(seeds):
            workload = planned(table_ii(queries=count, seed=seed))
            for name, make in PLANS.items():
                plan = make(workload, rate, technique="panes")
                for model in EXECUTION_MODELS:
                    samples[name, model.name][place].add(cost_under(plan, model), len(plan.trees))
    return Matrix(rate, tuple(queries), samples)
