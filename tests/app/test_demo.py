"""The demonstration is given once."""

from __future__ import annotations

from pathlib import Path

from app.main import create_app
from app.settings import Settings
from optimizer.model.aggregates import AGGREGATES


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
