"""Processes are only signalled when they prove to be the driver or its JVM."""

from __future__ import annotations

import fcntl
import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.jobs.process import LOG_LIMIT, Driver, is_locked, spawn
from planner_spark.checkpoint import read_until
from planner_spark.home import Home


@pytest.fixture
def home(tmp_path: Path) -> Home:
    home = Home.at(tmp_path, "s", 1)
    home.path.mkdir(parents=True)
    return home


@pytest.fixture
def stranger() -> Iterator[subprocess.Popen[bytes]]:
    """A process that has nothing to do with the job."""
    process = subprocess.Popen(["sleep", "60"])
    yield process
    process.kill()
    process.wait()


def test_nobody_holds_a_lock_that_is_not_there_or_was_given_back(home: Home):
    assert not is_locked(home)
    home.lock_file.write_text("{}")
    assert not is_locked(home)
    with home.lock_file.open("r+") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        assert is_locked(home)
    assert not is_locked(home)


def test_a_process_id_that_was_given_to_another_process_is_left_alone(
    home: Home, stranger: subprocess.Popen[bytes]
):
    home.lock_file.write_text(json.dumps({"pid": stranger.pid, "jvm_pid": stranger.pid, "started": 0}))
    driver = Driver(home, epoch=1)
    assert not driver.has_process
    driver.terminate()
    driver.kill()
    assert stranger.poll() is None


@pytest.mark.parametrize("words", ["", "{", "[]", '{"pid": "x"}', '{"pid": 0, "jvm_pid": -1}', '{"pid": 1}'])
def test_a_lock_without_sense_in_it_harms_nobody(home: Home, words: str):
    home.lock_file.write_text(words)
    driver = Driver(home, epoch=1)
    driver.kill()
    assert driver.exit_code is None


def test_a_driver_finds_the_packages_and_writes_its_log(home: Home):
    home.job_file.write_text("{}")
    program = "import sys, app, planner_spark; print('here', sys.argv[1])"
    driver = spawn(home, epoch=1, command=(os.sys.executable, "-c", program))
    while driver.exit_code is None:
        pass
    assert driver.exit_code == 0
    assert home.log_file.read_text() == f"here {home.job_file}\n"


def test_a_long_log_is_put_aside(home: Home):
    home.log_file.write_bytes(b"x" * (LOG_LIMIT + 1))
    driver = spawn(home, epoch=1, command=("true",))
    while driver.exit_code is None:
        pass
    assert home.log_file.stat().st_size == 0
    assert home.path.joinpath("driver.log.1").stat().st_size == LOG_LIMIT + 1


def test_the_checkpoint_says_how_far_was_read(tmp_path: Path):
    assert read_until(tmp_path, delay=5) is None
    commits = tmp_path / "commits"
    commits.mkdir()
    assert read_until(tmp_path, delay=5) is None
    for batch, watermark in ((9, 1_000), (10, 2_000)):
        (commits / str(batch)).write_text(f'v1\n{{"nextBatchWatermarkMs":{watermark}}}')
    (commits / ".10.crc").write_text("")
    # The latest event time was in [2.000 s, 2.001 s) after the delay.
    assert read_until(tmp_path, delay=10_000_000) == 12_000_999
