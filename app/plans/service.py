"""The rules of planning: a plan is made when somebody asks, and kept until the workload changes.

Workloads change while plans are made of them. A plan becomes the latest only under the stream's lock and as
long as it is that of the workload of now; otherwise it is made again, so that a slower call never puts an
older plan over a newer one.
"""

from __future__ import annotations

import time
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.errors import ApiError
from app.persistence.database import Database
from app.persistence.models import Query
from app.plans.compare import difference, is_changed, reason
from app.plans.options import Choice, choose
from app.plans.planning import make_plan, per_second, planned
from app.plans.repository import PlanRepository, restore
from app.plans.schemas import MAX_CO_MEMBERS, OptimizeIn
from app.plans.workload import PlanCache, Workload, key_of, read_workload
from app.queries.repository import QueryRepository
from app.streams.repository import StreamRepository
from costmodel import TECHNIQUES
from optimizer.draw import DRAWINGS
from optimizer.explain import explain_query, explain_text
from optimizer.model.plan import Plan
from optimizer.registry import OPTIMIZERS

__all__ = ["PlanCache", "PlanService", "Workload"]

_ATTEMPTS = 3
"""How often a plan is made while the workload changes, before the workload has to wait for it."""


class PlanService:
    """Makes, keeps, compares and explains plans."""

    def __init__(self, database: Database, cache: PlanCache) -> None:
        self._database = database
        self._cache = cache

    def current(self, stream: str) -> Plan:
        """The plan in force for the queries of now; it can be asked for by its id ever after."""
        for _ in range(_ATTEMPTS):
            workload, plan = self._workload(stream)
            if not workload.queries or self._keep(workload, plan):
                return plan
        return self._database.write(lambda s: self._settle(s, stream))

    def optimize(self, stream: str, options: OptimizeIn) -> dict[str, Any]:
        """Plan as asked for, compare with the plan last in force, and unless it is a dry run replace that.

        What is not a dry run is planned as jobs are, at the stream's rate: that is the plan in force.
        """
        choice = choose(options)
        before = self._database.read(lambda s: PlanRepository(s).latest(stream))
        previous = before.plan["document"] if before else None
        estimated = self._workload(stream)[0].plan(choice, options.rate) if options.dry_run else None
        document = (estimated or self.current(stream)).document()
        return {
            "plan": document,
            "changed": is_changed(previous, document),
            "reason": reason(previous, document),
            "diff": difference(previous, document),
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
        query, plan = self._place(query_id)
        found = explain_query(plan, query_id)
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
        return explain_text(self._place(query_id)[1], query_id)

    def marginal_cost(self, stream: str, spec: dict[str, Any]) -> float:
        """Operations per second that a query which is not registered would add."""
        workload, plan = self._workload(stream)
        newcomer = planned("", spec)
        joined = make_plan([*workload.queries, newcomer], rate=workload.rate, stream=stream)
        return per_second(joined) - per_second(plan)

    def _place(self, query_id: str) -> tuple[Query, Plan]:
        """A query and the plan that it is in; one that is deleted meanwhile is not there."""
        for _ in range(_ATTEMPTS):
            query = self._database.read(lambda s: QueryRepository(s).get(query_id))
            try:
                plan = self.current(query.stream)
            except ApiError as error:
                if error.code != "stream_not_found":
                    raise
                continue  # the query went with its stream
            if plan.tree_of(query_id) is not None:
                return query, plan
        raise ApiError("query_not_found", f"query {query_id!r} is being replaced or deleted")

    def _workload(self, name: str) -> tuple[Workload, Plan]:
        def work(session: Session) -> tuple[Workload, Plan]:
            stream = StreamRepository(session).get(name)
            cached = self._cache.get(key_of(session, stream))
            if cached is not None:
                return cached
            workload = read_workload(session, stream)
            return workload, workload.plan()

        workload, plan = self._database.read(work)
        self._cache.put(workload, plan)
        return workload, plan

    def _keep(self, workload: Workload, plan: Plan) -> bool:
        """Make the plan the latest unless it is; False when the workload is another one by now."""
        name, number = workload.stream, plan.id

        def is_kept(session: Session) -> bool:
            stream = StreamRepository(session).find(name)
            latest = PlanRepository(session).latest_id(name)
            return stream is not None and latest == number and key_of(session, stream) == workload.key

        def work(session: Session) -> bool:
            stream = StreamRepository(session).get(name, lock=True)
            if key_of(session, stream) != workload.key:
                return False
            PlanRepository(session).put(plan)
            return True

        return self._database.read(is_kept) or self._database.write(work)

    def _settle(self, session: Session, name: str) -> Plan:
        """The plan of a workload that cannot change meanwhile, because it is locked."""
        workload = read_workload(session, StreamRepository(session).get(name, lock=True))
        plan = workload.plan()
        if workload.queries:
            PlanRepository(session).put(plan)
        return plan
