"""Ways to plan over HTTP: auto, ways that stay, plans that follow, reasons, explanations with merges.

Rows T-07, I-14, A-26.
"""

from __future__ import annotations

import pytest

from costmodel import AUTO
from tests.app.test_bad_input import check_problem
from tests.app.test_plans import A

WINDOWS = {"a": (6, 2), "b": (8, 4), "c": (700, 7), "d": (45, 3), "e": (60, 12)}


def query(id_: str, length: int, slide: int, function: str = "sum", column: str = "price") -> dict:
    return {
        "id": id_,
        "stream": "trades",
        "aggregates": [{"function": function, "column": column}],
        "window": {"range": f"{length}s", "slide": f"{slide}s"},
    }


@pytest.fixture
def five(client, trades):
    """Five windows that do not all share at a low rate."""
    queries = [query(id_, *window) for id_, window in WINDOWS.items()]
    client.post("/v1/queries:batch", json={"queries": queries}).raise_for_status()
    client.put("/v1/streams/trades/rate", json={"rate": 1}).raise_for_status()


def optimize(client, **body):
    answer = client.post("/v1/streams/trades/plan:optimize", json=body)
    assert answer.status_code == 200, answer.text
    return answer.json()


@pytest.mark.usefixtures("five")
def test_auto_is_the_default_and_not_dearer_than_any_other_way(client):
    plan = client.get("/v1/streams/trades/plan").json()
    assert plan["requested"] == {"optimizer": "auto", "technique": "auto", "improve": True}
    assert sorted(q for tree in plan["trees"] for q in tree["queries"]) == sorted(WINDOWS)
    costs = client.get("/v1/streams/trades/plan/costs").json()["items"]
    among = {"auto", *(t.name for t in AUTO.techniques)}
    totals = [line["total"] for line in costs if line["total"] is not None and line["technique"] in among]
    assert plan["cost"]["total"] <= min(totals) + 1e-9
    assert all(value is not None for value in plan["baselines"].values())


@pytest.mark.usefixtures("five")
def test_a_way_to_plan_stays_until_another_is_asked_for(client):
    done = optimize(client, optimizer="weaveshare", technique="panes")
    assert (done["changed"], done["reason"]) == (True, "it was asked for in another way")
    assert done["plan"]["requested"] == {"optimizer": "weaveshare", "technique": "panes", "improve": False}
    client.post("/v1/queries", json=query("f", 30, 10)).raise_for_status()
    later = optimize(client)
    assert later["reason"] == "queries came or went"
    assert later["diff"]["added"] == ["f"]
    assert later["plan"]["requested"] == done["plan"]["requested"]
    assert client.get("/v1/streams/trades/plan").json()["optimizer"] == "weaveshare"


@pytest.mark.usefixtures("five")
def test_T_07_X_17_rates_change_the_trees_of_weave_share_and_not_those_of_triweave(client):
    counts = {}
    for optimizer in ("weaveshare", "triweave"):
        optimize(client, optimizer=optimizer, technique="panes")
        for rate in (0.01, 1000.0):
            change = client.put("/v1/streams/trades/rate", json={"rate": rate}).json()
            counts[optimizer, rate] = len(change["plan"]["trees"])
        last = change
    assert counts["weaveshare", 0.01] > counts["weaveshare", 1000.0] == 1
    assert counts["triweave", 0.01] == counts["triweave", 1000.0]
    assert last["changed"] is False and "rate" in last["reason"]
    optimize(client, optimizer="weaveshare", technique="panes")
    change = client.put("/v1/streams/trades/rate", json={"rate": 0.01}).json()
    assert change["changed"] is True and "at a rate of 0.01" in change["reason"]


@pytest.mark.usefixtures("five")
def test_I_14_what_cannot_be_planned_changes_nothing(client):
    before = client.get("/v1/streams/trades/plan").json()
    for body, word in (
        ({"technique": "slickdeque_noninv"}, "selective"),
        ({"optimizer": "weaveshare", "technique": "slickdeque_noninv", "rate": 77}, "invertible"),
    ):
        problem = check_problem(client.post("/v1/streams/trades/plan:optimize", json=body), 422)
        assert problem["errors"][0]["field"] == "technique"
        assert word in problem["errors"][0]["message"]
    assert client.get("/v1/streams/trades").json()["rate"] == 1
    assert client.get("/v1/streams/trades/plan").json() == before


