"""Spark SQL to a query spec, and what a person is told when it cannot be one."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.sql import parse_sql
from optimizer.errors import InvalidInput

WINDOW = "window(ts, '5 minutes', '30 seconds')"
TAIL = f"GROUP BY symbol, {WINDOW}"


def test_the_example_of_the_contract():
    text = f"SELECT symbol, max(price) AS hi, count(*) AS n FROM trades WHERE price > 10 {TAIL}"
    assert parse_sql(text) == {
        "stream": "trades",
        "event_time": "ts",
        "aggregates": [
            {"function": "max", "column": "price", "as": "hi"},
            {"function": "count", "as": "n"},
        ],
        "window": {"range": "5 minutes", "slide": "30 seconds"},
        "where": "price > 10",
        "group_by": ["symbol"],
    }


def test_a_tumbling_window_slides_by_its_range_and_names_are_made_up():
    spec = parse_sql(
        "select stddev(p), var_pop(p), count(p), count(1) from t group by window(`ts`, '1 hour');"
    )
    assert spec["window"] == {"range": "1 hour", "slide": "1 hour"}
    assert [(a["function"], a["as"]) for a in spec["aggregates"]] == [
        ("stddev_samp", "stddev_samp_p"),
        ("var_pop", "var_pop_p"),
        ("count", "count_p"),
        ("count", "count"),
    ]
    assert "where" not in spec
    assert spec["group_by"] == []


@pytest.mark.parametrize(
    "selected",
    ["window", "window.start", "window.end AS window_end", WINDOW, f"{WINDOW} AS window", f"{WINDOW}.start"],
)
def test_the_window_may_be_selected(selected):
    assert parse_sql(f"SELECT {selected}, symbol, max(price) FROM trades {TAIL}")["group_by"] == ["symbol"]


def test_names_may_be_backquoted_and_qualified_by_the_stream_or_its_alias():
    spec = parse_sql(
        "SELECT t.`symbol`, max(trades.price) FROM `trades` t "
        f"WHERE t.price > 1 AND `trades`.symbol <> 't.x' AND (t.a=1) GROUP BY t.symbol, {WINDOW}"
    )
    assert spec["stream"] == "trades"
    assert spec["where"] == "price > 1 AND symbol <> 't.x' AND (a=1)"
    assert spec["group_by"] == ["symbol"]


@pytest.mark.parametrize(
    "name",
    [
        "index",
        "order",
        "table",
        "date",
        "timestamp",
        "left",
        "interval",
        "end",
        "case",
        "limit",
        "all",
        "window",
    ],
)
def test_a_stream_may_be_called_what_sql_calls_its_own_words(name):
    spec = parse_sql(
        f"SELECT {name}.symbol, max({name}.date) FROM {name} WHERE {name}.price > 1 AND {name}.date < 2 "
        f"GROUP BY {name}.symbol, window({name}.ts, '5 minutes')"
    )
    assert (spec["stream"], spec["event_time"], spec["group_by"]) == (name, "ts", ["symbol"])
    assert spec["where"] == "price > 1 AND date < 2"
    assert spec["aggregates"][0]["column"] == "date"


@pytest.mark.parametrize(
    ("text", "word"),
    [
        (f"SELECT max(a) FROM t JOIN u ON t.x = u.x {TAIL}", "JOIN"),
        (f"SELECT max(a) FROM t, u {TAIL}", "several tables"),
        (f"SELECT max(a) FROM (SELECT 1 AS a) {TAIL}", "subqueries"),
        (f"SELECT max(a) FROM t WHERE a IN (SELECT 1) {TAIL}", "subqueries"),
        (f"WITH x AS (SELECT 1) SELECT max(a) FROM x {TAIL}", "WITH"),
        (f"SELECT max(a) FROM t {TAIL} UNION ALL SELECT max(a) FROM t {TAIL}", "UNION"),
        (f"SELECT DISTINCT max(a) FROM t {TAIL}", "DISTINCT"),
        (f"SELECT max(a) FROM t {TAIL} HAVING max(a) > 1", "HAVING"),
        (f"SELECT max(a) FROM t {TAIL} ORDER BY symbol", "ORDER BY"),
        (f"SELECT max(a) FROM t {TAIL} LIMIT 3", "LIMIT"),
        (f"SELECT max(a) FROM t LATERAL VIEW explode(x) {TAIL}", "LATERAL"),
        ("SELECT max(a) FROM t GROUP BY symbol", "needs a window"),
        ("SELECT max(a) FROM t", "needs a window"),
        (f"SELECT max(a) FROM t GROUP BY {WINDOW}, window(ts, '1 minute')", "one window"),
        ("SELECT max(a) FROM t GROUP BY window(ts, '1 hour', '1 hour', '5 minutes')", "start time"),
        ("SELECT max(a) FROM t GROUP BY window(ts)", "durations"),
        ("SELECT max(a) FROM t GROUP BY window(ts, INTERVAL 5 MINUTES)", "durations"),
        ("SELECT max(a) FROM t GROUP BY session_window(ts, '1 hour')", "one window"),
        (f"SELECT other, max(a) FROM t {TAIL}", "neither grouped nor aggregated"),
        (f"SELECT symbol AS s, max(a) FROM t {TAIL}", "keeps its name"),
        (f"SELECT window.start AS s, max(a) FROM t {TAIL}", "keeps its name"),
        (f"SELECT window(ts, '1 hour'), max(a) FROM t {TAIL}", "must be the one in GROUP BY"),
        (f"SELECT symbol FROM t {TAIL}", "needs an aggregate"),
        (f"SELECT *, max(a) FROM t {TAIL}", "not an allowed aggregate"),
        (f"SELECT max(a + 1) FROM t {TAIL}", "not an expression"),
        (f"SELECT max(a) + 1 FROM t {TAIL}", "not an allowed aggregate"),
        (f"SELECT sum() FROM t {TAIL}", "sql"),
        (f"SELECT count(a, b) FROM t {TAIL}", "one plain column"),
        (f"SELECT count(DISTINCT a) FROM t {TAIL}", "DISTINCT"),
        (f"SELECT percentile(a, 0.5) FROM t {TAIL}", "not an allowed aggregate"),
        (f"SELECT max(a) FILTER (WHERE b > 1) FROM t {TAIL}", "FILTER"),
        (f"SELECT max(a) OVER () FROM t {TAIL}", "OVER"),
        (f"SELECT reflect('java.lang.System', 'exit') FROM t {TAIL}", "reflect".upper()),
        (f"SELECT max(a) FROM t WHERE reflect('java.lang.System', 'exit') = 1 {TAIL}", "reflect"),
        (f"SELECT max(a) FROM t WHERE java_method('x', 'y') = 1 {TAIL}", "java_method"),
        (f"SELECT max(a) FROM db.t {TAIL}", "plain name"),
        (f"SELECT max(a) FROM parquet.`/etc/passwd` {TAIL}", "plain name"),
        (f"SELECT max(a) FROM t TABLESAMPLE (10 PERCENT) {TAIL}", "plain name"),
        (f"SELECT max(a) FROM range(10) {TAIL}", "plain name"),
        (f"SELECT max(u.a) FROM t {TAIL}", "not the stream"),
        (f"SELECT max(a) {TAIL}", "needs FROM"),
        ("SELECT max(a) FROM t GROUP BY 1", "plain columns"),
        (f"SELECT max(a) FROM t GROUP BY lower(symbol), {WINDOW}", "plain columns"),
        (f"SELECT max(a) FROM t GROUP BY ROLLUP(symbol), {WINDOW}", "plain columns"),
        ("SELECT max(a) FROM t GROUP BY ALL", "ALL"),
        (f"SELECT max(a) FROM t {TAIL} WHERE a > 1", "before GROUP BY"),
        ("SELECT 1; SELECT 2", "one statement"),
        ("DROP TABLE t", "one SELECT"),
        ("SET spark.sql.ansi.enabled = false", "one SELECT"),
        ("", "one SELECT"),
        (f"SELECT /*+ BROADCAST(t) */ max(a) FROM t {TAIL}", "hints"),
        (f"SELECT max(a) FROM t -- all of it\n {TAIL}", "comments"),
        (f"SELECT max(a FROM t {TAIL}", "could not be read"),
        ("SELECT 'unclosed", "unclosed"),
        ("SELECT " + "x" * 100_001, "at most 100000"),
        ("SELECT " + "a," * 30_000, "words and signs"),
        ("SELECT " + "(" * 900, "parentheses"),
        ("SELECT max(a) FROM t WHERE " + "NOT " * 5000 + "b", "too deep"),
    ],
)
def test_a_refusal_is_at_sql_and_says_what_to_do(text, word):
    with pytest.raises(InvalidInput) as refused:
        parse_sql(text)
    assert [e.field for e in refused.value.errors] == ["sql"]
    assert word in str(refused.value)


PIECES = (
    "SELECT", "symbol", ",", "max", "(", "price", ")", "AS", "hi", "count", "*", "FROM", "trades", "t",
    "WHERE", ">", "10", "'a'", "GROUP BY", "window", "ts", "'5 minutes'", ".", "start", "DISTINCT", "1",
    "JOIN", "UNION", "(SELECT 1)", "HAVING", ";", "CASE", "END", "INTERVAL", "[", "]", "{", "}", "->",
    "OVER", "`", "--", "/*", "@", "$", ":", "CAST", "VALUES", "LATERAL VIEW", "PIVOT", "TABLESAMPLE",
    "EXCEPT", "NULL", "IN", "|>",
)  # fmt: skip


@given(st.lists(st.sampled_from(PIECES), max_size=30).map(" ".join))
@settings(max_examples=300, deadline=None)
def test_shuffled_sql_is_a_spec_or_a_refusal(text):
    for given_text in (text, f"SELECT {text}", f"SELECT max(a) FROM t WHERE {text} GROUP BY {WINDOW}"):
        _spec_or_refusal(given_text)


@given(st.text(), st.integers(0, 120), st.integers(0, 20))
@settings(max_examples=200, deadline=None)
def test_damaged_sql_is_a_spec_or_a_refusal(noise, position, removed):
    text = f"SELECT symbol, max(price) AS hi FROM trades WHERE price > 10 {TAIL}"
    _spec_or_refusal(text[:position] + noise + text[position + removed :])
    _spec_or_refusal(noise)


def _spec_or_refusal(text: str) -> None:
    try:
        spec = parse_sql(text)
    except InvalidInput as refused:
        assert {e.field for e in refused.errors} == {"sql"}
    else:
        assert spec["aggregates"]
        assert set(spec) - {"where"} == {"stream", "event_time", "aggregates", "window", "group_by"}
