"""The next plan of a stream: from the last one where it was made by searching, else made anew."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from costmodel import TRI_OPS
from optimizer.auto import auto
from optimizer.edges.classes import PartialsRule
from optimizer.errors import Unsupported
from optimizer.estimate import Estimator
from optimizer.fastest import fastest, is_measured
from optimizer.live import LivePlan
from optimizer.model.plan import Plan, PlannedQuery, Requested
from optimizer.registry import OPTIMIZERS, find_optimizer
from optimizer.shared import shared

__all__ = ["reoptimize"]

EXECUTIONS = {"weaveshare": ("twoops",), "triweave": ("triops",), "auto": ("twoops", "triops")}


def reoptimize(
    queries: Sequence[PlannedQuery],
    rate: float,
    *,
    optimizer: str,
    technique: str,
    improve: bool,
    partials: PartialsRule = "pairs",
    stream: str | None = None,
    epoch: int = 1,
    last: Plan | None = None,
    estimator: Estimator | None = None,
) -> Plan:
    """The plan of these queries; with ``improve``, small changes to the last one that was made in the same way.

    Without it the plan is that of the paper's greedy, which depends on the workload alone.
    """
    asked = Requested(optimizer=optimizer, technique=technique, improve=improve)
    optimize = find_optimizer(optimizer)
    if optimize is None:
        names = ", ".join(name for name, _ in OPTIMIZERS)
        raise Unsupported.at("optimizer", f"{optimizer!r} does not run yet: use one of {names}")
    follows = last is not None and last.trees and last.requested == asked and last.partials == partials
    if not (follows and improve and queries and optimizer in EXECUTIONS):
        if optimizer == "auto":
            return auto(
                queries,
                rate,
                stream=stream,
                technique=technique,
                partials=partials,
                improve=improve,
                epoch=epoch,
                estimator=estimator,
            )
        plan = optimize(
            queries,
            rate,
            stream=stream,
            technique=technique,
            partials=partials,
            improve=improve,
            epoch=epoch,
        )
        return fastest([plan], estimator)
    plans = [
        LivePlan(
            queries,
            rate,
            stream=stream,
            technique=technique,
            partials=partials,
            execution=execution,
            last=last,
        ).plan(epoch=epoch)
        for execution in EXECUTIONS[optimizer]
    ]
    if optimizer == "auto" and is_measured(estimator):
        everything = shared(
            queries,
            rate,
            stream=stream,
            technique=technique,
            partials=partials,
            execution=TRI_OPS.name,
            epoch=epoch,
        )
        plans.append(everything)
    return fastest([replace(plan, requested=asked) for plan in plans], estimator)
