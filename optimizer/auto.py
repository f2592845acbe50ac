"""Auto: the cheapest of both execution models, with the best technique for each tree (row I-39)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from costmodel import TRI_OPS
from optimizer.edges.classes import PartialsRule
from optimizer.estimate import Estimator
from optimizer.fastest import fastest, is_measured
from optimizer.model.plan import Plan, PlannedQuery, Requested
from optimizer.observer import Observer
from optimizer.shared import shared
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
    estimator: Estimator | None = None,
) -> Plan:
    """Weave Share or TriWeave, improved, whichever is cheaper; the plan says which. The observer hears of both.

    With an estimator that goes by measurements, whichever takes least time, or one tree for all under TriOps.
    """
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
    if is_measured(estimator):
        plans.append(
            shared(
                queries,
                rate,
                stream=stream,
                technique=technique,
                partials=partials,
                execution=TRI_OPS.name,
                epoch=epoch,
            )
        )
    asked = Requested(optimizer="auto", technique=technique, improve=improve)
    return fastest([replace(plan, requested=asked) for plan in plans], estimator)
