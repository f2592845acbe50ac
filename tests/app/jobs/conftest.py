"""A registry with a stream and its queries, and supervisors that run the small driver on it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from app.jobs.service import JobService
from app.jobs.supervisor import Supervisor
from app.persistence.database import Database
from app.persistence.migrate import migrate
from app.persistence.models import CanonicalQuery, Query, Stream
from app.settings import Settings
from planner_spark.home import Home, streams_folder
from tests.app.jobs.service_process import DRIVER

ROOT = Path(__file__).resolve().parents[3]
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT)}


@dataclass
class World:
    """A service without HTTP: registry, supervisor, and what a test does with them."""

    settings: Settings
    database: Database
    supervisors: list[Supervisor] = field(default_factory=list)

    def stream(self, name: str = "s", *, kind: str = "files", **act: Any) -> None:
        """Define a stream whose driver behaves as told."""
        now = datetime.now(UTC)
        definition = {
            "source": {"kind": kind, "path": "/nowhere", "bounded": bool(act.get("finish")), "act": act},
            "schema": [{"name": "ts", "type": "timestamp"}, {"name": "v", "type": "long"}],
            "event_time": "ts",
            "watermark": "10s",
            "rate": 100.0,
            "idle_heartbeat": None,
        }
        row = Stream(
            name=name, incarnation=str(uuid4()), definition=definition, version=1, created=now, updated=now
        )
        self.database.write(lambda session: session.add(row))

    def query(
        self, query_id: str, *, stream: str = "s", slide: int = 10, activated: bool = True, **parts: Any
    ) -> int:
        """Register a query; its canonical number."""
        body = {
            "unit": "time",
            "range": slide * 1_000_000,
            "slide": slide * 1_000_000,
            "aggregates": [["count", "*"]],
            "where": None,
            "group_by": [],
        }
        whole = {**body, **parts}
        text = json.dumps(whole)
        digest = sha256(text.encode()).hexdigest()

        def work(session: Any) -> int:
            canonical = session.query(CanonicalQuery).filter_by(stream=stream, hash=digest).one_or_none()
            if canonical is None:
                canonical = CanonicalQuery(stream=stream, hash=digest, text=text)
                session.add(canonical)
                session.flush()
            session.add(
                Query(
                    id=query_id,
                    stream=stream,
                    incarnation=str(uuid4()),
                    spec={
                        "stream": stream,
                        "aggregates": [
                            {"function": f, "column": None if c == "*" else c} for f, c in whole["aggregates"]
                        ],
                        "window": {name: f"{whole[name] // 1_000_000}s" for name in ("range", "slide")},
                    },
                    canonical_hash=digest,
                    canonical_number=canonical.number,
                    activated=activated,
                    created=datetime.now(UTC),
                )
            )
            return canonical.number

        return self.database.write(work)

    def row(self, query_id: str) -> Query:
        """A query as it is stored."""
        found = self.database.read(lambda session: session.get(Query, query_id))
        assert found is not None
        return found

    def supervise(self) -> Supervisor:
        """Start another service on the same folder."""
        supervisor = Supervisor(self.settings, self.database, command=DRIVER, tick=0.05)
        supervisor.start()
        self.supervisors.append(supervisor)
        return supervisor

    @contextmanager
    def doomed_service(self) -> Iterator[None]:
        """A service in another process, which gets ``kill -9`` at the end."""
        program = Path(__file__).with_name("service_process.py")
        process = subprocess.Popen([sys.executable, program, self.settings.home], cwd=ROOT, env=ENVIRONMENT)
        try:
            yield
        finally:
            process.kill()
            process.wait()

    def wait_for_driver(self) -> int:
        """Wait until a driver says that it is running; its process id."""
        deadline = time.monotonic() + 20
        while (status := self.home().status()) is None or status.state != "running":
            assert time.monotonic() < deadline
            time.sleep(0.02)
        return status.pid

    @property
    def jobs(self) -> JobService:
        watching = self.supervisors or [Supervisor(self.settings, self.database)]
        return JobService(self.database, self.settings, watching[-1])

    def home(self, generation: int = 1, stream: str = "s") -> Home:
        return Home.at(streams_folder(self.settings.home), stream, generation)

    def starts(self, generation: int = 1) -> list[int]:
        """The epochs with which drivers were started."""
        file = self.home(generation).path / "starts"
        return [int(line) for line in file.read_text().split()] if file.exists() else []

    def until(self, observed: str, stream: str = "s") -> dict[str, Any]:
        """Wait for a state."""
        return self.until_true(lambda shown: shown["observed"] == observed, stream)

    def until_true(self, holds: Callable[[dict[str, Any]], bool], stream: str = "s") -> dict[str, Any]:
        """Wait until something holds of the job."""
        deadline = time.monotonic() + 20
        while True:
            shown = self.jobs.show(stream)
            if holds(shown):
                return shown
            assert time.monotonic() < deadline, shown
            time.sleep(0.02)


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    settings = Settings(home=tmp_path / "weft")
    settings.home.mkdir()
    database = Database(settings.registry_url)
    migrate(database)
    world = World(settings=settings, database=database)
    yield world
    for supervisor in world.supervisors:
        supervisor.stop()
    database.close()
