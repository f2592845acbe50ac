"""The plan in force, for those who are about to run it."""

from __future__ import annotations

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.calibration import Measurements
from app.persistence.models import Query, Stream
from app.plans.repository import PlanRepository, restore
from app.plans.workload import read_workload
from optimizer.model.plan import Plan

__all__ = ["plan_in_force"]


def plan_in_force(session: Session, stream: Stream, measurements: Measurements) -> Plan:
    """The plan that was last put into force, if it holds the queries of now; else one that does."""
    latest = PlanRepository(session).latest(stream.name)
    if latest is not None:
        planned = {query for tree in latest.plan["document"]["trees"] for query in tree["queries"]}
        if planned == set(session.scalars(select(Query.id).where(Query.stream == stream.name))):
            return restore(latest)
    return read_workload(session, stream, measurements).plan()
