"""No sharing: every query in a tree of its own, the plan that all others are measured against."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from optimizer.edges.classes import PartialsRule
from optimizer.model.plan import Plan, PlannedQuery
from optimizer.observer import Observer
from optimizer.task import Task

__all__ = ["no_share"]


def no_share(
    queries: Sequence[PlannedQuery],
    rate: float,
    *,
    stream: str | None = None,
    technique: str = "panes",
    partials: PartialsRule = "pairs",
    execution: str = "twoops",
    improve: bool = False,
    epoch: int = 1,
    observer: Observer | None = None,
) -> Plan:
    """One tree per query, also for queries with the same window; there is nothing to improve about it.

    >>> from optimizer.model.window import Window
    >>> window = Window(range=6_000_000, slide=2_000_000)
    >>> plan = no_share([PlannedQuery(id=i, stream="s", window=window) for i in "ab"], rate=1.0)
    >>> len(plan.trees), plan.cost.total
    (2, 5.0)
    """
    task = Task.of(queries, rate, stream=stream, technique=technique, partials=partials, execution=execution)
    workload = task.workload
    items = workload.items
    rows = workload.item_of
    alone = replace(items, ranges=items.ranges[rows], slides=items.slides[rows], needs=items.needs[rows],
                    scope=items.scope[rows], copies=np.ones_like(rows))  # fmt: skip
    each = replace(task, workload=replace(workload, items=alone, item_of=np.arange(len(rows))))
    return each.calculator.plan(each.apart(), optimizer="no_share", epoch=epoch)
