"""Registering, replacing, listing and deleting queries."""

from __future__ import annotations

import copy
from concurrent.futures import ThreadPoolExecutor

import pytest

from app.persistence.models import Job, Stream
from app.persistence.types import from_micros
from tests.conftest import TRADES

HI = {
    "id": "hi-5m",
    "stream": "trades",
    "aggregates": [{"function": "MAX", "column": "Price", "as": "hi"}, {"function": "count", "as": "n"}],
    "window": {"range": "5 minutes", "slide": "PT30S"},
    "where": "price > 10 AND symbol IN ('B', 'A')",
    "group_by": ["symbol"],
}
SQL = (
    "SELECT symbol, max(price) AS hi, count(*) AS n FROM trades WHERE symbol IN ('A', 'B') AND 10 < price "
    "GROUP BY symbol, window(ts, '5 minutes', '30 seconds')"
)
SPEC_FIELDS = ("stream", "aggregates", "window", "where", "group_by")

pytestmark = pytest.mark.usefixtures("trades")


def test_a_query_is_registered_in_normal_form(client):
    answer = client.post("/v1/queries", json=HI)
    assert answer.status_code == 201
    assert answer.headers["location"] == "/v1/queries/hi-5m"
    stored = answer.json()
    assert stored["aggregates"] == [
        {"function": "max", "column": "price", "as": "hi"},
        {"function": "count", "column": None, "as": "n"},
    ]
    assert stored["window"] == {"range": "5m", "slide": "30s", "unit": "time"}
    assert (stored["active_from"], stored["status"]) == (None, "active")
    assert client.get("/v1/queries/hi-5m").json() == stored


def test_the_same_query_again_is_no_conflict(client):
    stored = client.post("/v1/queries", json=HI).json()
    again = client.post("/v1/queries", json=HI)
    assert (again.status_code, again.json()) == (200, stored)
    as_sql = client.post("/v1/queries", json={"id": "hi-5m", "sql": SQL})
    assert (as_sql.status_code, as_sql.json()) == (200, stored)
    echoed = client.post("/v1/queries", json={"id": "hi-5m", **{k: stored[k] for k in SPEC_FIELDS}})
    assert (echoed.status_code, echoed.json()) == (200, stored)


def test_another_query_under_the_same_id_is_a_conflict(client):
    client.post("/v1/queries", json=HI)
    answer = client.post("/v1/queries", json={**HI, "group_by": []})
    assert (answer.status_code, answer.json()["code"]) == (409, "query_exists")
    assert answer.json()["errors"][0]["field"] == "id"


def test_equal_computations_share_a_canonical_number(client):
    first = client.post("/v1/queries", json=HI).json()
    twin = copy.deepcopy(HI) | {"id": "twin"}
    twin["aggregates"] = [{"function": "count"}, {"function": "max", "column": "price"}]
    other = {**HI, "id": "other", "where": None}
    assert client.post("/v1/queries", json=twin).json()["canonical"] == first["canonical"]
    assert client.post("/v1/queries", json=other).json()["canonical"] != first["canonical"]


def test_an_id_is_generated_when_none_is_given(client):
    one, two = (client.post("/v1/queries", json={"sql": SQL}).json()["id"] for _ in range(2))
    assert one != two
    assert client.get(f"/v1/queries/{one}").status_code == 200


def test_defaults_of_window_and_aliases(client):
    body = {
        "stream": "trades",
        "window": {"range": "1m"},
        "aggregates": [{"function": "count", "column": "*"}, {"function": "stddev", "column": "price"}],
    }
    stored = client.post("/v1/queries", json=body).json()
    assert stored["window"]["slide"] == "1m"
    assert [a["as"] for a in stored["aggregates"]] == ["count", "stddev_samp_price"]


