"""Plans while the workload changes: the plan of now or a 404, and never an older plan over a newer one."""

from __future__ import annotations

import random
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from app.persistence.models import Plan
from app.plans.compare import difference
from app.plans.repository import PlanRepository
from app.plans.service import PlanService
from tests.app.test_bad_input import check_problem
from tests.app.test_plans import A, B
from tests.conftest import TRADES

pytestmark = pytest.mark.usefixtures("trades")


@pytest.fixture
def planned(client, trades):
    client.post("/v1/queries:batch", json={"queries": [A, B]}).raise_for_status()


@pytest.fixture
def meanwhile(monkeypatch):
    """Does something once, after a workload was read and before the plan made of it is kept."""

    def arrange(change):
        keep, waiting = PlanService._keep, [change]

        def interrupted(self, workload, plan):
            if waiting:
                waiting.pop()()
            return keep(self, workload, plan)

        monkeypatch.setattr(PlanService, "_keep", interrupted)

    return arrange


@pytest.mark.usefixtures("planned")
def test_a_stream_that_is_deleted_meanwhile_is_not_there(client, meanwhile):
    for path in ("/v1/streams/trades/plan", "/v1/queries/a/explain"):
        client.put("/v1/streams/trades", json=TRADES).raise_for_status()
        client.put("/v1/queries/a", json=A).raise_for_status()
        meanwhile(lambda: client.delete("/v1/streams/trades?cascade=true").raise_for_status())
        code = check_problem(client.get(path), 404)["code"]
        assert code == ("query_not_found" if "explain" in path else "stream_not_found")


@pytest.mark.usefixtures("planned")
@pytest.mark.parametrize("accept", ["application/json", "text/plain"])
def test_a_query_that_is_deleted_meanwhile_is_not_there(client, meanwhile, accept):
    meanwhile(lambda: client.delete("/v1/queries/a").raise_for_status())
    answer = client.get("/v1/queries/a/explain", headers={"accept": accept})
    assert check_problem(answer, 404)["code"] == "query_not_found"
    assert client.get("/v1/queries/b/explain").json()["co_members"] == []


@pytest.mark.usefixtures("planned")
def test_a_slower_call_does_not_put_an_older_plan_over_a_newer_one(client, meanwhile):
    newer = {}

    def change():
        client.post("/v1/queries", json={**A, "id": "c"}).raise_for_status()
        newer.update(client.get("/v1/streams/trades/plan").json())

    meanwhile(change)
    assert client.get("/v1/streams/trades/plan").json() == newer
    latest = client.app.state.database.read(lambda s: PlanRepository(s).latest("trades"))
    assert latest.id == newer["id"]


@pytest.mark.usefixtures("planned")
def test_a_plan_comes_out_however_often_the_workload_changes(client, monkeypatch):
    keep, number = PlanService._keep, iter(range(100))

    def interrupted(self, workload, plan):
        client.post("/v1/queries", json={**A, "id": f"c{next(number)}"}).raise_for_status()
        return keep(self, workload, plan)

    monkeypatch.setattr(PlanService, "_keep", interrupted)
    plan = client.get("/v1/streams/trades/plan").json()
    assert plan["trees"][0]["queries"] == ["a", "b", "c0", "c1", "c2"]
    assert client.get(f"/v1/plans/{plan['id']}").json() == plan


@pytest.mark.usefixtures("planned")
def test_readers_and_writers_at_once_see_plans_or_404(client):
    def act(number):
        if number % 4 == 0:
            client.put(f"/v1/queries/x{number % 3}", json={**A, "window": {"range": f"{1 + number % 7}s"}})
            return 200
        if number % 4 == 1:
            return client.delete(f"/v1/queries/x{number % 3}").status_code
        path = "/v1/streams/trades/plan" if number % 4 == 2 else f"/v1/queries/x{number % 3}/explain"
        return client.get(path).status_code

    with ThreadPoolExecutor(6) as pool:
        assert set(pool.map(act, range(120))) <= {200, 204, 404}
    final = client.get("/v1/streams/trades/plan").json()
    rows = client.app.state.database.read(lambda s: s.query(Plan).order_by(Plan.created).all())
    assert rows[-1].id == final["id"]
    assert len({row.created for row in rows}) == len(rows)


def _plan(groups):
    trees = [{"id": n, "queries": group} for n, group in enumerate(groups, start=1)]
    return {"trees": trees, "cost": {"total": 1.0}}


def test_who_moved_is_who_has_other_company_among_the_common_queries():
    chance = random.Random(7)
    for _ in range(300):
        plans = []
        for _ in range(2):
            groups: dict[int, list[str]] = {}
            for key in "abcdefgh":
                if chance.random() < 0.8:
                    groups.setdefault(chance.randrange(3), []).append(key)
            plans.append(list(groups.values()))
        before, after = plans
        old = {key: set(group) for group in before for key in group}
        new = {key: set(group) for group in after for key in group}
        common = old.keys() & new.keys()
        moved = sorted(key for key in common if old[key] & common != new[key] & common)
        assert difference(_plan(before), _plan(after))["moved"] == moved


def test_large_plans_are_compared_in_no_time():
    ids = [f"query-{n}" for n in range(30_000)]
    begin = time.perf_counter()
    found = difference(_plan([ids]), _plan([ids[:-1], ids[-1:]]))
    assert found["moved"] == sorted(ids)
    # Company by company this takes minutes; tree by tree, a fraction of a second.
    assert time.perf_counter() - begin < 5
