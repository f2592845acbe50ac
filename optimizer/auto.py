"""Auto: the cheapest of both execution models, with the best technique for each tree (row I-39)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from optimizer.edges.classes import PartialsRule
from optimizer.model.plan import Plan, PlannedQuery, Requested
from optimizer.observer import Observer
from optimizer.triweave import triweave
from optimizer.weaveshare import weaveshare

__all__ = ["auto"]


def auto(
    queries: Sequence[PlannedQuery],
    rate: float,
    *,
    stream: str | None = None,
    technique: str = "auto",
    partials: PartialsRule = "pairs",
    improve: bool = True,
    epoch: int = 1,
    observer: Observer | None = None,
) -> Plan:
    """Weave Share or TriWeave, improved, whichever is cheaper; the plan says which. The observer hears of both."""
    plans = [
        optimize(
            queries,
            rate,
            stream=stream,
            technique=technique,
            partials=partials,
            improve=improve,
            epoch=epoch,
            observer=observer,
        )
        for optimize in (weaveshare, triweave)
    ]
    best = min(plans, key=lambda plan: plan.cost.total)
    return replace(best, requested=Requested(optimizer="auto", technique=technique, improve=improve))
