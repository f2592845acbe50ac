"""The rules of planning: a plan is made when somebody asks, and kept until the workload changes.

Workloads change while plans are made of them. A plan becomes the latest only under the stream's lock and as
long as it is that of the workload of now; otherwise it is made again, so that a slower call never puts an
older plan over a newer one.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.calibration import Measurements
from app.errors import ApiError
from app.persistence.database import Database
from app.persistence.models import Query
from app.plans.compare import difference, is_changed, reason
from app.plans.costs import cost_lines
from app.plans.options import Choice, choose
from app.plans.planning import per_second, planned
from app.plans.repository import PlanRepository, restore
from app.plans.schemas import MAX_CO_MEMBERS, OptimizeIn
from app.plans.workload import PlanCache, Workload, estimator_of, key_of, read_workload
from app.queries.repository import QueryRepository
from app.streams.repository import StreamRepository
from optimizer.describe import explain_text
from optimizer.draw import DRAWINGS
from optimizer.explain import added_cost, explain_query
from optimizer.model.plan import Plan
from optimizer.replay import merges_of

__all__ = ["PlanCache", "PlanService", "Workload"]

_ATTEMPTS = 3
"""How often a plan is made while the workload changes, before the workload has to wait for it."""


class PlanService:
    """Makes, keeps, compares and explains plans."""

    def __init__(
        self, database: Database, cache: PlanCache, measurements: Measurements | None = None
    ) -> None:
        self._database = database
        self._cache = cache
        self._measurements = measurements

    def current(self, stream: str, choice: Choice | None = None) -> Plan:
        """The plan in force for the queries of now; it can be asked for by its id ever after.

        A choice becomes the stream's way to plan, and is in force when this returns.
        """
        for _ in range(_ATTEMPTS):
            workload, plan = self._workload(stream, choice)
            if not workload.queries or self._keep(workload, plan):
                return plan
        return self._database.write(lambda s: self._settle(s, stream, choice))

    def optimize(self, stream: str, options: OptimizeIn) -> dict[str, Any]:
        """Plan as asked for, compare with the plan last in force, and unless it is a dry run replace that.

        What is not a dry run is the way in which the stream is planned from then on, at the stream's rate. A body
        that names no way keeps the one that is in force.
        """
        named = options.model_fields_set & {"optimizer", "technique", "partials", "improve"}
        choice = choose(options) if named else None
        before = self._database.read(lambda s: PlanRepository(s).latest(stream))
        previous = before.plan["document"] if before else None
        if options.dry_run:
            document = self._workload(stream)[0].plan(choice, options.rate).document()
        else:
            document = self.current(stream, choice).document()
        return {
            "plan": document,
            "changed": is_changed(previous, document),
            "reason": reason(previous, document),
            "diff": difference(previous, document),
        }

    def costs(self, stream: str) -> dict[str, Any]:
        """What every optimizer comes to with every technique; the cheapest first, then what cannot be had."""
        workload, current = self._workload(stream)
        return {"time_unit": current.time_unit, "rate": current.rate, "items": cost_lines(workload)}

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
        twins = select(Query.id).where(Query.canonical_number == query.canonical_number, Query.id != query_id)
        identical = self._database.read(
            lambda s: list(s.scalars(twins.order_by(Query.id).limit(MAX_CO_MEMBERS)))
        )
        found = explain_query(plan, query_id)
        members = found["co_members"]
        return found | {
            "stream": query.stream,
            "co_members": members[:MAX_CO_MEMBERS],
            "co_member_count": len(members),
            "same_window": found["same_window"][:MAX_CO_MEMBERS],
            "identical": identical,
            "merges": merges_of(plan, query_id),
        }

    def explain_text(self, query_id: str) -> str:
        """The same in words."""
        _, plan = self._place(query_id)
        return explain_text(explain_query(plan, query_id) | {"merges": merges_of(plan, query_id)})

    def marginal_cost(self, stream: str, spec: dict[str, Any]) -> float:
        """Operations per second that a query which is not registered would add."""
        _, plan = self._workload(stream)
        return per_second(added_cost(plan, planned("", spec)), plan)

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

    def _workload(self, name: str, choice: Choice | None = None) -> tuple[Workload, Plan]:
        """The workload and its plan, made anew only when either or the way to plan is another one."""

        def work(session: Session) -> tuple[Workload, Plan | None]:
            stream = StreamRepository(session).get(name)
            cached = self._cache.get(key_of(session, stream))
            if cached is not None and cached[0].estimator == estimator_of(stream, self._measurements):
                return cached
            return read_workload(session, stream, self._measurements), None

        workload, plan = self._database.read(work)
        if plan is None or choice not in (None, workload.choice):
            if choice is not None:
                workload = replace(workload, choice=choice)
            plan = workload.plan()
            if choice is None:
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

        kept = self._database.read(is_kept) or self._database.write(work)
        if kept:
            self._cache.put(workload, plan)
        return kept

    def _settle(self, session: Session, name: str, choice: Choice | None) -> Plan:
        """The plan of a workload that cannot change meanwhile, because it is locked."""
        stream = StreamRepository(session).get(name, lock=True)
        workload = read_workload(session, stream, self._measurements)
        plan = workload.plan(choice)
        if workload.queries:
            PlanRepository(session).put(plan)
        return plan
