"""Bad input is refused with 4xx, names the field, and changes nothing."""

from __future__ import annotations

import json
from typing import get_args

import pytest

from app.main import create_app
from app.settings import Settings
from app.streams.sources import Source
from app.tags import SOURCE_KINDS
from tests.conftest import ADDRESS, TRADES, TestClient

QUERY = {
    "id": "q",
    "stream": "trades",
    "aggregates": [{"function": "sum", "column": "price", "as": "total"}],
    "window": {"range": "5m", "slide": "30s"},
}
FROM = "FROM trades GROUP BY window(ts, '1 minute')"
LONG = "x" * 10_000

BAD_QUERIES = {
    "unknown stream": ({"stream": "nope"}, "stream"),
    "unknown column": ({"aggregates": [{"function": "sum", "column": "nope"}]}, "aggregates.0.column"),
    "unknown function": (
        {"aggregates": [{"function": "median", "column": "price"}]},
        "aggregates.0.function",
    ),
    "sum of a string": ({"aggregates": [{"function": "sum", "column": "symbol"}]}, "aggregates.0.column"),
    "sum of nothing": ({"aggregates": [{"function": "sum"}]}, "aggregates.0.column"),
    "no aggregates": ({"aggregates": []}, "aggregates"),
    "too many aggregates": (
        {"aggregates": [{"function": "count", "as": f"a{i}"} for i in range(61)]},
        "aggregates",
    ),
    "duplicate aliases": (
        {"aggregates": [{"function": "count", "as": "n"}, {"function": "sum", "column": "price", "as": "N"}]},
        "aggregates.1.as",
    ),
    "alias of a grouping": (
        {"aggregates": [{"function": "count", "as": "symbol"}], "group_by": ["symbol"]},
        "aggregates.0.as",
    ),
    "alias of ours": ({"aggregates": [{"function": "count", "as": "window_start"}]}, "aggregates.0.as"),
    "alias with a quote": ({"aggregates": [{"function": "count", "as": "a`b"}]}, "aggregates.0.as"),
    "zero range": ({"window": {"range": "0s", "slide": "1s"}}, "window.range"),
    "zero slide": ({"window": {"range": "1m", "slide": "0s"}}, "window.slide"),
    "negative slide": ({"window": {"range": "1m", "slide": "-5s"}}, "window.slide"),
    "absurd range": ({"window": {"range": "999999999999d", "slide": "1d"}}, "window.range"),
    "calendar range": ({"window": {"range": "1 month", "slide": "1d"}}, "window.range"),
    "microseconds": ({"window": {"range": "1s", "slide": "10us"}}, "window.slide"),
    "1 ms over 10 years": ({"window": {"range": "3650d", "slide": "1ms"}}, "window.slide"),
    "no unit": ({"window": {"range": "5", "slide": "1"}}, "window.range"),
    "number as duration": ({"window": {"range": 5, "slide": "1s"}}, "window.range"),
    "duration as tuples": ({"window": {"range": "5m", "slide": 1, "unit": "tuples"}}, "window.range"),
    "zero tuples": ({"window": {"range": 0, "slide": 1, "unit": "tuples"}}, "window.range"),
    "tuples": ({"window": {"range": 1000, "slide": 100, "unit": "tuples"}}, "window.unit"),
    "grouping by event time": ({"group_by": ["ts"]}, "group_by.0"),
    "unknown grouping": ({"group_by": ["symbol", "nope"]}, "group_by.1"),
    "grouping twice": ({"group_by": ["symbol", "SYMBOL"]}, "group_by.1"),
    "unknown column in where": ({"where": "nope > 1"}, "where"),
    "type error in where": ({"where": "symbol + price"}, "where"),
    "subquery in where": ({"where": "price > (SELECT max(price) FROM trades)"}, "where"),
    "reflect in where": ({"where": "reflect('java.lang.Runtime', 'getRuntime') = 'x'"}, "where"),
    "java_method in where": ({"where": "java_method('java.lang.System', 'exit', 1) = 'x'"}, "where"),
    "statement in where": ({"where": "price > 1; DROP TABLE trades"}, "where"),
    "deep where": ({"where": "(" * 3000 + "price > 1" + ")" * 3000}, "where"),
    "long id": ({"id": LONG}, "id"),
    "odd id": ({"id": "../etc"}, "id"),
    "long stream": ({"stream": LONG}, "stream"),
    "long alias": ({"aggregates": [{"function": "count", "as": LONG}]}, "aggregates.0.as"),
    "long column": ({"aggregates": [{"function": "sum", "column": LONG}]}, "aggregates.0.column"),
    "long grouping": ({"group_by": [LONG]}, "group_by.0"),
    "list as id": ({"id": []}, "id"),
    "number as stream": ({"stream": 1}, "stream"),
    "object as aggregates": ({"aggregates": {}}, "aggregates"),
    "text as aggregate": ({"aggregates": ["count"]}, "aggregates.0"),
    "text as window": ({"window": "5m"}, "window"),
    "true as range": ({"window": {"range": True}}, "window.range"),
    "fraction as range": ({"window": {"range": 1.5}}, "window.range"),
    "text as group_by": ({"group_by": "symbol"}, "group_by"),
    "number as where": ({"where": 1}, "where"),
    "unknown field": ({"having": "n > 1"}, "having"),
    "unknown nested field": ({"window": {"range": "1m", "hop": "1s"}}, "window.hop"),
    "NUL": ({"where": "symbol = '\x00'"}, "where"),
    "lone surrogate": ({"group_by": ["\ud800"]}, "group_by.0"),
}

