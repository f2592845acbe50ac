"""Calibration in the service: estimates in plans, cardinalities of streams, and the measurement of the first start."""

from __future__ import annotations

import os
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from app import calibration
from app.calibration import Measurements
from app.cli import cli
from app.settings import Settings
from costmodel.defaults import ASSUMED
from planner_spark.calibrate.file import calibration_file, read_calibration, write_calibration
from tests.conftest import TRADES

QUERY = {
    "id": "a",
    "stream": "trades",
    "aggregates": [{"function": "sum", "column": "price", "as": "total"}],
    "window": {"range": "5m", "slide": "10s"},
    "group_by": ["symbol"],
}
MEASURED = replace(ASSUMED, measured=True)


@pytest.fixture
def planned(client, trades):
    client.post("/v1/queries", json=QUERY).raise_for_status()
    return client


def plan_of(client):
    answer = client.get("/v1/streams/trades/plan")
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_plans_say_what_they_take_and_whether_that_was_measured(planned, settings):
    before = plan_of(planned)
    assert before["estimate"]["measured"] is False
    assert before["estimate"]["seconds_per_second"] > 0
    assert before["trees"][0]["estimated_seconds_per_second"] > 0
    stored = planned.get(f"/v1/plans/{before['id']}").json()
    assert stored["estimate"] == before["estimate"]
    assert "not measured on this machine" in planned.get(f"/v1/plans/{before['id']}?format=text").text
    write_calibration(settings.home, MEASURED)
    after = plan_of(planned)
    assert after["estimate"]["measured"] is True
    assert {lane["operation"] for lane in after["trees"][0]["lanes"]} == {"count", "sum"}
    asked = planned.post(
        "/v1/streams/trades/plan:optimize",
        json={"optimizer": "triweave", "technique": "daba", "dry_run": True},
    ).json()["plan"]
    assert asked["technique"] == "daba"


def test_what_if_has_an_estimate_for_windows_by_time(client):
    timed = {"id": "a", "range": "1m", "slide": "10s", "aggregates": [{"function": "count"}]}
    body = {"queries": [timed], "rate": 1000}
    assert client.post("/v1/optimize", json=body).json()["estimate"]["results_per_second"] == pytest.approx(
        0.1
    )
    assert client.post("/v1/optimize", json={"queries": [{"id": "a", "range": 8}]}).json()["estimate"] is None


def test_cardinalities_make_results(planned):
    assert planned.get("/v1/streams/trades").json()["cardinalities"] == {}
    few = plan_of(planned)["estimate"]["results_per_second"]
    answer = planned.put("/v1/streams/trades", json={**TRADES, "cardinalities": {"SYMBOL": 5000}})
    assert (answer.status_code, answer.json()["cardinalities"]) == (200, {"symbol": 5000})
    # 100 were assumed.
    assert plan_of(planned)["estimate"]["results_per_second"] == pytest.approx(50 * few, rel=0.01)


@pytest.mark.parametrize(
    ("given", "field", "word"),
    [
        ({"colour": 3}, "cardinalities.colour", "unknown column"),
        ({"symbol": 0}, "cardinalities.symbol", "from 1"),
        ({"symbol": 1, "Symbol": 2}, "cardinalities.Symbol", "twice"),
    ],
)
def test_cardinalities_that_cannot_be_are_refused(client, given, field, word):
    answer = client.put("/v1/streams/trades", json={**TRADES, "cardinalities": given})
    assert answer.status_code == 422
    (error,) = answer.json()["errors"]
    assert error["field"] == field and word in error["message"]
    wrong = client.put("/v1/streams/trades", json={**TRADES, "cardinalities": {"symbol": 1.5}})
    assert wrong.status_code in (400, 422) and "cardinalities.symbol" in wrong.text


def test_a_file_that_cannot_be_used_is_as_none(tmp_path: Path):
    measurements = Measurements(Settings(home=tmp_path))
    assert measurements.calibration is ASSUMED
    calibration_file(tmp_path).write_text('{"version": 1, "kernels"')
    assert measurements.calibration is ASSUMED
    write_calibration(tmp_path, MEASURED)
    assert measurements.calibration == MEASURED
    assert measurements.calibration is measurements.calibration


def test_the_first_start_measures_once_and_ends_with_the_service(monkeypatch, tmp_path: Path):
    script = "import sys, time, pathlib; pathlib.Path(sys.argv[1], 'begun').touch(); time.sleep(60)"
    monkeypatch.setattr(calibration, "COMMAND", (sys.executable, "-c", script))
    measurements = Measurements(Settings(home=tmp_path))
    assert measurements.begin()
    process = measurements._process
    assert process is not None
    deadline = time.monotonic() + 20
    while not (tmp_path / "begun").exists():
        assert time.monotonic() < deadline
        time.sleep(0.02)
    assert os.getpriority(os.PRIO_PROCESS, process.pid) == 19
    measurements.stop()
    assert process.poll() is not None
    write_calibration(tmp_path, MEASURED)
    assert not measurements.begin()


def test_it_is_left_out_where_it_is_not_wanted(settings):
    measurements = Measurements(settings)
    assert not measurements.begin()
    measurements.stop()


@pytest.mark.slow
def test_the_command_measures_kernels_in_a_few_seconds(monkeypatch, tmp_path: Path):
    monkeypatch.setenv("WEFT_HOME", str(tmp_path))
    ended = CliRunner().invoke(cli, ["calibrate", "--quick", "--plain"])
    assert ended.exit_code == 0
    found = read_calibration(tmp_path)
    assert found is not None and found.measured