def test_put_makes_a_new_incarnation_unless_nothing_changes(client):
    body = {k: v for k, v in HI.items() if k != "id"}
    created = client.put("/v1/queries/hi-5m", json=body)
    assert created.status_code == 201
    same = client.put("/v1/queries/hi-5m", json=HI)
    assert (same.status_code, same.json()) == (200, created.json())
    other = client.put("/v1/queries/hi-5m", json={**body, "group_by": []})
    assert other.status_code == 200
    assert other.json()["incarnation"] != created.json()["incarnation"]
    assert client.put("/v1/queries/else", json=HI).json()["errors"][0]["field"] == "id"


def test_an_id_taken_again_is_a_new_incarnation(client):
    first = client.post("/v1/queries", json=HI).json()
    assert client.delete("/v1/queries/hi-5m").status_code == 204
    assert client.get("/v1/queries/hi-5m").json()["code"] == "query_not_found"
    assert client.delete("/v1/queries/hi-5m").status_code == 404
    second = client.post("/v1/queries", json=HI).json()
    assert second["incarnation"] != first["incarnation"]
    assert second["canonical"] == first["canonical"]


def test_a_batch_is_all_or_nothing(client):
    queries = [{**HI, "id": f"q{i}"} for i in range(20)]
    bad = [copy.deepcopy(query) for query in queries]
    bad[17]["window"]["slide"] = "0s"
    bad[18] = {"sql": "SELECT nonsense"}
    bad[19]["aggregates"] = 5
    answer = client.post("/v1/queries:batch", json={"queries": bad})
    assert answer.status_code == 422
    assert [e["field"] for e in answer.json()["errors"]] == [
        "queries.17.window.slide",
        "queries.18.sql",
        "queries.19.aggregates",
    ]
    assert answer.json()["detail"].startswith("3 of 20 queries")
    assert client.get("/v1/queries").json()["items"] == []

    answer = client.post("/v1/queries:batch", json={"queries": queries})
    assert answer.status_code == 201
    assert [q["id"] for q in answer.json()["items"]] == [q["id"] for q in queries]
    again = client.post("/v1/queries:batch", json={"queries": queries})
    assert (again.status_code, again.json()["created"], again.json()["unchanged"]) == (201, 0, 20)

    clash = [{**HI, "id": "new"}, {**HI, "id": "q3", "where": None}, {**HI, "id": "new", "where": None}]
    answer = client.post("/v1/queries:batch", json={"queries": clash})
    assert (answer.status_code, answer.json()["code"]) == (422, "invalid_input")
    assert [e["field"] for e in answer.json()["errors"]] == ["queries.1.id", "queries.2.id"]
    answer = client.post("/v1/queries:batch", json={"queries": [*clash, bad[17], {"id": 5}]})
    assert answer.status_code == 422
    offending = {int(e["field"].split(".")[1]) for e in answer.json()["errors"]}
    assert offending == {1, 2, 3, 4}
    assert client.get("/v1/queries/new").status_code == 404


def test_every_offending_query_of_a_large_batch_is_named_in_few_words(client):
    wrong = {"stream": "trades", "aggregates": [{"function": "sum"}] * 9, "window": {"range": "0s"}}
    answer = client.post("/v1/queries:batch", json={"queries": [HI, *[wrong] * 300, {"sql": 5}]})
    fields = [e["field"] for e in answer.json()["errors"]]
    assert {int(field.split(".")[1]) for field in fields} == set(range(1, 302))
    assert len(fields) <= 3 * 301


def test_a_batch_of_legal_queries_that_no_engine_runs_says_so(client):
    tuples = {**HI, "window": {"range": 10, "slide": 1, "unit": "tuples"}}
    assert client.post("/v1/queries:batch", json={"queries": [tuples]}).json()["code"] == "unsupported"
    answer = client.post("/v1/queries:batch", json={"queries": [tuples, {"sql": "SELECT"}]})
    assert answer.json()["code"] == "invalid_input"


def test_the_same_queries_again_leave_plans_as_they_are(client):
    def version():
        return client.app.state.database.read(lambda s: s.get(Stream, "trades").version)

    client.post("/v1/queries", json=HI)
    client.post("/v1/queries:batch", json={"queries": [{**HI, "id": "b"}]})
    before = version()
    client.post("/v1/queries", json=HI)
    client.put("/v1/queries/hi-5m", json=HI)
    client.post("/v1/queries:batch", json={"queries": [HI, {**HI, "id": "b"}]})
    assert version() == before
    client.post("/v1/queries:batch", json={"queries": [HI, {**HI, "id": "c"}]})
    assert version() == before + 1


