"""Registered means durable: what was acknowledged outlives a kill -9 of the service."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import httpx

from tests.conftest import TRADES

QUERY = {"stream": "trades", "aggregates": [{"function": "count"}], "window": {"range": "1m", "slide": "10s"}}


class Service:
    """``weft serve`` in a process of its own."""

    def __init__(self, home: Path) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        environment = {
            **os.environ,
            "WEFT_HOME": str(home),
            "WEFT_PORT": str(port),
            "WEFT_DEMO": "0",
        }
        command = [sys.executable, "-c", "from app.cli import main; main()", "serve"]
        self.process = subprocess.Popen(
            command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        self.client = httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=30)

    def __enter__(self) -> httpx.Client:
        deadline = time.monotonic() + 60
        while True:
            try:
                if self.client.get("/readyz").status_code == 200:
                    return self.client
            except httpx.TransportError:
                assert self.process.poll() is None, "the service ended"
                assert time.monotonic() < deadline, "the service does not answer"
            time.sleep(0.05)

    def __exit__(self, *_: object) -> None:
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        self.client.close()


def test_everything_acknowledged_is_there_after_kill_9(tmp_path: Path):
    stored: dict[str, dict] = {}
    for round_number in range(3):
        with Service(tmp_path) as client:
            found = {q["id"]: q for q in client.get("/v1/queries", params={"limit": 1000}).json()["items"]}
            assert found == stored
            if round_number == 0:
                stream = client.put("/v1/streams/trades", json=TRADES).json()
            assert client.get("/v1/streams/trades").json() == {**stream, "queries": len(stored)}
            for number in range(20):
                answer = client.post("/v1/queries", json={**QUERY, "id": f"one-{round_number}-{number}"})
                assert answer.status_code == 201
                stored[answer.json()["id"]] = answer.json()
            batch = [{**QUERY, "id": f"batch-{round_number}-{number}"} for number in range(100)]
            answer = client.post("/v1/queries:batch", json={"queries": batch})
            stored |= {q["id"]: q for q in answer.json()["items"]}


def test_serving_others_without_keys_is_refused_with_a_word(tmp_path: Path):
    environment = {**os.environ, "WEFT_HOST": "0.0.0.0", "WEFT_HOME": str(tmp_path)}
    command = [sys.executable, "-c", "from app.cli import main; main()", "serve"]
    ended = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60, check=False)
    assert ended.returncode == 2
    assert "WEFT_API_KEYS" in ended.stderr
    assert "Traceback" not in ended.stderr


def test_large_bodies_are_answered_over_a_real_connection(tmp_path: Path):
    headers = {"content-type": "application/json"}
    with Service(tmp_path) as client:
        for body in (b"x" * 50_000_000, (b"x" * 1_000_000 for _ in range(50))):
            answer = client.post("/v1/queries", content=body, headers=headers)
            assert (answer.status_code, answer.json()["code"]) == (413, "body_too_large")
        assert client.get("/v1/queries").json()["items"] == []