BAD_SQL = {
    "join": f"SELECT count(*) FROM trades JOIN trades b ON true {FROM.removeprefix('FROM trades ')}",
    "two tables": "SELECT count(*) FROM trades, other GROUP BY window(ts, '1 minute')",
    "subquery": "SELECT count(*) FROM (SELECT * FROM trades) GROUP BY window(ts, '1 minute')",
    "reflect": f"SELECT max(reflect('java.lang.Runtime', 'getRuntime')) AS x {FROM}",
    "java_method": f"SELECT java_method('java.lang.System', 'exit', 1) AS x {FROM}",
    "union": f"SELECT count(*) {FROM} UNION SELECT count(*) {FROM}",
    "drop": "DROP TABLE trades",
    "two statements": f"SELECT count(*) {FROM}; SELECT 1",
    "no window": "SELECT count(*) FROM trades",
    "other event time": "SELECT count(*) FROM trades GROUP BY window(price, '1 minute')",
    "grouping by event time": "SELECT count(*) FROM trades GROUP BY ts, window(ts, '1 minute')",
    "unknown stream": "SELECT count(*) FROM nope GROUP BY window(ts, '1 minute')",
    "unknown column": f"SELECT sum(nope) {FROM}",
    "calendar": "SELECT count(*) FROM trades GROUP BY window(ts, '1 month')",
    "nonsense": "SELEC count",
    "deep": f"SELECT count(*) FROM trades WHERE {'(' * 3000}price{')' * 3000} > 1 GROUP BY window(ts, '1 m')",
    "duplicate aliases": f"SELECT count(*) AS n, sum(price) AS n {FROM}",
    "NUL": f"SELECT count(*) {FROM}\x00",
}

BAD_STREAMS = {
    "unknown type": ({"schema": [{"name": "ts", "type": "datetime"}]}, "schema.0.type"),
    "wide decimal": ({"schema": [{"name": "ts", "type": "decimal(99,2)"}]}, "schema.0.type"),
    "column twice": (
        {"schema": [{"name": "ts", "type": "timestamp"}, {"name": "TS", "type": "long"}]},
        "schema.1.name",
    ),
    "long column": ({"schema": [{"name": LONG, "type": "long"}]}, "schema.0.name"),
    "reserved column": (
        {"schema": [{"name": "ts", "type": "timestamp"}, {"name": "window", "type": "long"}]},
        "schema.1.name",
    ),
    "no columns": ({"schema": []}, "schema"),
    "unknown event time": ({"event_time": "nope"}, "event_time"),
    "event time of another type": ({"event_time": "price"}, "event_time"),
    "negative watermark": ({"watermark": "-1s"}, "watermark"),
    "absurd watermark": ({"watermark": "8d"}, "watermark"),
    "zero rate": ({"rate": 0}, "rate"),
    "negative rate": ({"rate": -5}, "rate"),
    "text as rate": ({"rate": "5"}, "rate"),
    "true as rate": ({"rate": True}, "rate"),
    "unknown source": ({"source": {"kind": "socket"}}, "source.kind"),
    "no kind of source": ({"source": {"path": "/data"}}, "source.kind"),
    "number as kind": ({"source": {"kind": 5}}, "source.kind"),
    "kind as a field": (
        {"source": {"kind": "files", "files": {"path": "/x"}, "format": "csv"}},
        "source.path",
    ),
    "no source": ({"source": None}, "source"),
    "too many keys": ({"source": {"kind": "synthetic", "keys": 10_000_001}}, "source.keys"),
    "too many nulls": ({"source": {"kind": "synthetic", "nulls": 1.5}}, "source.nulls"),
    "bad disorder": ({"source": {"kind": "synthetic", "disorder": "soon"}}, "source.disorder"),
    "bad start": ({"source": {"kind": "synthetic", "start": "1767225600"}}, "source.start"),
    "far start": ({"source": {"kind": "synthetic", "start": "9999-01-01T00:00:00Z"}}, "source.start"),
    "zero heartbeat": ({"idle_heartbeat": "0s"}, "idle_heartbeat"),
    "unknown field": ({"surprise": 1}, "surprise"),
    "NUL": ({"event_time": "\x00"}, "event_time"),
}


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    """One service for all of these tests, as none of them may change it."""
    settings = Settings(home=tmp_path_factory.mktemp("home"), demo=False, host="127.0.0.1")
    app = create_app(settings, supervise=False)
    with TestClient(app, raise_server_exceptions=False, base_url=ADDRESS) as client:
        client.put("/v1/streams/trades", json=TRADES)
        yield client


