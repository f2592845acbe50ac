"""No sharing: every query in a tree of its own, the plan that all others are measured against."""

from __future__ import annotations

from collections.abc import Sequence

from optimizer.assemble import Calculator, assemble
from optimizer.edges.classes import PartialsRule
from optimizer.model.plan import Plan, PlannedQuery

__all__ = ["no_share"]


def no_share(
    queries: Sequence[PlannedQuery],
    rate: float,
    *,
    stream: str | None = None,
    technique: str = "panes",
    partials: PartialsRule = "pairs",
    execution: str = "twoops",
    epoch: int = 1,
) -> Plan:
    """One tree per query.

    >>> from optimizer.model.window import Window
    >>> window = Window(range=6_000_000, slide=2_000_000)
    >>> plan = no_share([PlannedQuery(id=i, stream="s", window=window) for i in "ab"], rate=1.0)
    >>> len(plan.trees), plan.cost.total
    (2, 5.0)
    """
    calculator = Calculator(
        queries, rate=rate, stream=stream, technique=technique, partials=partials, execution=execution
    )
    return assemble([[q] for q in queries], calculator, optimizer="no_share", epoch=epoch)
