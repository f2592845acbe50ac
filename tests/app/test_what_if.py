"""POST /v1/optimize: plans of workloads that nobody has registered."""

from __future__ import annotations

import pytest

from tests.app.test_bad_input import check_problem
from tests.app.test_queries import HI

PAIR = [{"id": "a", "range": 6, "slide": 2}, {"id": "b", "range": 8, "slide": 4}]


def plan(client, queries, **options):
    """A plan of one tree with Panes, unless the options say otherwise."""
    way = {"optimizer": "shared", "technique": "panes", "rate": 1, **options}
    answer = client.post("/v1/optimize", json={"queries": queries, **way})
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_plain_numbers_are_in_one_abstract_unit(client):
    found = plan(client, PAIR)
    assert (found["id"], found["time_unit"], found["cost"]["total"]) == (None, "1", 3.5)
    assert (found["trees"][0]["edges"], found["trees"][0]["composite_slide"]) == (2, 4)
    assert plan(client, [{"id": "a", "range": 6.0, "slide": 2.0}, PAIR[1]]) == found
    timed = [{"id": "a", "range": "250ms", "slide": "50ms"}]
    assert plan(client, timed)["time_unit"] == "1ms"
    assert plan(client, [{"id": "a", "range": 6}]) == plan(client, [{"id": "a", "range": 6, "slide": 6}])


@pytest.mark.parametrize(("factor", "unit"), [(0.5, "1"), (0.25, "0.5"), (0.1, "0.2"), (0.05, "0.1")])
def test_fractions_are_counted_exactly(client, factor, unit):
    """Every length shorter by a factor, and the rate higher by it: the same plan in a shorter unit."""
    scaled = [q | {name: round(q[name] * factor, 9) for name in ("range", "slide")} for q in PAIR]
    whole, fine = plan(client, PAIR), plan(client, scaled, rate=1 / factor)
    assert fine["time_unit"] == unit
    assert fine["trees"][0]["composite_slide"] == 2
    per_unit = float(unit) / factor
    assert fine["cost"]["total"] == pytest.approx(whole["cost"]["total"] * per_unit)
    assert fine["trees"][0]["edge_rate_error"] is None


def test_a_tenth_is_a_tenth(client):
    found = plan(client, [{"id": "a", "range": 0.3, "slide": 0.1}, {"id": "b", "range": 0.7, "slide": 0.7}])
    assert (found["time_unit"], found["trees"][0]["edges"], found["trees"][0]["composite_slide"]) == (
        "0.1",
        7,
        7,
    )


def test_abstract_units_may_be_as_many_as_json_can_say(client):
    found = plan(
        client, [{"id": "a", "range": 2**52, "slide": 1}, {"id": "b", "range": 2**53, "slide": 2**53}]
    )
    assert found["trees"][0]["edge_rate"] == 1
    assert plan(client, [{"id": "a", "range": 0.30000000000000004, "slide": 0.1}])["time_unit"].endswith("4")
    assert plan(client, [{"id": "a", "range": 10**13, "slide": 10**12}])["cost"]["total"] > 1


def test_windows_by_tuples(client):
    queries = [{"id": "a", "range": 1000, "slide": 100, "unit": "tuples"}]
    found = plan(client, queries, rate=5000)
    assert (found["time_unit"], found["rate"]) == ("1s", 5000)
    # An edge every 100 tuples, 50 a second, each used by 10 windows.
    assert found["edge_rate"] == 50
    assert found["cost"]["total"] == 5000 + 50 * 10


def test_partials_of_cutty_cut_at_starts_only(client):
    queries = [{"id": "a", "range": 5, "slide": 3}]
    assert plan(client, queries, partials="pairs")["trees"][0]["edges"] == 2
    assert plan(client, queries, partials="cutty")["trees"][0]["edges"] == 1


def test_the_rest_of_a_query_is_welcome(client, trades):
    full = {k: v for k, v in HI.items() if k != "window"} | {"range": "5m", "slide": "30s"}
    found = plan(client, [full, {**full, "id": "b", "where": "anything at all", "group_by": []}])
    assert found["stream"] == "trades"
    lanes = [(lane["operation"], lane["column"]) for lane in found["trees"][0]["lanes"]]
    assert lanes == [("count", "*"), ("count", "Price"), ("max", "Price")]
    bare = [{"id": i, "range": "5m", "slide": "30s"} for i in ("hi-5m", "b")]
    assert plan(client, bare)["cost"] == found["cost"]


@pytest.mark.parametrize(
    ("bad", "field"),
    [
        ([{"id": "a", "range": 6, "slide": "2s"}], "queries.0.slide"),
        ([*PAIR, {"id": "a", "range": 1, "slide": 1}], "queries.2.id"),
        ([{"id": "a", "range": 0, "slide": 1}], "queries.0.range"),
        ([{"id": "a", "range": -1.5, "slide": 1}], "queries.0.range"),
        ([{"id": "a", "range": 2**62 + 1, "slide": 1}], "queries.0.range"),
        ([{"id": "a", "range": 1e300, "slide": 1}], "queries.0.range"),
        ([{"id": "a", "range": 1, "slide": 1e-300}], "queries.0.range"),
        ([{"id": "a", "range": True}], "queries.0.range"),
        ([{"id": "a", "range": "5m", "unit": "tuples"}], "queries.0.range"),
        ([{"id": "a", "range": 1.5, "unit": "tuples"}], "queries.0.range"),
        ([{"id": "a", "range": "3661d"}], "queries.0.range"),
        ([PAIR[0], {"id": "b", "range": 5, "unit": "tuples"}], "queries.1.unit"),
        ([PAIR[0] | {"stream": "s"}, PAIR[1] | {"stream": "t"}], "queries.1.stream"),
        (
            [PAIR[0] | {"aggregates": [{"function": "median", "column": "p"}]}],
            "queries.0.aggregates.0.function",
        ),
        ([PAIR[0] | {"aggregates": [{"function": "sum"}]}], "queries.0.aggregates.0.column"),
        ([PAIR[0] | {"surprise": 1}], "queries.0.surprise"),
    ],
)
def test_what_cannot_be_planned_is_named(client, bad, field):
    problem = check_problem(client.post("/v1/optimize", json={"queries": bad}), 422)
    assert field in [e["field"] for e in problem["errors"]], problem


def test_a_dry_run_may_use_partials_that_no_job_uses(client, trades):
    client.post("/v1/queries", json=HI).raise_for_status()
    body = {"partials": "cutty", "dry_run": True}
    done = client.post("/v1/streams/trades/plan:optimize", json=body).json()
    assert done["plan"]["partials"] == "cutty"
