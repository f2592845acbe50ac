"""Defining, redefining, listing and deleting streams."""

from __future__ import annotations

import json

import pytest

from app.jobs.automaton import Observation
from app.jobs.state import Observed
from app.persistence.models import Job
from app.persistence.types import from_micros
from tests.conftest import TRADES

COUNT = {"stream": "trades", "aggregates": [{"function": "count"}], "window": {"range": "1m"}}


def test_a_definition_is_stored_in_normal_form(client):
    body = {"source": {"kind": "synthetic", "disorder": "2 seconds"}, "watermark": "PT1M", "rate": 10}
    first = client.put("/v1/streams/s", json=body)
    assert first.status_code == 201
    stored = first.json()
    assert stored["watermark"] == "1m"
    assert stored["source"] == {
        "kind": "synthetic",
        "keys": 100,
        "skew": 0.0,
        "disorder": "2s",
        "seed": 0,
        "values": "uniform",
        "nulls": 0.0,
    }
    assert [c["name"] for c in stored["schema"]] == ["ts", "key", "value", "quantity"]
    assert stored["event_time"] == "ts"
    again = client.put("/v1/streams/s", json=body)
    assert (again.status_code, again.json()) == (200, stored)
    assert client.get("/v1/streams/s").json() == stored


def test_the_normal_form_is_a_definition_itself(client, trades):
    body = {key: trades[key] for key in TRADES} | {"idle_heartbeat": trades["idle_heartbeat"]}
    assert client.put("/v1/streams/trades", json=body).json() == trades


def test_the_rate_source_has_its_own_columns(client):
    assert client.put("/v1/streams/r", json={"source": {"kind": "rate"}}).json()["event_time"] == "timestamp"
    other = {"source": {"kind": "rate"}, "schema": [{"name": "x", "type": "long"}], "event_time": "x"}
    assert client.put("/v1/streams/r2", json=other).status_code == 422


def test_lists_are_pages(client):
    names = [f"s{i}" for i in range(5)]
    for name in names:
        client.put(f"/v1/streams/{name}", json={"source": {"kind": "rate"}})
    seen, cursor = [], None
    while True:
        page = client.get("/v1/streams", params={"limit": 2} | ({"cursor": cursor} if cursor else {})).json()
        seen += [item["name"] for item in page["items"]]
        cursor = page["next"]
        if cursor is None:
            break
    assert seen == names


def test_kafka_is_refused_with_a_word(client):
    source = {"kind": "kafka", "bootstrap_servers": "broker:9092", "topic": "t"}
    answer = client.put(
        "/v1/streams/k", json={"source": source, "schema": TRADES["schema"], "event_time": "ts"}
    )
    problem = answer.json()
    assert (answer.status_code, problem["code"]) == (422, "unsupported")
    assert problem["errors"][0]["field"] == "source.kind"
    assert "no engine" in problem["detail"]


def test_a_definition_that_breaks_queries_is_refused_and_names_them(client, trades):
    client.post(
        "/v1/queries", json={**COUNT, "id": "by-symbol", "group_by": ["symbol"], "where": "price > 1"}
    )
    without = [c for c in TRADES["schema"] if c["name"] != "symbol"]
    answer = client.put("/v1/streams/trades", json={**TRADES, "schema": without})
    problem = answer.json()
    assert (answer.status_code, problem["code"]) == (409, "queries_would_break")
    assert problem["errors"][0]["field"] == "queries.by-symbol.group_by.0"
    assert client.get("/v1/streams/trades").json()["schema"] == TRADES["schema"]
    wider = [*TRADES["schema"], {"name": "venue", "type": "string"}]
    assert client.put("/v1/streams/trades", json={**TRADES, "schema": wider}).status_code == 200


