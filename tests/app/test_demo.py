"""The demonstration is given once."""

from __future__ import annotations

from pathlib import Path

import pytest

from app import demo
from app.main import create_app
from app.persistence.models import Marker
from app.settings import Settings
from optimizer.model.aggregates import AGGREGATES
from tests.conftest import TRADES


def test_the_first_start_registers_and_starts_it(serve, tmp_path: Path):
    client = serve(Settings(home=tmp_path))
    queries = client.get("/v1/queries", params={"stream": "demo"}).json()["items"]
    assert len(queries) == 12
    assert {a["function"] for q in queries for a in q["aggregates"]} == {a.name for a in AGGREGATES}
    assert client.get("/v1/streams/demo/job").json()["desired"] == "running"


def test_it_does_not_come_back(serve, tmp_path: Path):
    settings = Settings(home=tmp_path)
    client = serve(settings)
    assert client.delete("/v1/streams/demo?cascade=true").status_code == 204
    again = serve(settings, create_app(settings, supervise=False))
    assert again.get("/v1/streams").json()["items"] == []


def test_it_can_be_turned_off(client):
    assert client.get("/v1/streams").json()["items"] == []


def test_a_stream_of_somebodys_own_is_left_alone(serve, tmp_path: Path):
    before = serve(Settings(home=tmp_path, demo=False))
    own = {**TRADES, "watermark": "3s"}
    stored = before.put("/v1/streams/demo", json=own).json()
    after = serve(Settings(home=tmp_path))
    assert after.get("/v1/streams/demo").json() == stored
    assert after.get("/v1/queries").json()["items"] == []
    assert after.app.state.database.read(lambda s: s.get(Marker, "demo")) is not None


def test_a_query_of_somebodys_own_is_left_alone(serve, tmp_path: Path):
    before = serve(Settings(home=tmp_path, demo=False))
    before.put("/v1/streams/trades", json=TRADES)
    own = {"stream": "trades", "aggregates": [{"function": "count"}], "window": {"range": "1h"}}
    stored = before.put("/v1/queries/demo-load", json=own).json()
    after = serve(Settings(home=tmp_path))
    assert after.get("/v1/queries/demo-load").json() == stored
    assert len(after.get("/v1/queries", params={"stream": "demo"}).json()["items"]) == 11
    assert after.get("/v1/streams/demo/job").json()["desired"] == "running"


@pytest.mark.parametrize("step", ["register_all", "start"])
def test_an_interrupted_demonstration_goes_on(serve, tmp_path: Path, monkeypatch, step):
    class Died(Exception):
        pass

    def die(*_, **__):
        raise Died

    owner = demo.QueryService if step == "register_all" else demo.JobService
    with monkeypatch.context() as patched, pytest.raises(Died):
        patched.setattr(owner, step, die)
        serve(Settings(home=tmp_path))
    again = serve(Settings(home=tmp_path))
    assert again.get("/v1/streams/demo").json()["queries"] == 12
    assert again.get("/v1/streams/demo/job").json()["desired"] == "running"


def test_what_keeps_it_from_being_given_keeps_no_service_from_serving(serve, tmp_path: Path, monkeypatch):
    monkeypatch.setattr(demo, "_QUERIES", [demo._query("bad", ("5s", "5s"), "sum nothing")])
    client = serve(Settings(home=tmp_path))
    assert client.get("/readyz").status_code == 200
    assert client.app.state.database.read(lambda s: s.get(Marker, "demo")) is not None
