"""The results endpoint over HTTP, on result files that the test writes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from fastapi.testclient import TestClient

from app.main import create_app
from app.persistence.models import Job, Query, Stream
from app.settings import Settings
from app.streams.definition import stream_spec
from planner_spark.spec import JobSpec
from tests.app.results.files import write_batch
from tests.conftest import ADDRESS as SERVICE

SECOND = 1_000_000
STREAM = {
    "source": {"kind": "files", "path": "/tmp", "format": "json"},
    "schema": [
        {"name": "ts", "type": "timestamp"},
        {"name": "k", "type": "string"},
        {"name": "v", "type": "long"},
    ],
    "event_time": "ts",
}
QUERY = {
    "id": "q",
    "stream": "s",
    "aggregates": [{"function": "sum", "column": "v", "as": "total"}],
    "window": {"range": "10s"},
    "group_by": ["k"],
}
ADDRESS = "/v1/queries/q/results"


@pytest.fixture
def client(tmp_path: Path) -> Iterator[TestClient]:
    app = create_app(Settings(home=tmp_path, demo=False), supervise=False)
    with TestClient(app, base_url=SERVICE) as client:
        client.put("/v1/streams/s", json=STREAM).raise_for_status()
        client.post("/v1/queries", json=QUERY).raise_for_status()
        yield client


def run(client: TestClient, generation: int = 1) -> Path:
    """Pretend that the stream's job has run; its results folder."""
    database = client.app.state.database  # type: ignore[attr-defined]

    def work(session: Any) -> None:
        stream = session.get(Stream, "s")
        spec = JobSpec(
            home="",
            generation=generation,
            epoch=1,
            stream=stream_spec("s", stream.definition),
            queries=(),
        )
        session.merge(
            Job(
                stream="s",
                desired="stopped",
                generation=generation,
                epoch=1,
                spec=asdict(spec),
                since=datetime.now(UTC),
                restarts=0,
            )
        )

    database.write(work)
    settings = client.app.state.settings  # type: ignore[attr-defined]
    return settings.home / "streams" / "s" / f"gen-{generation}" / "results"


def fill(folder: Path, ends: range, *, number: int = 1, bonus: int = 0) -> None:
    rows = [
        {
            "query": number,
            "window_start": (end - 10) * SECOND,
            "window_end": end * SECOND,
            "valid": 1,
            "g_k": key,
            "l0": end + bonus,
        }
        for end in ends
        for key in (None, "a")
    ]
    write_batch(folder, rows, {"g_k": pa.string()}, watermark=max(ends) * SECOND)


def test_a_query_without_results_has_columns_and_no_rows(client: TestClient):
    expected = {
        "columns": [
            {"name": "window_start", "type": "timestamp"},
            {"name": "window_end", "type": "timestamp"},
            {"name": "k", "type": "string"},
            {"name": "total", "type": "long"},
        ],
        "rows": [],
        "next": None,
        "cursor": None,
        "watermark": None,
    }
    assert client.get(ADDRESS).json() == expected
    run(client)
    assert client.get(ADDRESS).json() == expected


def test_pages_follow_each_other_and_a_poller_goes_on_from_the_last(client: TestClient):
    folder = run(client)
    fill(folder, range(10, 60, 10))
    first = client.get(ADDRESS, params={"limit": 7}).json()
    assert len(first["rows"]) == 7
    assert first["next"] == first["cursor"] is not None
    assert first["watermark"] == "1970-01-01T00:00:50Z"
    rest = client.get(ADDRESS, params={"limit": 7, "after": first["next"]}).json()
    assert (len(rest["rows"]), rest["next"]) == (3, None)
    nothing = client.get(ADDRESS, params={"after": rest["cursor"]}).json()
    assert (nothing["rows"], nothing["cursor"]) == ([], rest["cursor"])
    fill(folder, range(60, 70, 10))
    more = client.get(ADDRESS, params={"after": nothing["cursor"]}).json()
    assert [(r["window_end"], r["k"], r["total"]) for r in more["rows"]] == [
        ("1970-01-01T00:01:00Z", None, 60),
        ("1970-01-01T00:01:00Z", "a", 60),
    ]


def test_from_and_to_choose_by_window_end(client: TestClient):
    fill(run(client), range(10, 60, 10))
    chosen = client.get(ADDRESS, params={"from": "1970-01-01T00:00:20Z", "to": "1970-01-01T01:00:40+01:00"})
    assert {r["total"] for r in chosen.json()["rows"]} == {20, 30}


def test_only_the_current_generation_counts(client: TestClient):
    fill(run(client, 1), range(10, 30, 10))
    fill(run(client, 2), range(10, 20, 10), bonus=5)
    assert [r["total"] for r in client.get(ADDRESS).json()["rows"]] == [15, 15]


def test_a_query_that_waits_for_the_next_start_sees_nothing(client: TestClient):
    fill(run(client), range(10, 30, 10))
    twin = client.post("/v1/queries", json={**QUERY, "id": "twin"}).json()
    assert twin["status"] == "pending"
    assert client.get("/v1/queries/twin/results").json()["rows"] == []
    database = client.app.state.database  # type: ignore[attr-defined]

    def activate(session: Any) -> None:
        query = session.get(Query, "twin")
        query.activated, query.active_from = True, 10 * SECOND

    database.write(activate)
    assert [r["total"] for r in client.get("/v1/queries/twin/results").json()["rows"]] == [20, 20]


def test_a_stream_that_was_given_other_tuples_starts_empty(client: TestClient):
    fill(run(client), range(10, 30, 10))
    other = {**STREAM, "source": {**STREAM["source"], "format": "parquet"}}  # type: ignore[dict-item]
    client.put("/v1/streams/s", json=other).raise_for_status()
    assert client.get(ADDRESS).json()["rows"] == []


@pytest.mark.parametrize(
    "parameters",
    [
        {"limit": 0},
        {"limit": 10_001},
        {"limit": "x"},
        {"after": "x"},
        {"after": "W10"},
        {"from": "yesterday"},
        {"to": "9999-99-99"},
    ],
)
def test_parameters_that_make_no_sense_are_refused_by_name(client: TestClient, parameters: dict[str, Any]):
    fill(run(client), range(10, 30, 10))
    answer = client.get(ADDRESS, params=parameters)
    assert answer.status_code == 422
    assert [e["field"] for e in answer.json()["errors"]] == list(parameters)


@pytest.mark.parametrize(
    "moment", ["0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z", "-1", "1e300", "99999999999"]
)
def test_times_at_the_ends_of_the_calendar_do_no_harm(client: TestClient, moment: str):
    fill(run(client), range(10, 30, 10))
    for name in ("from", "to"):
        assert client.get(ADDRESS, params={name: moment}).status_code in {200, 422}


def test_a_query_that_is_not_there_is_not_found(client: TestClient):
    answer = client.get("/v1/queries/none/results")
    assert (answer.status_code, answer.json()["code"]) == (404, "query_not_found")
