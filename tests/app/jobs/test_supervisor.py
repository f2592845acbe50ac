"""The supervisor against a real process that keeps the driver's contract."""

from __future__ import annotations

import os
import signal
import threading
import time
from pathlib import Path

import pytest
from sqlalchemy.orm import Session

from app.jobs import automaton
from app.jobs.process import is_locked
from app.jobs.state import TRANSITIONS, IllegalTransitionError, Observed, check_transition
from app.jobs.supervisor import Supervisor, SupervisorError
from app.persistence.models import Query, Stream
from app.streams.repository import StreamRepository
from tests.app.jobs.conftest import World
from tests.app.jobs.service_process import DRIVER


def test_every_state_has_its_transitions_and_only_those_are_legal():
    assert set(TRANSITIONS) == set(Observed)
    check_transition(Observed.RUNNING, Observed.RUNNING)
    with pytest.raises(IllegalTransitionError):
        check_transition(Observed.FINISHED, Observed.RUNNING)


def test_a_job_starts_runs_and_stops(world: World):
    world.stream()
    world.query("a")
    world.supervise()
    assert world.jobs.show("s")["observed"] == "stopped"
    asked = world.jobs.start("s", fresh=False)
    assert asked["desired"] == "running"
    shown = world.until("running")
    assert (shown["generation"], shown["epoch"], shown["results"], shown["error"]) == (1, 1, 7, None)
    world.jobs.start("s", fresh=False)
    assert world.jobs.stop("s")["desired"] == "stopped"
    world.until("stopped")
    assert not is_locked(world.home())
    assert world.home().status().state == "stopped"
    assert world.starts() == [1]


def test_a_stopped_job_resumes_in_its_generation_and_epoch(world: World):
    world.stream()
    world.query("a")
    world.supervise()
    for _ in range(2):
        world.jobs.start("s", fresh=False)
        world.until("running")
        world.jobs.stop("s")
        world.until("stopped")
    assert world.starts() == [1, 1]


def test_a_start_that_follows_a_stop_at_once_waits_for_the_driver_to_stop(world: World):
    world.stream()
    world.query("a")
    world.supervise()
    world.jobs.start("s", fresh=False)
    world.until("running")
    world.jobs.stop("s")
    world.jobs.start("s", fresh=False)
    world.until_true(lambda shown: shown["observed"] == "running" and world.starts() == [1, 1])


def test_a_crashed_driver_is_started_again_after_a_while(world: World):
    world.stream(crashes=2)
    world.query("a")
    world.supervise()
    begin = time.monotonic()
    world.jobs.start("s", fresh=False)
    recovering = world.until("recovering")
    assert "exit code 9" in recovering["error"]
    shown = world.until("running")
    assert time.monotonic() - begin >= 3  # 1 s, then 2 s
    assert shown["restarts"] == 2
    assert world.starts() == [1, 1, 1]


def test_a_killed_driver_is_started_again(world: World):
    world.stream()
    world.query("a")
    world.supervise()
    world.jobs.start("s", fresh=False)
    world.until("running")
    os.kill(world.home().status().pid, signal.SIGKILL)
    assert "was killed" in world.until("recovering")["error"]
    shown = world.until("running")
    assert (shown["restarts"], shown["error"]) == (1, None)
    assert "was killed" in shown["last_error"]


def test_a_checkpoint_that_the_driver_refuses_is_not_tried_again(world: World):
    world.stream(exit=4, error="the shards differ", error_code="checkpoint_mismatch")
    world.query("a")
    world.supervise()
    world.jobs.start("s", fresh=False)
    assert world.until("failed")["error"] == "the shards differ"
    time.sleep(1.5)
    assert world.starts() == [1]
    world.jobs.stop("s")
    world.until("stopped")


def test_a_source_that_is_missing_is_tried_again_and_named(world: World):
    world.stream(exit=5, error="/nowhere does not exist", error_code="source_unusable")
    world.query("a")
    world.supervise()
    world.jobs.start("s", fresh=False)
    shown = world.until_true(lambda shown: len(world.starts()) > 1)
    assert shown["error"] == "/nowhere does not exist"


