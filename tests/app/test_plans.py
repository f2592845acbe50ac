"""Plans, what-if, costs and explanations over HTTP."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from app.http.accept import preferred
from app.plans.repository import KEPT
from costmodel import TECHNIQUES
from optimizer.registry import OPTIMIZERS
from tests.app.test_bad_input import check_problem

A = {
    "id": "a",
    "stream": "trades",
    "aggregates": [{"function": "count"}],
    "window": {"range": "6s", "slide": "2s"},
}
B = {
    "id": "b",
    "stream": "trades",
    "aggregates": [{"function": "sum", "column": "price"}],
    "window": {"range": "8s", "slide": "4s"},
}


@pytest.fixture
def planned(client, trades):
    """Two queries that share a tree: edges at every 2 s, rate 5000; planned as one tree with Panes."""
    client.post("/v1/queries:batch", json={"queries": [A, B]}).raise_for_status()
    way = {"optimizer": "shared", "technique": "panes"}
    client.post("/v1/streams/trades/plan:optimize", json=way).raise_for_status()


@pytest.mark.usefixtures("planned")
def test_the_plan_has_true_edges_and_costs(client):
    plan = client.get("/v1/streams/trades/plan").json()
    assert (plan["optimizer"], plan["technique"], plan["partials"]) == ("shared", "panes", "pairs")
    assert (plan["time_unit"], plan["rate"], plan["edge_rate"]) == ("1s", 5000.0, 0.5)
    (tree,) = plan["trees"]
    assert (tree["queries"], tree["edges"], tree["composite_slide"]) == (["a", "b"], 2, 4)
    # Eq. 3: the rate once, and an edge rate of 1/2 with Omega = 6/2 + 8/4.
    assert plan["cost"]["total"] == 5000 + 0.5 * 5
    assert plan["baselines"]["no_share"] == 2 * 5000 + 0.5 * 3 + 0.25 * 2
    assert client.get("/v1/streams/trades/plan").json() == plan


@pytest.mark.usefixtures("trades")
def test_a_stream_without_queries_has_an_empty_plan(client):
    plan = client.get("/v1/streams/trades/plan").json()
    assert (plan["trees"], plan["cost"]["total"]) == ([], 0)
    assert check_problem(client.get(f"/v1/plans/{plan['id']}"), 404)["code"] == "plan_not_found"
    change = client.put("/v1/streams/trades/rate", json={"rate": 1}).json()
    assert (change["plan"], change["changed"], change["previous"]) == (None, False, 5000.0)


@pytest.mark.usefixtures("planned")
def test_plans_follow_the_workload_and_earlier_ones_stay(client):
    first = client.get("/v1/streams/trades/plan").json()
    client.post("/v1/queries", json={**A, "id": "c", "window": {"range": "9s", "slide": "3s"}})
    done = client.post("/v1/streams/trades/plan:optimize", json={}).json()
    assert done["changed"] is True
    assert done["diff"]["added"] == ["c"]
    assert done["diff"]["moved"] == []
    assert done["diff"]["cost_before"] == first["cost"]["total"]
    second = client.get("/v1/streams/trades/plan").json()
    assert second == done["plan"]
    assert second["trees"][0]["composite_slide"] == 12
    assert client.get(f"/v1/plans/{first['id']}").json() == first
    again = client.post("/v1/streams/trades/plan:optimize").json()
    assert (again["changed"], again["diff"]["added"]) == (False, [])


@pytest.mark.usefixtures("planned")
def test_a_dry_run_changes_nothing(client):
    before = client.get("/v1/streams/trades/plan").json()
    body = {"rate": 7, "dry_run": True, "optimizer": "no_share", "partials": "panes"}
    done = client.post("/v1/streams/trades/plan:optimize", json=body).json()
    assert len(done["plan"]["trees"]) == 2
    assert done["plan"]["rate"] == 7
    assert client.get("/v1/streams/trades/plan").json() == before
    check_problem(client.get(f"/v1/plans/{done['plan']['id']}"), 404)


@pytest.mark.usefixtures("planned")
def test_a_new_rate_changes_costs_but_no_tree(client):
    before = client.get("/v1/streams/trades/plan").json()
    change = client.put("/v1/streams/trades/rate", json={"rate": 20000}).json()
    assert (change["rate"], change["previous"], change["changed"]) == (20000, 5000, False)
    assert "rate" in change["reason"]
    assert change["plan"]["cost"]["total"] == 20000 + 0.5 * 5
    assert change["plan"]["id"] != before["id"]
    assert client.get("/v1/streams/trades").json()["rate"] == 20000
    assert client.post("/v1/streams/trades/plan:optimize", json={"rate": 10}).json()["plan"]["rate"] == 10
    assert client.get("/v1/streams/trades").json()["rate"] == 10
    assert check_problem(client.put("/v1/streams/nope/rate", json={"rate": 1}), 404)
    assert check_problem(client.put("/v1/streams/trades/rate", json={"rate": 0}), 422)


@pytest.mark.usefixtures("planned")
def test_planning_again_allows_the_rates_that_a_stream_may_have(client):
    for path, body in [("plan:optimize", {"rate": 1.1e9}), ("rate", {"rate": 1.1e9})]:
        method = "POST" if path == "plan:optimize" else "PUT"
        problem = check_problem(client.request(method, f"/v1/streams/trades/{path}", json=body), 422)
        assert problem["errors"][0]["field"] == "rate"
    assert client.get("/v1/streams/trades").json()["rate"] == 5000


@pytest.mark.usefixtures("planned")
@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"optimizer": "gtweave"}, "optimizer"),
        ({"technique": "three_stacks"}, "technique"),
        ({"partials": "cutty"}, "partials"),
        ({"technique": "slickdeque_noninv"}, "technique"),
    ],
)
def test_what_does_not_run_yet_is_refused_with_a_word(client, body, field):
    problem = check_problem(client.post("/v1/streams/trades/plan:optimize", json={**body, "rate": 3}), 422)
    assert (problem["code"], problem["errors"][0]["field"]) == ("unsupported", field)
    assert client.get("/v1/streams/trades").json()["rate"] == 5000


@pytest.mark.usefixtures("planned")
def test_costs_are_compared(client):
    costs = client.get("/v1/streams/trades/plan/costs").json()
    lines = {(line["optimizer"], line["technique"]): line for line in costs["items"]}
    names = [t.name for t in TECHNIQUES]
    optimizers = [name for name, _ in OPTIMIZERS if name != "auto"]
    assert set(lines) == {(o, t) for o in optimizers for t in ["auto", *names]}
    assert lines["shared", "panes"]["total"] == 5000 + 0.5 * 5
    assert (lines["no_share", "panes"]["trees"], lines["no_share", "panes"]["refused"]) == (2, None)
    assert lines["exact", "panes"]["total"] <= lines["weaveshare", "panes"]["total"] == 5000 + 0.5 * 5
    totals = [line["total"] for line in costs["items"] if line["total"] is not None]
    assert totals == sorted(totals)
    # A sum is not selected: neither technique of min and max can serve it, and the reason says so.
    refused = lines["triweave", "slickdeque_noninv"]
    assert (refused["total"], refused["trees"]) == (None, None)
    assert "selective" in refused["refused"]


@pytest.mark.usefixtures("planned")
def test_plans_are_drawn(client):
    plan = client.get("/v1/streams/trades/plan").json()["id"]
    drawn = {
        form: client.get(f"/v1/plans/{plan}", params={"format": form}) for form in ("text", "mermaid", "dot")
    }
    assert "a: 6s every 2s" in drawn["text"].text
    assert f"plan {plan}:" in drawn["text"].text
    assert drawn["mermaid"].text.startswith("flowchart")
    assert drawn["dot"].headers["content-type"].startswith("text/vnd.graphviz")
    assert drawn["dot"].text.startswith("digraph")
    picture = client.get(f"/v1/plans/{plan}?format=svg")
    assert picture.headers["content-type"].startswith("image/svg+xml")
    assert "a: 6s every 2s" in "".join(ElementTree.fromstring(picture.text).itertext())
    check_problem(client.get(f"/v1/plans/{plan}?format=jpeg"), 422)


@pytest.mark.usefixtures("planned")
def test_a_query_is_explained(client):
    client.post("/v1/queries", json={**B, "id": "twin"})
    found = client.get("/v1/queries/b/explain").json()
    assert (found["tree"], found["shared"], found["co_members"]) == (1, True, ["a", "twin"])
    assert found["identical"] == ["twin"]
    assert found["marginal_cost"] == 0
    assert found["saved_by_sharing"] == found["alone_cost"] == 5000 + 0.25 * 2
    text = client.get("/v1/queries/a/explain", headers={"accept": "text/plain"})
    assert text.headers["content-type"].startswith("text/plain")
    assert "marginal cost" in text.text
    check_problem(client.get("/v1/queries/a/explain", headers={"accept": "image/png"}), 406)
    check_problem(client.get("/v1/queries/nope/explain"), 404)


@pytest.mark.usefixtures("planned")
def test_validation_says_what_a_query_would_cost(client):
    twin = client.post("/v1/queries:validate", json={**A, "id": "twin"}).json()
    assert twin["marginal_cost"] == pytest.approx(0)
    window = {"range": "6s", "slide": "3s"}
    costly = client.post("/v1/queries:validate", json={**A, "id": "new", "window": window}).json()
    # Edges at the multiples of 2 and 3: 4 of 6, and Omega is 2 more.
    assert costly["marginal_cost"] == pytest.approx(4 / 6 * 7 - 0.5 * 5)


def test_techniques_are_listed(client):
    items = client.get("/v1/techniques").json()["items"]
    assert [item["name"] for item in items] == [t.name for t in TECHNIQUES]
    by_name = {item["name"]: item for item in items}
    assert by_name["slickdeque_inv"]["serves"] == ["invertible"]
    assert by_name["panes"]["serves"] == ["invertible", "neither", "selective"]
    assert all(item["formula"] for item in items)
    assert [item["name"] for item in items if not item["multi_query"]] == ["two_stacks", "daba"]


@pytest.mark.usefixtures("planned")
def test_old_plans_are_forgotten(client):
    first = client.get("/v1/streams/trades/plan").json()["id"]
    for rate in range(1, KEPT + 1):
        client.put("/v1/streams/trades/rate", json={"rate": rate}).raise_for_status()
    check_problem(client.get(f"/v1/plans/{first}"), 404)


@pytest.mark.parametrize(
    ("accept", "expected"),
    [
        (None, "a/b"),
        ("*/*", "a/b"),
        ("c/d", "c/d"),
        ("c/*;q=0.9, a/b;q=0.1", "c/d"),
        ("*/*;q=0.1, a/b;q=0", "c/d"),
        ("a/b;q=x, c/d", "c/d"),
    ],
)
def test_the_preferred_representation(accept, expected):
    assert preferred(accept, ("a/b", "c/d")) == expected
