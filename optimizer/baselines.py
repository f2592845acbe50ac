"""What other optimizers come to for the same queries, beside a plan."""

from __future__ import annotations

from dataclasses import replace

from costmodel import TRI_OPS
from optimizer.explain import task_of
from optimizer.greedy import greedy
from optimizer.model.plan import Plan
from optimizer.task import Task, find_execution

__all__ = ["with_baselines"]

MAX_ITEMS = 2_000
"""Distinct windows up to which greedy plans are made only to be compared with."""


def with_baselines(plan: Plan) -> Plan:
    """The plan with the totals of Weave Share (Eq. 3) and TriWeave (Eq. 4), unless there are too many queries.

    >>> from optimizer.model.plan import PlannedQuery
    >>> from optimizer.model.window import Unit, Window
    >>> from optimizer.shared import shared
    >>> windows = [Window(range=r, slide=s, unit=Unit.ABSTRACT) for r, s in ((6, 2), (8, 4))]
    >>> queries = [PlannedQuery(id=str(w), stream="s", window=w) for w in windows]
    >>> with_baselines(shared(queries, 1.0)).baselines
    Baselines(no_share=4.0, shared=3.5, weaveshare=3.5, triweave=4.0)
    """
    task = task_of(plan)
    if len(task.workload.items) > MAX_ITEMS:
        return plan
    totals = {name: _greedy_total(task, name) for name in ("twoops", "triops")}
    found = replace(plan.baselines, weaveshare=totals["twoops"], triweave=totals["triops"])
    return replace(plan, baselines=found)


def _greedy_total(task: Task, execution: str) -> float | None:
    under = replace(task, execution=find_execution(execution))
    problem = under.problem()
    if problem.space is None and len(problem.atoms):
        return None
    once = task.workload.units.rate if under.execution is TRI_OPS and len(problem.atoms) else 0.0
    return problem.total(greedy(problem)) + once
