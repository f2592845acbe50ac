"""What every optimizer comes to with every technique, for one workload."""

from __future__ import annotations

import time
from typing import Any

from app.plans.options import Choice
from app.plans.workload import Workload
from costmodel import AUTO, TECHNIQUES
from optimizer.errors import InvalidInput
from optimizer.model.plan import Plan
from optimizer.registry import OPTIMIZERS

__all__ = ["cost_lines"]

SECONDS = 20.0
"""Time after which no other plan is begun: with ten thousand unrelated windows each takes seconds."""


def cost_lines(workload: Workload) -> list[dict[str, Any]]:
    """A line for each optimizer and technique: the cheapest first, then those that are refused, with the reason."""
    begin = time.perf_counter()
    lines = [
        _line(workload, Choice(optimizer=optimizer, technique=technique, improve=False), begin + SECONDS)
        for technique in (AUTO.name, *(t.name for t in TECHNIQUES))
        for optimizer, _ in OPTIMIZERS
        if optimizer != "auto"
    ]
    return sorted(lines, key=lambda line: (line["total"] is None, line["total"] or 0.0))


def _line(workload: Workload, choice: Choice, until: float) -> dict[str, Any]:
    begin = time.perf_counter()
    plan, refused = None, None
    if begin > until:
        refused = "not computed: with so many queries all ways to plan take too long"
    else:
        try:
            plan = _plan(workload, choice)
        except InvalidInput as error:
            refused = error.errors[0].message
    return {
        "optimizer": choice.optimizer,
        "technique": choice.technique,
        "execution": plan.execution if plan else None,
        "partials": choice.partials,
        "total": plan.cost.total if plan else None,
        "trees": len(plan.trees) if plan else None,
        "seconds": time.perf_counter() - begin,
        "refused": refused,
    }


def _plan(workload: Workload, choice: Choice) -> Plan:
    return dict(OPTIMIZERS)[choice.optimizer](
        workload.queries,
        workload.rate,
        stream=workload.stream,
        technique=choice.technique,
        partials=choice.partials,
    )
