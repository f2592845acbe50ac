"""When a silent stream is moved on, and when a service is taken for dead."""

from __future__ import annotations

import os
from pathlib import Path

from planner_spark.idleness import Idleness
from planner_spark.lease import PATIENCE, Lease
from planner_spark.status import Status

SECOND = 1_000_000
RESTING = {"isDataAvailable": False, "isTriggerActive": False}
WORKING = {"isDataAvailable": True, "isTriggerActive": True}


class Clock:
    now = 1_000.0

    def __call__(self) -> float:
        return self.now


def status(tuples: int, latest: int | None) -> Status:
    return Status(
        state="running", since="", epoch=1, generation=1, pid=1, tuples=tuples, max_event_time=latest
    )


def test_g09_silence_moves_the_streams_own_clock():
    clock = Clock()
    idle = Idleness(5 * SECOND, clock=clock)
    assert idle.beat(RESTING, status(10, 100 * SECOND)) is None
    clock.now += 4
    assert idle.beat(RESTING, status(10, 100 * SECOND)) is None
    clock.now += 2
    assert idle.beat(RESTING, status(10, 100 * SECOND)) == 106 * SECOND
    assert idle.beat(RESTING, status(10, 106 * SECOND)) is None
    clock.now += 1
    assert idle.beat(WORKING, status(10, 106 * SECOND)) is None
    clock.now += 6
    assert idle.beat(RESTING, status(10, 106 * SECOND)) == 113 * SECOND


def test_a_slow_batch_or_a_backlog_is_no_silence():
    clock = Clock()
    idle = Idleness(5 * SECOND, clock=clock)
    idle.beat(RESTING, status(10, 100 * SECOND))
    for _ in range(100):
        clock.now += 1
        assert idle.beat(WORKING, status(10, 100 * SECOND)) is None
    # The batch has ended, and its progress is not told yet.
    assert idle.beat(RESTING, status(10, 100 * SECOND)) is None
    assert idle.beat(RESTING, status(500, 300 * SECOND)) is None
    clock.now += 6
    assert idle.beat(RESTING, status(500, 300 * SECOND)) == 306 * SECOND


def test_no_heartbeat_before_the_first_tuple():
    clock = Clock()
    idle = Idleness(SECOND, clock=clock)
    for _ in range(10):
        clock.now += 10
        assert idle.beat(RESTING, status(0, None)) is None


def test_a_lease_runs_out_by_the_drivers_own_clock(tmp_path: Path):
    clock = Clock()
    path = tmp_path / "lease"
    path.touch()
    # Long ago by the clock on the wall, which says nothing.
    os.utime(path, (1, 1))
    lease = Lease(path, clock=clock)
    assert not lease.has_run_out()
    clock.now += PATIENCE - 1
    assert not lease.has_run_out()
    os.utime(path, (2, 2))
    assert not lease.has_run_out()
    clock.now += PATIENCE + 1
    assert lease.has_run_out()
