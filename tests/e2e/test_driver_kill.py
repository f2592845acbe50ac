"""``kill -9`` of the driver: after a restart nothing is lost and nothing repeated."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from planner_spark.files import read_json
from planner_spark.home import Home
from planner_spark.spec import JobSpec, QuerySpec
from tests.planner_spark.harness import bounded_spec, read_rows, write_files

pytestmark = pytest.mark.spark
SECOND = 1_000_000
START = datetime(2026, 1, 1, tzinfo=UTC)
SCHEMA = [("ts", "timestamp"), ("k", "string"), ("n", "long")]
QUERIES = [
    QuerySpec(
        number=1,
        range=10 * SECOND,
        slide=3 * SECOND,
        aggregates=(("count", "*"), ("sum", "n")),
        group_by=("k",),
    ),
    QuerySpec(number=2, range=60 * SECOND, slide=20 * SECOND, aggregates=(("max", "n"),), where="`n` > 10"),
]
PATIENCE = 120.0


def tuples(count: int) -> list[tuple]:
    rng = random.Random(11)
    return [
        (
            START + timedelta(seconds=i * 0.5 - rng.random() * 2),
            rng.choice(["a", "b", None]),
            rng.randrange(-50, 50),
        )
        for i in range(count)
    ]


def expected(rows: list[tuple]) -> dict[int, dict[tuple, tuple]]:
    """What an undisturbed run gives, by going through all windows one by one."""
    found: dict[int, dict[tuple, tuple]] = {1: {}, 2: {}}
    for second in range(-60, len(rows)):
        begin = START + timedelta(seconds=second)
        since = int(begin.timestamp())
        if since % 3 == 0:
            inside = [r for r in rows if begin <= r[0] < begin + timedelta(seconds=10)]
            for key in {r[1] for r in inside}:
                numbers = [r[2] for r in inside if r[1] == key]
                found[1][(begin, key)] = (len(numbers), sum(numbers))
        if since % 20 == 0:
            numbers = [r[2] for r in rows if begin <= r[0] < begin + timedelta(seconds=60) and r[2] > 10]
            if numbers:
                found[2][(begin,)] = (max(numbers),)
    return found


def start(spec: JobSpec) -> subprocess.Popen[bytes]:
    home = Path(spec.home)
    spec.write(home / "job.json")
    with (home / "driver.log").open("ab") as log:
        return subprocess.Popen(
            [sys.executable, "-m", "planner_spark", str(home / "job.json")],
            stdout=log,
            stderr=log,
            start_new_session=True,
        )


def run_with_kills(root: Path, *, files: int, kills: int, seed: int) -> None:
    rows = tuples(files * 40)
    parts = [rows[i : i + 40] for i in range(0, len(rows), 40)]
    write_files(root / "data", SCHEMA, parts)
    spec = bounded_spec(root / "gen", root / "data", SCHEMA, QUERIES, watermark=3 * SECOND, files_per_batch=1)
    rng = random.Random(seed)
    home = Home.of(spec)
    for _ in range(kills):
        driver = start(spec)
        wait_for(lambda d=driver: is_holder(home, d.pid), "the driver to take the lock")
        # Anywhere from the start of Spark to the middle of some batch.
        if rng.random() < 0.8:
            wait_for(lambda d=driver: d.poll() is not None or is_running(home, d.pid), "the driver to run")
        time.sleep(rng.random() * 6)
        assert driver.poll() is None, "the run ended before it could be killed: give it more files"
        os.kill(driver.pid, signal.SIGKILL)
        driver.wait(timeout=30)
    last = start(spec)
    try:
        assert last.wait(timeout=PATIENCE + 20 * files) == 0, (Path(spec.home) / "driver.log").read_text()[
            -3_000:
        ]
    finally:
        if last.poll() is None:
            os.kill(last.pid, signal.SIGKILL)
            last.wait(timeout=30)
    assert read_json(home.status_file)["state"] == "finished"
    assert read_rows(spec) == expected(rows)


def is_holder(home: Home, pid: int) -> bool:
    return (read_json(home.holder_file) or {}).get("pid") == pid


def is_running(home: Home, pid: int) -> bool:
    status = read_json(home.status_file) or {}
    return status.get("pid") == pid and status.get("state") == "running"


def wait_for(condition, what: str) -> None:
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline, f"waited in vain for {what}"
        time.sleep(0.05)


def test_two_kills(tmp_path: Path) -> None:
    run_with_kills(tmp_path, files=6, kills=2, seed=1)


@pytest.mark.slow
def test_twenty_kills(tmp_path: Path) -> None:
    run_with_kills(tmp_path, files=60, kills=20, seed=2)


def test_a_second_driver_is_turned_away(tmp_path: Path) -> None:
    """One driver per checkpoint: the second one ends with its own exit code and touches nothing."""
    write_files(tmp_path / "data", SCHEMA, [tuples(40)])
    spec = bounded_spec(tmp_path / "gen", tmp_path / "data", SCHEMA, QUERIES, watermark=0, files_per_batch=1)
    spec = replace(spec, stream=replace(spec.stream, source={**spec.stream.source, "bounded": False}))
    home = Home.of(spec)
    first = start(spec)
    try:
        wait_for(lambda: (read_json(home.status_file) or {}).get("state") == "running", "the first driver")
        before = read_json(home.status_file)["pid"]
        second = start(spec)
        assert second.wait(timeout=60) == 3
        assert read_json(home.status_file)["pid"] == before
        first.send_signal(signal.SIGTERM)
        assert first.wait(timeout=60) == 0
        assert read_json(home.status_file)["state"] == "stopped"
    finally:
        if first.poll() is None:
            os.kill(first.pid, signal.SIGKILL)
            first.wait(timeout=30)