def test_a_stubborn_driver_and_its_jvm_are_killed(world: World, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(automaton, "STOP_GRACE", 0.5)
    world.stream(stubborn=True, jvm=True)
    world.query("a")
    world.supervise()
    world.jobs.start("s", fresh=False)
    world.until("running")
    world.jobs.stop("s")
    world.until("stopping")
    world.until("stopped")
    assert not is_locked(world.home())


def test_a_jvm_that_outlives_its_driver_is_ended_before_the_next_start(
    world: World, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(automaton, "LINGER", 0.3)
    world.stream(jvm=True)
    world.query("a")
    world.supervise()
    world.jobs.start("s", fresh=False)
    world.until("running")
    os.kill(world.home().status().pid, signal.SIGKILL)
    world.until("recovering")
    world.until("running")
    assert world.starts() == [1, 1]


def test_a_finished_stream_stays_finished(world: World):
    world.stream(finish=True)
    world.query("a")
    world.supervise()
    world.jobs.start("s", fresh=False)
    world.until("finished")
    world.jobs.start("s", fresh=False)
    time.sleep(0.3)
    assert world.until("finished")["generation"] == 1
    world.jobs.stop("s")
    world.until("stopped")
    world.jobs.start("s", fresh=False)
    world.until("finished")
    assert world.starts() == [1]


def test_a_finished_stream_with_another_query_is_read_again_in_a_new_generation(world: World):
    world.stream(finish=True)
    world.query("a")
    world.supervise()
    world.jobs.start("s", fresh=False)
    world.until("finished")
    world.query("b", slide=20, activated=False)
    assert world.jobs.show("s")["pending"] == ["b"]
    world.jobs.start("s", fresh=False)
    shown = world.until_true(lambda shown: shown["observed"] == "finished" and shown["generation"] == 2)
    assert shown["pending"] == []
    assert world.row("b").active_from is None
    assert not world.home(1).path.exists()


def test_a_new_subscriber_of_an_answered_query_is_let_in_without_reading_again(world: World):
    world.stream(finish=True)
    world.query("a")
    world.supervise()
    world.jobs.start("s", fresh=False)
    world.until("finished")
    world.query("twin", activated=False)
    world.jobs.start("s", fresh=False)
    shown = world.until_true(lambda shown: shown["pending_count"] == 0)
    assert shown["generation"] == 1
    assert world.starts() == [1]


def test_fresh_replaces_a_running_generation(world: World):
    world.stream()
    world.query("a")
    world.supervise()
    world.jobs.start("s", fresh=False)
    world.until("running")
    world.jobs.start("s", fresh=True)
    world.until_true(lambda shown: shown["generation"] == 2 and shown["observed"] == "running")
    assert world.starts(2) == [1]
    assert not world.home(1).path.exists()


def test_queries_that_join_are_active_from_a_whole_window_on(world: World):
    world.stream(max_event_time=95_000_000)
    world.query("a", slide=30)
    first = world.query("b", slide=20)
    world.supervise()
    world.jobs.start("s", fresh=False)
    world.until("running")
    world.query("late", slide=70, activated=False)
    world.query("twin", slide=20, activated=False)
    world.jobs.start("s", fresh=False)
    assert world.jobs.show("s")["pending"] == ["late", "twin"]
    world.jobs.stop("s")
    world.until("stopped")
    world.jobs.start("s", fresh=False)
    shown = world.until("running")
    assert (shown["generation"], shown["epoch"], shown["pending_count"]) == (1, 2, 0)
    assert [world.row(q).active_from for q in ("a", "b", "late", "twin")] == [
        None,
        None,
        100_000_000,
        100_000_000,
    ]
    started = world.home().job()
    assert started is not None
    assert {q.number: q.active_from for q in started.queries} == {
        world.row("a").canonical_number: None,
        first: None,
        world.row("late").canonical_number: 100_000_000,
    }


def test_a_service_that_ends_stops_its_drivers_and_the_next_one_resumes_them(world: World):
    world.stream()
    world.query("a")
    supervisor = world.supervise()
    world.jobs.start("s", fresh=False)
    world.until("running")
    supervisor.stop()
    assert not is_locked(world.home())
    assert world.jobs.show("s")["desired"] == "running"
    world.supervise()
    world.until("running")
    assert world.starts() == [1, 1]


def test_the_driver_of_a_killed_service_is_adopted(world: World):
    world.stream()
    world.query("a")
    world.jobs.start("s", fresh=False)
    with world.doomed_service():
        pid = world.wait_for_driver()
    assert is_locked(world.home())
    world.supervise()
    world.jobs.start("s", fresh=False)
    world.until("running")
    assert world.home().status().pid == pid
    assert world.starts() == [1]
    world.jobs.stop("s")
    world.until("stopped")
    assert not is_locked(world.home())


def test_the_driver_of_a_killed_service_is_ended_when_it_is_not_wanted(world: World):
    world.stream(jvm=True)
    world.query("a")
    world.jobs.start("s", fresh=False)
    with world.doomed_service():
        world.wait_for_driver()
    world.jobs.stop("s")
    assert is_locked(world.home())
    world.supervise()
    world.until("stopping")
    world.until("stopped")
    assert not is_locked(world.home())


def test_a_driver_that_dies_after_its_service_is_started_again(world: World):
    world.stream()
    world.query("a")
    world.jobs.start("s", fresh=False)
    with world.doomed_service():
        pid = world.wait_for_driver()
    os.kill(pid, signal.SIGKILL)
    world.supervise()
    world.until("running")
    assert world.starts() == [1, 1]


def test_a_deleted_stream_loses_its_driver_and_its_folder(world: World):
    world.stream()
    world.query("a")
    world.supervise()
    world.jobs.start("s", fresh=False)
    world.until("running")
    folder: Path = world.home().path.parent

    def remove(session: object) -> None:
        streams = StreamRepository(session)  # type: ignore[arg-type]
        streams.remove(streams.get("s"))

    world.database.write(remove)
    deadline = time.monotonic() + 10
    while folder.exists():
        assert time.monotonic() < deadline
        time.sleep(0.05)
    world.stream()
    world.query("a")
    assert world.jobs.show("s")["observed"] == "stopped"


def test_a_folder_that_the_registry_never_knew_is_left_alone(world: World):
    """As when the service is started once with another database."""
    kept = world.home(stream="stranger").path / "results"
    kept.mkdir(parents=True)
    world.stream()
    world.query("a")
    world.supervise()
    world.jobs.start("s", fresh=False)
    world.until("running")
    assert kept.exists()


def test_a_generated_stream_keeps_its_rate_within_a_generation(world: World):
    """The time of a generated tuple follows from its number and the rate: another rate would make time jump."""
    world.stream(kind="synthetic")
    world.query("a")
    world.supervise()
    world.jobs.start("s", fresh=False)
    world.until("running")

    def double(session: Session) -> None:
        row = session.get_one(Stream, "s")
        row.definition = {**row.definition, "rate": 200.0}

    world.database.write(double)
    rates = []
    for fresh in (False, True):
        world.jobs.stop("s")
        world.until("stopped")
        world.jobs.start("s", fresh=fresh)
        generation = world.until("running")["generation"]
        started = world.home(generation).job()
        assert started is not None
        rates.append(started.stream.rate)
    assert rates == [100.0, 200.0]


def test_a_start_that_could_not_be_composed_is_tried_again_when_asked_for(world: World):
    world.stream()
    world.query("a")
    world.jobs.start("s", fresh=False)
    world.database.write(lambda session: session.delete(session.get_one(Query, "a")))
    world.supervise()
    assert "no queries" in world.until("failed")["error"]
    world.query("b")
    world.jobs.start("s", fresh=False)
    world.until("running")


def test_one_stream_that_fails_does_not_hold_up_another(world: World):
    world.stream("broken", crashes=99)
    world.query("x", stream="broken")
    world.stream("s")
    world.query("a")
    world.supervise()
    world.jobs.start("broken", fresh=False)
    world.jobs.start("s", fresh=False)
    world.until("running")
    world.until("recovering", "broken")


def test_a_second_service_on_the_same_folder_is_refused(world: World, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("app.jobs.supervisor._LEASE_PATIENCE", 0.2)
    world.supervise()
    with pytest.raises(SupervisorError, match="another Weft service"):
        Supervisor(world.settings, world.database, command=DRIVER).start()


def test_the_lease_is_touched_while_the_service_lives(world: World):
    supervisor = world.supervise()
    lease = world.settings.home / "service.lease"
    os.utime(lease, (0, 0))
    deadline = time.monotonic() + 5
    while lease.stat().st_mtime < 1:
        assert time.monotonic() < deadline
        time.sleep(0.02)
    supervisor.stop()


def test_the_lease_is_touched_while_the_registry_does_not_answer(
    world: World, monkeypatch: pytest.MonkeyPatch
):
    supervisor = world.supervise()
    lease = world.settings.home / "service.lease"
    answering = threading.Event()
    with monkeypatch.context() as patch:
        patch.setattr(supervisor._registry, "rows", lambda: answering.wait(5) and {})
        time.sleep(0.3)
        os.utime(lease, (0, 0))
        time.sleep(0.5)
        assert lease.stat().st_mtime > 1
        answering.set()
    supervisor.stop()


def test_the_registry_may_be_out_of_reach_for_a_while(world: World, monkeypatch: pytest.MonkeyPatch):
    world.stream()
    world.query("a")
    supervisor = world.supervise()
    world.jobs.start("s", fresh=False)
    world.until("running")
    registry = supervisor._registry
    with monkeypatch.context() as patch:
        patch.setattr(registry, "rows", lambda: 1 / 0)
        time.sleep(0.3)
    assert world.database.read(lambda session: session.get(Stream, "s")) is not None
    world.jobs.stop("s")
    world.until("stopped")
