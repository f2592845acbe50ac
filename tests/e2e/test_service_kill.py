"""``kill -9`` of the service while its job runs: the driver is adopted, and nothing is lost or repeated."""

from __future__ import annotations

import random
import time
from datetime import datetime
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.e2e.test_driver_kill import SCHEMA, expected, tuples
from tests.planner_spark.harness import write_files
from tests.service import Service

pytestmark = pytest.mark.spark
QUERIES = [
    {
        "id": "counts",
        "stream": "t",
        "aggregates": [{"function": "count", "as": "c"}, {"function": "sum", "column": "n", "as": "s"}],
        "window": {"range": "10s", "slide": "3s"},
        "group_by": ["k"],
    },
    {
        "id": "highest",
        "sql": "SELECT max(n) AS hi FROM t WHERE n > 10 GROUP BY window(ts, '60 seconds', '20 seconds')",
    },
]


def rows_of(client: httpx.Client, query: str) -> dict[tuple, tuple]:
    """All rows, page by page; one that comes twice fails."""
    found: dict[tuple, tuple] = {}
    after: str | None = None
    while True:
        page: dict[str, Any] = client.get(
            f"/v1/queries/{query}/results", params={"limit": 37, **({"after": after} if after else {})}
        ).json()
        for row in page["rows"]:
            key = (datetime.fromisoformat(row["window_start"]), *([row["k"]] if "k" in row else []))
            assert key not in found
            found[key] = (row["c"], row["s"]) if "c" in row else (row["hi"],)
        after = page["next"]
        if after is None:
            return found


def run_with_kills(root: Path, *, files: int, kills: int, seed: int) -> None:
    rows = tuples(files * 40)
    write_files(root / "data", SCHEMA, [rows[i : i + 40] for i in range(0, len(rows), 40)])
    rng = random.Random(seed)
    service = Service(root / "home")
    client = service.wait_until_ready()
    stream = {
        "source": {
            "kind": "files",
            "path": str(root / "data"),
            "format": "parquet",
            "bounded": True,
            "options": {"maxFilesPerTrigger": 1},
        },
        "schema": [{"name": name, "type": kind} for name, kind in SCHEMA],
        "event_time": "ts",
        "watermark": "3s",
    }
    assert client.put("/v1/streams/t", json=stream).status_code == 201
    for query in QUERIES:
        assert client.post("/v1/queries", json=query).status_code == 201
    assert client.post("/v1/streams/t/job").status_code == 202
    try:
        for _ in range(kills):
            time.sleep(rng.random() * 5)
            service.kill()
            service = Service(root / "home")
            client = service.wait_until_ready()
        deadline = time.monotonic() + 120 + 10 * files
        while (job := client.get("/v1/streams/t/job").json())["observed"] != "finished":
            assert job["observed"] != "failed", job
            assert time.monotonic() < deadline, job
            time.sleep(0.5)
        assert job["restarts"] == 0, "the driver was adopted, not started anew"
        wanted = expected(rows)
        assert rows_of(client, "counts") == wanted[1]
        assert rows_of(client, "highest") == wanted[2]
    finally:
        service.stop()


def test_two_kills(tmp_path: Path) -> None:
    run_with_kills(tmp_path, files=6, kills=2, seed=3)


@pytest.mark.slow
def test_ten_kills(tmp_path: Path) -> None:
    run_with_kills(tmp_path, files=40, kills=10, seed=4)
