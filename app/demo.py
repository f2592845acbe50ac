"""The demonstration: a synthetic stream with a dozen unlike queries, registered and started once.

It is recorded that it was given, so whoever deletes it is not given it again.
"""

from __future__ import annotations

import logging
from datetime import UTC, datetime
from typing import Any

from sqlalchemy.orm import Session

from app.jobs.service import JobService
from app.persistence.database import Database
from app.persistence.models import Marker
from app.queries.repository import QueryRepository
from app.queries.schemas import BatchIn
from app.queries.service import QueryService
from app.streams.repository import StreamRepository
from app.streams.schemas import StreamIn
from app.streams.service import StreamService
from optimizer.errors import WeftError

__all__ = ["STREAM", "give_demo"]

log = logging.getLogger("weft.demo")

STREAM = "demo"
_MARKER = "demo"

_DEFINITION: dict[str, Any] = {
    "source": {
        "kind": "synthetic",
        "keys": 20,
        "skew": 1.0,
        "disorder": "2s",
        "seed": 7,
        "values": "normal",
        "nulls": 0.02,
    },
    "watermark": "5s",
    "rate": 200,
}


def _query(name: str, window: tuple[str, str], *calls: str, **more: Any) -> dict[str, Any]:
    aggregates = []
    for call in calls:
        function, _, column = call.partition(" ")
        aggregates.append({"function": function} | ({"column": column} if column else {}))
    return {
        "id": f"demo-{name}",
        "stream": STREAM,
        "aggregates": aggregates,
        "window": {"range": window[0], "slide": window[1]},
        **more,
    }


_QUERIES = [
    _query("heartbeat", ("5s", "5s"), "count"),
    _query("per-key", ("10s", "5s"), "count", "avg value", group_by=["key"]),
    _query("load", ("30s", "10s"), "sum quantity", "max quantity"),
    _query("spread", ("1m", "10s"), "min value", "max value", "stddev_samp value"),
    _query("spread-per-key", ("1m", "20s"), "min value", "max value", group_by=["key"]),
    # 25 s is not a multiple of 10 s: windows end between two starts.
    _query("uneven", ("25s", "10s"), "avg value", "count value"),
    # Shorter than its slide: 5 s out of every 15 s.
    _query("sample", ("5s", "15s"), "var_pop value", "count"),
    _query("high", ("30s", "15s"), "count", "avg value", where="value > 115"),
    _query("high-per-key", ("1m", "30s"), "count", "max value", where="value > 115", group_by=["key"]),
    _query("bulk", ("2m", "30s"), "sum quantity", where="quantity >= 500 AND value IS NOT NULL"),
    _query("noise", ("90s", "45s"), "var_samp value", "stddev_pop value", group_by=["key"]),
    _query("trend", ("2m", "20s"), "avg value", "sum value", "count"),
]


def give_demo(database: Database, streams: StreamService, queries: QueryService, jobs: JobService) -> bool:
    """Register and start the demonstration unless it was given before; says whether it was given now.

    The record is made last and every step may be repeated, so a service that dies in the middle goes on.
    A stream or query of somebody's own that has one of its names stays as it is, and whatever keeps the
    demonstration from being given keeps no service from serving.
    """
    if database.read(lambda s: s.get(Marker, _MARKER)) is not None:
        return False
    try:
        given = _give(database, streams, queries, jobs)
    except WeftError as error:
        log.warning("the demonstration could not be given, and is left out: %s", error)
        given = False
    database.write(_record)
    return given


def _give(database: Database, streams: StreamService, queries: QueryService, jobs: JobService) -> bool:
    body = StreamIn.model_validate(_DEFINITION)
    there = database.read(lambda s: StreamRepository(s).find(STREAM))
    if there is not None and there.definition != streams.normal_form(body):
        log.info("a stream %s is there already: the demonstration is left out", STREAM)
        return False
    streams.put(STREAM, body)
    taken = database.read(lambda s: QueryRepository(s).find_all([query["id"] for query in _QUERIES]))
    free = [query for query in _QUERIES if query["id"] not in taken]
    if free:
        queries.register_all(BatchIn.model_validate({"queries": free}).queries)
    jobs.start(STREAM, fresh=False)
    return True


def _record(session: Session) -> None:
    session.merge(Marker(name=_MARKER, created=datetime.now(UTC)))
