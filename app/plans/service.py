"""The rules of planning: a plan is made when somebody asks, and kept until the workload changes."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from dataclasses import dataclass
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.persistence.database import Database
from app.persistence.models import Job, Query, Stream
from app.plans.options import IN_FORCE, Choice, choose
from app.plans.planning import make_plan, per_second, planned
from app.plans.repository import PlanRepository, restore
from app.plans.schemas import MAX_CO_MEMBERS, OptimizeIn
from app.queries.repository import QueryRepository
from app.streams.repository import StreamRepository
from costmodel import TECHNIQUES
from optimizer.draw import DRAWINGS
from optimizer.explain import explain_query, explain_text
from optimizer.model.plan import Plan, PlannedQuery
from optimizer.registry import OPTIMIZERS

__all__ = ["PlanCache", "PlanService", "Workload"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Workload:
    """What a plan is made for; ``key`` is another one as soon as anything in it changes."""

    stream: str
    rate: float
    epoch: int
    queries: tuple[PlannedQuery, ...]
    key: tuple[str, str, int, int]

    def plan(self, choice: Choice = IN_FORCE, rate: float | None = None) -> Plan:
        """The plan, made anew."""
        return make_plan(
            self.queries,
            rate=self.rate if rate is None else rate,
            stream=self.stream,
            epoch=self.epoch,
            choice=choice,
        )


class PlanCache:
    """The last workloads and their plans: with 10,000 queries reading them takes longer than planning."""

    def __init__(self, size: int = 32) -> None:
        self._size = size
        self._entries: OrderedDict[tuple[str, str, int, int], tuple[Workload, Plan]] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: tuple[str, str, int, int]) -> tuple[Workload, Plan] | None:
        """The workload of that key and its plan."""
        with self._lock:
            return self._entries.get(key)

    def put(self, workload: Workload, plan: Plan) -> None:
        """Keep a plan, and forget the oldest one."""
        with self._lock:
            self._entries[workload.key] = workload, plan
            while len(self._entries) > self._size:
                self._entries.popitem(last=False)


class PlanService:
    """Makes, keeps, compares and explains plans."""

    def __init__(self, database: Database, cache: PlanCache) -> None:
        self._database = database
        self._cache = cache

    def current(self, stream: str) -> Plan:
        """The plan in force for the queries of now; it can be asked for by its id ever after."""
        workload, plan = self._workload(stream)
        if workload.queries:
            self._keep(plan)
        return plan

    def optimize(self, stream: str, options: OptimizeIn) -> dict[str, Any]:
        """Plan as asked for, compare with the plan last in force, and unless it is a dry run replace that."""
        choice = choose(options)
        workload, _ = self._workload(stream)
        plan = workload.plan(choice, options.rate)
        before = self._database.read(lambda s: PlanRepository(s).latest(stream))
        previous = before.plan["document"] if before else None
        if not options.dry_run and workload.queries:
            self._keep(plan)
        document = plan.document()
        changed = previous is None or _shape(previous) != _shape(document)
        return {
            "plan": document,
            "changed": changed,
            "reason": _reason(previous, document, changed=changed),
            "diff": _difference(previous, document),
        }

    def costs(self, stream: str) -> dict[str, Any]:
        """What every optimizer comes to with every technique."""
        workload, current = self._workload(stream)
        lines: list[dict[str, Any]] = []
        for optimizer, _ in OPTIMIZERS:
            for technique in TECHNIQUES:
                begin = time.perf_counter()
                plan = workload.plan(Choice(optimizer=optimizer, technique=technique.name))
                lines.append(
                    {
                        "optimizer": optimizer,
                        "technique": technique.name,
                        "execution": plan.execution,
                        "partials": plan.partials,
                        "total": plan.cost.total,
                        "trees": len(plan.trees),
                        "seconds": time.perf_counter() - begin,
                    }
                )
        lines.sort(key=lambda line: line["total"])
        return {"time_unit": current.time_unit, "rate": current.rate, "items": lines}

    def stored(self, plan_id: str) -> dict[str, Any]:
        """A plan that is or was in force."""
        row = self._database.read(lambda s: PlanRepository(s).get(plan_id))
        document: dict[str, Any] = row.plan["document"]
        return document

    def drawing(self, plan_id: str, form: str) -> str:
        """A plan that is or was in force, drawn."""
        return DRAWINGS[form](restore(self._database.read(lambda s: PlanRepository(s).get(plan_id))))

    def explain(self, query_id: str) -> dict[str, Any]:
        """Where a query is in the plan, and why."""
        query = self._database.read(lambda s: QueryRepository(s).get(query_id))
        found = explain_query(self.current(query.stream), query_id)
        twins = select(Query.id).where(Query.canonical_number == query.canonical_number, Query.id != query_id)
        identical = self._database.read(
            lambda s: list(s.scalars(twins.order_by(Query.id).limit(MAX_CO_MEMBERS)))
        )
        members = found["co_members"]
        return found | {
            "stream": query.stream,
            "co_members": members[:MAX_CO_MEMBERS],
            "co_member_count": len(members),
            "same_window": found["same_window"][:MAX_CO_MEMBERS],
            "identical": identical,
        }

    def explain_text(self, query_id: str) -> str:
        """The same in words."""
        query = self._database.read(lambda s: QueryRepository(s).get(query_id))
        return explain_text(self.current(query.stream), query_id)

    def marginal_cost(self, stream: str, spec: dict[str, Any]) -> float:
        """Operations per second that a query which is not registered would add."""
        workload, plan = self._workload(stream)
        newcomer = planned("", spec)
        joined = make_plan([*workload.queries, newcomer], rate=workload.rate, stream=stream)
        return per_second(joined) - per_second(plan)

    def _workload(self, name: str) -> tuple[Workload, Plan]:
        def work(session: Session) -> tuple[Workload, Plan]:
            stream = StreamRepository(session).get(name)
            job = session.get(Job, name)
            key = (name, stream.incarnation, stream.version, job.epoch if job else 0)
            cached = self._cache.get(key)
            if cached is not None:
                return cached
            workload = _read(session, stream, key)
            return workload, workload.plan()

        workload, plan = self._database.read(work)
        self._cache.put(workload, plan)
        return workload, plan

    def _keep(self, plan: Plan) -> None:
        latest = self._database.read(lambda s: PlanRepository(s).latest(plan.stream))
        if latest is None or latest.id != plan.id:
            self._database.write(lambda s: PlanRepository(s).put(plan))


def _read(session: Session, stream: Stream, key: tuple[str, str, int, int]) -> Workload:
    rows = session.execute(select(Query.id, Query.spec).where(Query.stream == stream.name).order_by(Query.id))
    return Workload(
        stream=stream.name,
        rate=stream.definition["rate"],
        epoch=max(key[-1], 1),
        queries=tuple(planned(query_id, spec) for query_id, spec in rows),
        key=key,
    )


def _shape(plan: dict[str, Any]) -> tuple[object, ...]:
    """What makes a plan another plan, costs left aside."""
    trees = frozenset(frozenset(tree["queries"]) for tree in plan["trees"])
    return plan["optimizer"], plan["technique"], plan["partials"], plan["execution"], trees


def _reason(before: dict[str, Any] | None, after: dict[str, Any], *, changed: bool) -> str:
    if not after["trees"]:
        return "the stream has no queries"
    if before is None:
        return "it is the first plan of the stream"
    if changed:
        return "the queries or the way to plan are other ones"
    return "the same queries share the same tree, whose edges do not depend on the rate"


def _difference(before: dict[str, Any] | None, after: dict[str, Any]) -> dict[str, Any]:
    old, new = _companies(before) if before else {}, _companies(after)
    common = old.keys() & new.keys()
    return {
        "added": sorted(new.keys() - old.keys()),
        "removed": sorted(old.keys() - new.keys()),
        "moved": sorted(key for key in common if old[key] & common != new[key] & common),
        "cost_before": before["cost"]["total"] if before else None,
        "cost_after": after["cost"]["total"],
    }


def _companies(plan: dict[str, Any]) -> dict[str, frozenset[str]]:
    """Each query with those that share its tree."""
    return {
        key: members for tree in plan["trees"] for members in [frozenset(tree["queries"])] for key in members
    }
