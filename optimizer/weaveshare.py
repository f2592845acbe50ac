"""Weave Share: selective sharing in several trees that each read the stream (doc 000 II-C, rows T-07, I-22)."""

from __future__ import annotations

from collections.abc import Sequence

from optimizer.edges.classes import PartialsRule
from optimizer.greedy import greedy
from optimizer.improve import improve as improved
from optimizer.model.plan import Plan, PlannedQuery
from optimizer.observer import Observer
from optimizer.problem import Partition
from optimizer.task import Task

__all__ = ["weave", "weaveshare"]


def weaveshare(
    queries: Sequence[PlannedQuery],
    rate: float,
    *,
    stream: str | None = None,
    technique: str = "panes",
    partials: PartialsRule = "pairs",
    improve: bool = False,
    epoch: int = 1,
    observer: Observer | None = None,
) -> Plan:
    """Greedy merging under Eq. 3.

    >>> from optimizer.model.window import Unit, Window
    >>> windows = {"a": (6, 2), "b": (8, 4), "c": (700, 7)}
    >>> queries = [
    ...     PlannedQuery(id=i, stream="s", window=Window(range=r, slide=s, unit=Unit.ABSTRACT))
    ...     for i, (r, s) in windows.items()
    ... ]
    >>> [tree.queries for tree in weaveshare(queries, rate=1.0).trees]
    [('a', 'b'), ('c',)]
    """
    task = Task.of(queries, rate, stream=stream, technique=technique, partials=partials, execution="twoops")
    trees = weave(task, improve=improve, observer=observer)
    return task.calculator.plan(trees, optimizer="weaveshare", improve=improve, epoch=epoch)


def weave(task: Task, *, improve: bool, observer: Observer | None = None) -> Partition:
    """Greedy merging under the task's execution model, never dearer than all items together or all apart."""
    problem = task.problem()
    partition = greedy(problem, observer)
    if improve:
        partition = improved(problem, partition, observer)
    return task.cheapest(problem, partition)