@pytest.mark.usefixtures("five")
def test_a_plan_follows_queries_one_by_one(client):
    """The plan after each registration is close to one that is made of all queries at once."""
    for number, (length, slide) in enumerate([(120, 8), (33, 11), (45, 5), (90, 9), (12, 6)]):
        client.post("/v1/queries", json=query(f"n{number}", length, slide)).raise_for_status()
        plan = client.get("/v1/streams/trades/plan").json()
        anew = optimize(client, optimizer="exact", technique="auto", dry_run=True)["plan"]
        assert plan["cost"]["total"] <= 1.01 * anew["cost"]["total"]
        client.delete(f"/v1/queries/{'abcde'[number]}").raise_for_status()


@pytest.mark.usefixtures("five")
def test_an_explanation_has_alternatives_and_merges(client):
    optimize(client, optimizer="weaveshare", technique="panes")
    found = client.get("/v1/queries/b/explain").json()
    plan = client.get("/v1/streams/trades/plan").json()
    assert found["plan"] == plan["id"]
    assert found["alternatives"] and all(place["added_cost"] >= -1e-9 for place in found["alternatives"])
    assert {q for merge in found["merges"] for q in merge["joined"]} == set(found["co_members"])
    assert all(merge["gain"] > 0 for merge in found["merges"])
    text = client.get("/v1/queries/b/explain", headers={"accept": "text/plain"}).text
    assert "merge 1 gained" in text and "the plan would cost" in text
    alone = next(t for t in plan["trees"] if len(t["queries"]) == 1)["queries"][0]
    lonely = client.get(f"/v1/queries/{alone}/explain").json()
    assert lonely["shared"] is False
    assert "the best other one" in lonely["reason"]


@pytest.mark.usefixtures("five")
def test_A_26_other_columns_are_other_trees(client):
    client.post("/v1/queries", json=query("size", 6, 2, "sum", "quantity")).raise_for_status()
    client.post("/v1/queries", json={**A, "id": "count"}).raise_for_status()
    for tree in client.get("/v1/streams/trades/plan").json()["trees"]:
        assert len({lane["column"] for lane in tree["lanes"]} - {"*"}) <= 1
    found = client.get("/v1/queries/size/explain").json()
    assert "size" not in found["co_members"]


@pytest.mark.usefixtures("trades")
def test_I_29_V_16_an_explanation_counts_the_running_aggregates_of_the_tree(client):
    """Three ranges, for which the formula takes three running aggregates, need six."""
    shapes = {"x": (40, 4), "y": (60, 6), "z": (50, 10)}
    queries = [query(id_, *shape) for id_, shape in shapes.items()]
    client.post("/v1/queries:batch", json={"queries": queries}).raise_for_status()
    (tree,) = optimize(client, optimizer="shared", technique="slickdeque_inv")["plan"]["trees"]
    assert tree["omega"] == 2 * 3
    assert client.get("/v1/queries/x/explain").json()["tree_running_aggregates"] == 6


def test_what_if_at_a_rate_of_nothing(client):
    body = {"queries": [{"id": "a", "range": 6, "slide": 2}, {"id": "b", "range": 9, "slide": 3}], "rate": 0}
    plan = client.post("/v1/optimize", json={**body, "optimizer": "weaveshare", "technique": "panes"}).json()
    assert (len(plan["trees"]), plan["cost"]["sub_aggregation"]) == (2, 0)


@pytest.mark.usefixtures("five")
def test_panes_can_be_put_into_force(client):
    """Any plan with partials pairs or panes runs; the way is kept for the plans that follow."""
    plan = optimize(client, optimizer="shared", technique="flatfat", partials="panes")["plan"]
    assert (plan["partials"], plan["technique"]) == ("panes", "flatfat")
    client.post("/v1/queries", json=query("f", 7, 2)).raise_for_status()
    assert client.get("/v1/streams/trades/plan").json()["partials"] == "panes"
