"""The best of several plans: by time where the machine was measured, else by the papers' costs (row I-39)."""

from __future__ import annotations

import math
from collections.abc import Sequence

from costmodel import AUTO
from optimizer.estimate import Estimator
from optimizer.model.plan import Plan

__all__ = ["fastest", "is_measured"]


def is_measured(estimator: Estimator | None) -> bool:
    """Whether plans are to be chosen by what they are estimated to take: not by what was never measured."""
    return estimator is not None and estimator.calibration.measured


def fastest(plans: Sequence[Plan], estimator: Estimator | None) -> Plan:
    """The best plan with its estimate: by time where that was measured, else by the papers' costs.

    Where the technique was left to the optimizer, measurements choose those of the lanes, too.
    """
    if estimator is None:
        return min(plans, key=lambda plan: plan.cost.total)
    if not is_measured(estimator):
        return estimator.of(min(plans, key=lambda plan: plan.cost.total))
    tuned = [
        estimator.tuned(plan) if plan.requested.technique == AUTO.name else estimator.of(plan)
        for plan in plans
    ]
    return min(
        tuned,
        key=lambda plan: (plan.estimate.seconds_per_second if plan.estimate else math.inf, plan.cost.total),
    )
