"""TriWeave: selective sharing over one sub-aggregation for all (doc 000 III-D, Alg. 1, rows T-15, I-23)."""

from __future__ import annotations

from collections.abc import Sequence

from optimizer.edges.classes import PartialsRule
from optimizer.model.plan import Plan, PlannedQuery
from optimizer.observer import Observer
from optimizer.task import Task
from optimizer.weaveshare import weave

__all__ = ["triweave"]


def triweave(
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
    """Greedy merging under Eq. 4; the rate makes no difference to the trees of windows by time (X-17).

    >>> from optimizer.model.window import Unit, Window
    >>> table = {"a": (8, 5), "b": (5, 4), "c": (10, 1)}
    >>> queries = [
    ...     PlannedQuery(id=i, stream="s", window=Window(range=r, slide=s, unit=Unit.ABSTRACT))
    ...     for i, (r, s) in table.items()
    ... ]
    >>> [tree.queries for tree in triweave(queries, rate=7.0, partials="cutty").trees]
    [('a', 'b'), ('c',)]
    """
    task = Task.of(queries, rate, stream=stream, technique=technique, partials=partials, execution="triops")
    trees = weave(task, improve=improve, observer=observer)
    return task.calculator.plan(trees, optimizer="triweave", improve=improve, epoch=epoch)