def check_problem(answer, status: int) -> dict:
    """The answer is a problem document of the one shape."""
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    problem = answer.json()
    assert list(problem) == ["type", "title", "status", "detail", "code", "errors"]
    assert problem["status"] == status
    assert "Traceback" not in answer.text
    return problem


def registered(client) -> str:
    return client.get("/v1/queries").text + client.get("/v1/streams").text


@pytest.mark.parametrize("case", BAD_QUERIES)
def test_bad_queries(client, case):
    change, field = BAD_QUERIES[case]
    body = json.dumps(QUERY | change)
    before = registered(client)
    headers = {"content-type": "application/json"}
    problem = check_problem(client.post("/v1/queries", content=body, headers=headers), 422)
    assert field in [e["field"] for e in problem["errors"]], problem
    assert problem["code"] == ("unsupported" if case == "tuples" else "invalid_input")
    batch = check_problem(
        client.post("/v1/queries:batch", content=f'{{"queries": [{body}]}}', headers=headers), 422
    )
    assert f"queries.0.{field}" in [e["field"] for e in batch["errors"]]
    if "id" not in change:
        check_problem(client.put("/v1/queries/q", content=body, headers=headers), 422)
    assert registered(client) == before


@pytest.mark.parametrize("case", BAD_SQL)
def test_bad_sql(client, case):
    before = registered(client)
    problem = check_problem(client.post("/v1/queries", json={"sql": BAD_SQL[case]}), 422)
    assert {e["field"] for e in problem["errors"]} == {"sql"}
    assert registered(client) == before


@pytest.mark.parametrize("case", BAD_STREAMS)
def test_bad_streams(client, case):
    change, field = BAD_STREAMS[case]
    before = registered(client)
    problem = check_problem(client.put("/v1/streams/trades", json=TRADES | change), 422)
    assert field in [e["field"] for e in problem["errors"]], problem
    assert registered(client) == before


def test_the_kinds_of_sources_are_told_in_plain_words(client):
    for source in ({"kind": "socket"}, {}):
        problem = check_problem(client.put("/v1/streams/trades", json=TRADES | {"source": source}), 422)
        (error,) = problem["errors"]
        assert error["field"] == "source.kind"
        assert error["message"].endswith("one of files, rate, synthetic, kafka")
    members = get_args(get_args(Source)[0])
    assert tuple(get_args(member.model_fields["kind"].annotation)[0] for member in members) == SOURCE_KINDS


def test_a_spec_beside_sql_is_named_by_its_own_fields(client):
    body = {"sql": f"SELECT count(*) {FROM}", "stream": "trades", "where": "price > 1"}
    batch = {"queries": [body]}
    for path, given, prefix in (("/v1/queries", body, ""), ("/v1/queries:batch", batch, "queries.0.")):
        problem = check_problem(client.post(path, json=given), 422)
        assert [e["field"] for e in problem["errors"]] == [f"{prefix}stream", f"{prefix}where"]
        assert "beside sql" in problem["errors"][0]["message"]


@pytest.mark.parametrize("name", [LONG, "1x", "a b", "a%00b", "..%2f", "%ED%A0%80", "é"])
def test_bad_names_in_addresses(client, name):
    for path in (f"/v1/streams/{name}", f"/v1/queries/{name}x%20"):
        answer = client.get(path)
        check_problem(answer, answer.status_code)
        assert answer.status_code in {404, 422}
    answer = client.put(f"/v1/streams/{name}", json=TRADES)
    assert answer.status_code in {404, 422}


@pytest.mark.parametrize(
    "query", ["limit=0", "limit=1001", "limit=x", "cursor=%00", "cursor=eA", "stream=%00"]
)
def test_bad_parameters(client, query):
    problem = check_problem(client.get(f"/v1/queries?{query}"), 422)
    assert problem["errors"][0]["field"] == query.split("=")[0]
