"""Resume, replay, begin anew or refuse: every row of the table in `app.jobs.generations`."""

from __future__ import annotations

from dataclasses import replace
from importlib.metadata import version
from typing import Any

import pytest

from app.errors import ApiError
from app.jobs.generations import Before, Decision, Keep, NewGeneration, Resume, decide
from planner_spark.heartbeat import CLOSING
from planner_spark.shape import shape_of
from planner_spark.spec import JobSpec, QuerySpec, StreamSpec
from planner_spark.status import Status

STREAM = StreamSpec(
    name="s",
    source={"kind": "files", "path": "/data"},
    schema=(("ts", "timestamp"), ("k", "string"), ("v", "long")),
    event_time="ts",
    watermark=10_000_000,
    rate=1.0,
)
COUNT = QuerySpec(number=1, range=10, slide=10, aggregates=(("count", "*"),))
SAME_LANES = QuerySpec(number=2, range=30, slide=20, aggregates=(("count", "*"),), where="`v` > 1")
OTHER_LANES = QuerySpec(number=3, range=10, slide=10, aggregates=(("max", "v"),))


def job(*queries: QuerySpec, **changes: Any) -> JobSpec:
    spec = JobSpec(home="", generation=2, epoch=3, stream=STREAM, queries=queries)
    return replace(spec, **changes)


def before(spec: JobSpec, *, state: str = "stopped", **manifest: Any) -> Before:
    noted = {"shape": shape_of(spec), "weft": version("weft-acq"), "spark": version("pyspark"), **manifest}
    return Before(job=spec, manifest=noted, status=Status(state=state, generation=2, epoch=3))


@pytest.mark.parametrize(
    ("there", "wanted", "fresh", "decision"),
    [
        (None, job(COUNT), False, NewGeneration()),
        (before(job(COUNT)), job(COUNT), True, NewGeneration()),
        (before(job(COUNT)), job(COUNT), False, Resume(3)),
        (before(job(COUNT)), job(replace(COUNT, active_from=7)), False, Resume(3)),
        (before(job(COUNT)), job(COUNT, SAME_LANES), False, Resume(4)),
        (before(job(COUNT, SAME_LANES)), job(COUNT), False, Resume(4)),
        (before(job(COUNT), state="finished"), job(COUNT), False, Keep()),
        (before(job(COUNT), state="finished"), job(COUNT, OTHER_LANES), False, NewGeneration()),
        (before(job(COUNT), state="finished"), job(COUNT), True, NewGeneration()),
        (
            before(job(COUNT)),
            job(COUNT, stream=replace(STREAM, source={"kind": "files", "path": "/other"})),
            False,
            NewGeneration(),
        ),
        (Before(job=job(COUNT), manifest=None, status=None), job(OTHER_LANES), False, NewGeneration()),
        (before(job(COUNT), spark="4.3.99"), job(COUNT), False, Resume(3)),
        (replace(before(job(COUNT)), read_until=CLOSING), job(COUNT), False, Resume(3)),
        (replace(before(job(COUNT)), read_until=CLOSING), job(COUNT, SAME_LANES), False, NewGeneration()),
    ],
)
def test_what_a_start_does(there: Before | None, wanted: JobSpec, fresh: bool, decision: Decision):
    assert decide(there, wanted, fresh=fresh) == decision


@pytest.mark.parametrize(
    ("there", "wanted", "says"),
    [
        (before(job(COUNT)), job(COUNT, OTHER_LANES), "measured columns"),
        (before(job(COUNT)), job(replace(COUNT, group_by=("k",))), "grouping attributes"),
        (before(job(COUNT), spark="3.5.0"), job(COUNT), "made by Spark 3.5.0"),
        (before(job(COUNT), weft="0.0.1"), job(COUNT), "made by Weft 0.0.1"),
    ],
)
def test_a_checkpoint_that_does_not_fit_is_refused_with_what_differs(
    there: Before, wanted: JobSpec, says: str
):
    with pytest.raises(ApiError) as refused:
        decide(there, wanted, fresh=False)
    assert (refused.value.code, refused.value.status) == ("checkpoint_mismatch", 409)
    assert says in refused.value.detail
    assert '{"fresh": true}' in refused.value.detail
