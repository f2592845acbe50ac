"""The rows of plans: each plan as it was answered, and its queries' windows and lanes, to draw it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import delete, func, select
from sqlalchemy.orm import Session

from app.errors import ApiError
from app.persistence.models import Plan as PlanRow
from costmodel import Cost, Need
from costmodel.estimate import Estimate
from optimizer.model.plan import Baselines, Lane, Plan, PlannedQuery, Requested, Tree
from optimizer.model.window import Window

__all__ = ["PlanRepository", "restore"]

_OF_ANOTHER_TIME = Requested(optimizer="shared", technique="panes", improve=False)
"""How the plans were made that do not say it."""
KEPT = 200
"""Plans that are kept of each stream; the oldest are forgotten."""


class PlanRepository:
    """Plans, in one transaction."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def get(self, plan_id: str) -> PlanRow:
        """The plan of that id, or a 404."""
        found = self._session.get(PlanRow, plan_id)
        if found is None:
            raise ApiError("plan_not_found", f"there is no plan {plan_id!r}")
        return found

    def latest(self, stream: str) -> PlanRow | None:
        """The plan that was last put into force."""
        newest = select(PlanRow).where(PlanRow.stream == stream).order_by(PlanRow.created.desc()).limit(1)
        return self._session.scalars(newest).first()

    def latest_id(self, stream: str) -> str | None:
        """The id of the plan that was last put into force, without its content."""
        newest = select(PlanRow.id).where(PlanRow.stream == stream).order_by(PlanRow.created.desc()).limit(1)
        return self._session.scalars(newest).first()

    def put(self, plan: Plan) -> None:
        """Put a plan into force; one that was in force before is again the latest.

        The caller has locked the stream. The time is later than that of the plan before even when the clock
        is not.
        """
        members = [m for tree in plan.trees for m in tree.members]
        content: dict[str, Any] = {
            "document": plan.document(),
            "windows": {m.id: [m.window.range, m.window.slide] for m in members},
            "lanes": {m.id: [[lane.operation, lane.column] for lane in m.lanes] for m in members},
            "needs": {m.id: sorted(m.needs) for m in members},
        }
        last = self._session.scalar(select(func.max(PlanRow.created)).where(PlanRow.stream == plan.stream))
        now = datetime.now(UTC)
        created = now if last is None else max(now, last + timedelta(microseconds=1))
        self._session.merge(
            PlanRow(id=plan.id, stream=plan.stream, epoch=plan.epoch, plan=content, created=created)
        )
        self._session.flush()
        old = (
            select(PlanRow.id)
            .where(PlanRow.stream == plan.stream)
            .order_by(PlanRow.created.desc())
            .offset(KEPT)
        )
        forgotten = self._session.scalars(old).all()
        if forgotten:
            self._session.execute(delete(PlanRow).where(PlanRow.id.in_(forgotten)))


def restore(row: PlanRow) -> Plan:
    """The plan of a row, to draw it; it has the id of the row, which is made from its content."""
    document = row.plan["document"]
    cost = {level: value for level, value in document["cost"].items() if level != "total"}
    trees = tuple(
        Tree(
            id=tree["id"],
            members=tuple(_member(key, row) for key in tree["queries"]),
            edge_rate=tree["edge_rate"],
            edge_rate_error=tree["edge_rate_error"],
            edges=_integer(tree["edges"]),
            composite_slide=_integer(tree["composite_slide"]),
            technique=tree["technique"],
            omega=tree["omega"],
            cost=tree["cost"],
            seconds_per_second=tree.get("estimated_seconds_per_second"),
            lane_techniques=tuple(
                (
                    Lane(operation=lane["operation"], column=lane["column"]),
                    lane.get("technique", tree["technique"]),
                )
                for lane in tree["lanes"]
            ),
        )
        for tree in document["trees"]
    )
    kept = ("epoch", "stream", "optimizer", "technique", "partials", "execution", "time_unit", "rate")
    return Plan(
        **{name: document[name] for name in kept},
        edge_rate=document["edge_rate"],
        edge_rate_error=document["edge_rate_error"],
        cost=Cost(**cost),
        trees=trees,
        baselines=Baselines(**document["baselines"]),
        requested=Requested(**document["requested"]) if "requested" in document else _OF_ANOTHER_TIME,
        estimate=_estimate(document.get("estimate")),
    )


def _estimate(raw: dict[str, Any] | None) -> Estimate | None:
    return Estimate(**{k: v for k, v in raw.items() if k != "seconds_per_second"}) if raw else None


def _member(query_id: str, row: PlanRow) -> PlannedQuery:
    length, slide = row.plan["windows"][query_id]
    lanes = row.plan.get("lanes", {}).get(query_id, ())
    return PlannedQuery(
        id=query_id,
        stream=row.stream,
        window=Window(range=length, slide=slide),
        lanes=tuple(Lane(operation=operation, column=column) for operation, column in lanes),
        needs=frozenset(Need(need) for need in row.plan.get("needs", {}).get(query_id, ())),
    )


def _integer(value: int | str | None) -> int | None:
    return None if value is None else int(value)
