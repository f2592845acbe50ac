"""Registered means durable: what was acknowledged outlives a kill -9 of the service."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.conftest import TRADES
from tests.service import Service

QUERY = {"stream": "trades", "aggregates": [{"function": "count"}], "window": {"range": "1m", "slide": "10s"}}


def test_everything_acknowledged_is_there_after_kill_9(tmp_path: Path):
    stored: dict[str, dict] = {}
    for round_number in range(3):
        service = Service(tmp_path)
        client = service.wait_until_ready()
        try:
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
        finally:
            service.kill()


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
