"""What plans are made for, and the last plans that were made."""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.calibration import Measurements
from app.persistence.models import Job, Query, Stream
from app.plans.options import Choice, last_choice
from app.plans.planning import make_plan, planned
from app.plans.repository import PlanRepository, restore
from optimizer.estimate import Estimator
from optimizer.model.plan import Plan, PlannedQuery

__all__ = ["Key", "PlanCache", "Workload", "estimator_of", "key_of", "read_workload"]

Key = tuple[str, str, int, int]
"""Name, incarnation and version of a stream, and the epoch of its job."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Workload:
    """What a plan is made for; ``key`` is another one as soon as anything in it changes."""

    stream: str
    rate: float
    epoch: int
    queries: tuple[PlannedQuery, ...]
    key: Key
    choice: Choice
    """How the stream is planned: as its last plan was."""
    last: Plan | None
    estimator: Estimator | None = None

    def plan(self, choice: Choice | None = None, rate: float | None = None) -> Plan:
        """The plan that follows the last one, in the stream's own way or in another."""
        return make_plan(
            self.queries,
            rate=self.rate if rate is None else rate,
            stream=self.stream,
            epoch=self.epoch,
            choice=choice or self.choice,
            last=self.last,
            estimator=self.estimator,
        )


class PlanCache:
    """The last workloads and their plans: with 10,000 queries reading them takes longer than planning."""

    def __init__(self, size: int = 32) -> None:
        self._size = size
        self._entries: OrderedDict[Key, tuple[Workload, Plan]] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: Key) -> tuple[Workload, Plan] | None:
        """The workload of that key and its plan."""
        with self._lock:
            return self._entries.get(key)

    def put(self, workload: Workload, plan: Plan) -> None:
        """Keep a plan, and forget the oldest one."""
        with self._lock:
            self._entries[workload.key] = workload, plan
            while len(self._entries) > self._size:
                self._entries.popitem(last=False)


def key_of(session: Session, stream: Stream) -> Key:
    """What tells the stream's workload of now from any other."""
    job = session.get(Job, stream.name)
    return stream.name, stream.incarnation, stream.version, job.epoch if job else 0


def read_workload(session: Session, stream: Stream, measurements: Measurements | None = None) -> Workload:
    """The stream's queries, its rate and its last plan."""
    key = key_of(session, stream)
    latest = PlanRepository(session).latest(stream.name)
    rows = session.execute(select(Query.id, Query.spec).where(Query.stream == stream.name).order_by(Query.id))
    return Workload(
        stream=stream.name,
        rate=stream.definition["rate"],
        epoch=max(key[-1], 1),
        queries=tuple(planned(query_id, spec) for query_id, spec in rows),
        key=key,
        choice=last_choice(latest.plan["document"] if latest else None),
        last=restore(latest) if latest else None,
        estimator=estimator_of(stream, measurements),
    )


def estimator_of(stream: Stream, measurements: Measurements | None) -> Estimator | None:
    """What estimates plans of the stream; it is another one when its keys or the measurements are."""
    if measurements is None:
        return None
    return measurements.estimator(stream.definition.get("cardinalities"))
