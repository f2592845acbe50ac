"""Shared Time Slices: all queries in one tree over the union of their edges (doc 000 II-C, row T-05)."""

from __future__ import annotations

from collections.abc import Sequence

from optimizer.edges.classes import PartialsRule
from optimizer.model.plan import Plan, PlannedQuery
from optimizer.observer import Observer
from optimizer.task import Task

__all__ = ["shared"]


def shared(
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
    """One tree with all queries; none when there are none. ``rate`` is in tuples per second.

    >>> from optimizer.model.window import Window
    >>> a = PlannedQuery(id="a", stream="s", window=Window(range=6_000_000, slide=2_000_000))
    >>> b = PlannedQuery(id="b", stream="s", window=Window(range=8_000_000, slide=4_000_000))
    >>> plan = shared([a, b], rate=1.0)
    >>> plan.trees[0].queries, plan.cost.total, plan.baselines.no_share
    (('a', 'b'), 3.5, 4.0)
    """
    task = Task.of(queries, rate, stream=stream, technique=technique, partials=partials, execution=execution)
    return task.calculator.plan(task.everything(), optimizer="shared", epoch=epoch)
