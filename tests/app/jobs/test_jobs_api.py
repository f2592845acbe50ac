"""The job endpoints over HTTP, without a supervisor: what is asked for is stored, what is wrong is said."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from app.main import create_app
from app.settings import Settings
from tests.conftest import ADDRESS

STREAM = {"source": {"kind": "rate"}}
QUERY = {"id": "a", "stream": "s", "aggregates": [{"function": "count"}], "window": {"range": "10s"}}


@pytest.fixture
def client(tmp_path: Path) -> Iterator[TestClient]:
    app = create_app(Settings(home=tmp_path, demo=False), supervise=False)
    with TestClient(app, base_url=ADDRESS) as client:
        yield client


def test_a_stream_that_is_not_there_has_no_job(client: TestClient):
    for method in ("GET", "POST", "DELETE"):
        answer = client.request(method, "/v1/streams/s/job")
        assert (answer.status_code, answer.json()["code"]) == (404, "stream_not_found")


def test_a_job_that_was_never_started_is_stopped(client: TestClient):
    client.put("/v1/streams/s", json=STREAM)
    shown = client.get("/v1/streams/s/job").json()
    assert shown == {
        "desired": "stopped",
        "observed": "stopped",
        "since": None,
        "generation": 0,
        "epoch": 0,
        "watermark": None,
        "input_rows_per_second": 0.0,
        "results": 0,
        "restarts": 0,
        "error": None,
        "last_error": None,
        "pending": [],
        "pending_count": 0,
        "late_rows": 0,
        "null_event_times": 0,
        "work": {"tuples": 0, "partials": 0, "intercede": 0, "trees": []},
        "output_share": None,
        "limit": None,
    }
    assert client.delete("/v1/streams/s/job").status_code == 202


def test_a_stream_without_queries_cannot_be_started(client: TestClient):
    client.put("/v1/streams/s", json=STREAM)
    answer = client.post("/v1/streams/s/job")
    assert (answer.status_code, answer.json()["code"]) == (409, "no_queries")
    assert client.get("/v1/streams/s/job").json()["desired"] == "stopped"


@pytest.mark.parametrize("body", [None, {}, {"fresh": False}, {"fresh": True}])
def test_start_and_stop_are_accepted_and_may_be_repeated(client: TestClient, body: object):
    client.put("/v1/streams/s", json=STREAM)
    client.post("/v1/queries", json=QUERY)
    for _ in range(2):
        answer = client.post("/v1/streams/s/job", json=body)
        assert (answer.status_code, answer.json()["desired"]) == (202, "running")
    for _ in range(2):
        answer = client.delete("/v1/streams/s/job")
        assert (answer.status_code, answer.json()["desired"]) == (202, "stopped")


@pytest.mark.parametrize("body", [{"fresh": 1}, {"fresh": None}, {"fast": True}, [], "x"])
def test_a_body_that_makes_no_sense_is_refused(client: TestClient, body: object):
    client.put("/v1/streams/s", json=STREAM)
    client.post("/v1/queries", json=QUERY)
    answer = client.post("/v1/streams/s/job", json=body)
    assert (answer.status_code, answer.json()["code"]) == (422, "invalid_input")