@pytest.fixture
def job(client, trades, settings, monkeypatch):
    """Sets what is wanted of the stream's job, what the supervisor sees, and what its driver last said."""

    def arrange(desired: str, observed: Observation | None = None, status: dict | None = None, **more):
        row = {"since": from_micros(0), "generation": 1, "epoch": 2, "request": None, "error": None, **more}
        client.app.state.database.write(lambda s: s.merge(Job(stream="trades", desired=desired, **row)))
        monkeypatch.setattr(client.app.state.activity, "_observe", lambda _: observed or Observation())
        folder = settings.home / "streams" / "trades" / "gen-1"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "status.json").write_text(json.dumps(status or {}))

    return arrange


def seen(state: Observed, error: str | None = None) -> Observation:
    return Observation(observed=state, since=from_micros(1), error=error)


CHANGED = {**TRADES, "watermark": "1m"}
FINISHED = {"state": "finished", "generation": 1, "epoch": 2}


def test_a_running_stream_keeps_its_definition(client, job):
    job("running")
    assert client.put("/v1/streams/trades", json=CHANGED).json()["code"] == "stream_running"
    assert client.put("/v1/streams/trades", json={**TRADES, "rate": 7}).status_code == 200
    assert client.delete("/v1/streams/trades").json()["code"] == "stream_in_use"
    job("stopped", seen(Observed.STOPPING))
    assert client.put("/v1/streams/trades", json=CHANGED).json()["code"] == "stream_running"
    job("stopped", seen(Observed.STOPPED))
    assert client.put("/v1/streams/trades", json=CHANGED).status_code == 200


@pytest.mark.parametrize(
    ("observed", "more"),
    [
        (seen(Observed.FINISHED), {"status": FINISHED}),
        (seen(Observed.FAILED, "the state does not fit"), {"error": "the state does not fit"}),
        (seen(Observed.FAILED, "refused"), {"error": "refused", "request": "resume"}),
    ],
)
def test_a_job_that_has_finished_or_failed_does_not_run(client, job, observed, more):
    job("running", observed, **more)
    assert client.put("/v1/streams/trades", json=CHANGED).status_code == 200
    # It would go on with what the stream was before, so it is wanted no more.
    assert client.get("/v1/streams/trades/job").json()["desired"] == "stopped"
    job("running", observed, **more)
    assert client.delete("/v1/streams/trades").status_code == 204


@pytest.mark.parametrize(
    ("observed", "more"),
    [
        (seen(Observed.FINISHED), {"status": FINISHED, "request": "fresh"}),
        (seen(Observed.FINISHED), {"status": {**FINISHED, "epoch": 1}}),
        (seen(Observed.FINISHED), {"status": {"state": "running", "generation": 1, "epoch": 2}}),
        (seen(Observed.FAILED, "refused"), {"request": "resume"}),
        (seen(Observed.FAILED, "refused"), {"error": "another crash"}),
        (seen(Observed.STOPPED), {}),
        (seen(Observed.RECOVERING, "crash"), {"error": "crash"}),
    ],
)
def test_a_job_that_may_start_by_itself_counts_as_running(client, job, observed, more):
    job("running", observed, **more)
    assert client.put("/v1/streams/trades", json=CHANGED).json()["code"] == "stream_running"
    assert client.delete("/v1/streams/trades").json()["code"] == "stream_in_use"
    assert client.get("/v1/streams/trades/job").json()["desired"] == "running"


def test_a_stream_in_use_is_deleted_only_with_all_its_queries(client, trades):
    client.post("/v1/queries", json=COUNT)
    refused = client.delete("/v1/streams/trades")
    assert (refused.status_code, refused.json()["code"]) == (409, "stream_in_use")
    assert "1 query" in refused.json()["detail"]
    assert client.delete("/v1/streams/trades?cascade=true").status_code == 204
    assert client.get("/v1/streams/trades").json()["code"] == "stream_not_found"
    assert client.get("/v1/queries").json()["items"] == []
    assert client.delete("/v1/streams/trades").status_code == 404