def test_pages_are_stable_while_queries_come_and_go(client):
    client.post("/v1/queries:batch", json={"queries": [{**HI, "id": f"q{i:02}"} for i in range(10)]})
    client.put("/v1/streams/other", json={"source": {"kind": "rate"}})
    first = client.get("/v1/queries", params={"limit": 4, "stream": "trades"}).json()
    assert [q["id"] for q in first["items"]] == ["q00", "q01", "q02", "q03"]
    client.delete("/v1/queries/q02")
    client.post("/v1/queries", json={**HI, "id": "q00x"})
    client.post("/v1/queries", json={**HI, "id": "q04x"})
    second = client.get("/v1/queries", params={"limit": 4, "cursor": first["next"]}).json()
    assert [q["id"] for q in second["items"]] == ["q04", "q04x", "q05", "q06"]
    assert client.get("/v1/queries", params={"stream": "other"}).json()["items"] == []
    assert client.get("/v1/queries", params={"cursor": "nonsense"}).json()["errors"][0]["field"] == "cursor"


def test_validation_says_what_a_registration_would(client):
    good = client.post("/v1/queries:validate", json=HI).json()
    assert (good["valid"], good["errors"]) == (True, [])
    assert good["normalized"]["window"] == {"range": "5m", "slide": "30s", "unit": "time"}
    for bad, field in [
        ({**HI, "window": {"range": "5m", "slide": "-1s"}}, "window.slide"),
        ({**HI, "id": 5}, "id"),
        ({**HI, "surprise": 1}, "surprise"),
        ({"sql": "SELECT 1"}, "sql"),
        ({}, "stream"),
    ]:
        answer = client.post("/v1/queries:validate", json=bad)
        assert (answer.status_code, answer.json()["valid"]) == (200, False)
        assert field in [e["field"] for e in answer.json()["errors"]]
    assert client.get("/v1/queries").json()["items"] == []


def test_queries_that_join_a_started_job_are_pending(client):
    def work(session):
        session.merge(Job(stream="trades", desired="running", since=from_micros(0), generation=1, epoch=1))

    client.app.state.database.write(work)
    assert client.post("/v1/queries", json=HI).json()["status"] == "pending"


@pytest.mark.parametrize("change", ["redefined", "deleted"])
def test_a_stream_that_changes_while_a_query_is_checked(client, monkeypatch, change):
    database = client.app.state.database
    write, calls = database.write, []

    def interrupted(work):
        calls.append(work)
        if len(calls) == 1:  # the query has been checked; now the stream changes before it is stored
            monkeypatch.setattr(database, "write", write)
            columns = [c for c in TRADES["schema"] if c["name"] != "quantity"]
            if change == "redefined":
                client.put("/v1/streams/trades", json={**TRADES, "schema": columns}).raise_for_status()
            else:
                client.delete("/v1/streams/trades").raise_for_status()
        return write(work)

    monkeypatch.setattr(database, "write", interrupted)
    body = {**HI, "aggregates": [{"function": "sum", "column": "quantity"}]}
    answer = client.post("/v1/queries", json=body)
    assert answer.status_code == 422
    field = "aggregates.0.column" if change == "redefined" else "stream"
    assert answer.json()["errors"][0]["field"] == field
    assert client.get("/v1/queries").json()["items"] == []


def test_simultaneous_registrations_of_one_id(client):
    bodies = [{**HI, "id": "one", "window": {"range": f"{1 + i % 2}m"}} for i in range(16)]
    with ThreadPoolExecutor(8) as pool:
        statuses = list(pool.map(lambda body: client.post("/v1/queries", json=body).status_code, bodies))
    assert statuses.count(201) == 1
    assert set(statuses) <= {200, 201, 409}
