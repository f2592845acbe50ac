"""How fast queries are registered: 10,000 by batch, then single ones beside them, over HTTP on loopback.

    python benchmarks/registry.py [--queries 10000] [--singles 500]

The last line is JSON with the figures.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import httpx

ROOT = Path(__file__).resolve().parents[1]
GOALS = {"batch_10000_s": 10.0, "single_p99_ms": 50.0}
STREAM = {"source": {"kind": "synthetic", "keys": 100}, "rate": 1000}


def query(number: int) -> dict[str, Any]:
    """A query unlike most of the others: windows, predicates and groupings repeat with different periods."""
    slide = (1, 2, 5, 10, 15, 20, 30, 60)[number % 8]
    body: dict[str, Any] = {
        "id": f"query-{number}",
        "stream": "load",
        "aggregates": [
            {"function": "count", "as": "n"},
            {"function": ("sum", "avg", "min", "max", "stddev")[number % 5], "column": "value", "as": "x"},
        ],
        "window": {"range": f"{slide * (1 + number % 97)}s", "slide": f"{slide}s"},
    }
    if number % 2:
        body["where"] = f"value > {number % 1009} AND quantity BETWEEN {number % 7} AND 900"
    if number % 3:
        body["group_by"] = ["key"]
    return body


def serve(home: str) -> tuple[subprocess.Popen[bytes], str]:
    """Start ``weft serve`` and wait until it answers."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    environment = {**os.environ, "WEFT_HOME": home, "WEFT_PORT": str(port), "WEFT_DEMO": "0"}
    command = [sys.executable, "-c", "from app.cli import main; main()", "serve"]
    process = subprocess.Popen(
        command, cwd=ROOT, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    url = f"http://127.0.0.1:{port}"
    deadline = time.monotonic() + 60
    while True:
        try:
            httpx.get(f"{url}/readyz").raise_for_status()
        except httpx.HTTPError:
            if process.poll() is not None or time.monotonic() > deadline:
                raise
            time.sleep(0.1)
        else:
            return process, url


def measure(url: str, queries: int, singles: int) -> dict[str, float]:
    """Seconds of the batch, and milliseconds of single registrations after it."""
    with httpx.Client(base_url=url, timeout=120) as client:
        client.put("/v1/streams/load", json=STREAM).raise_for_status()
        body = {"queries": [query(number) for number in range(queries)]}
        begin = time.perf_counter()
        client.post("/v1/queries:batch", json=body).raise_for_status()
        batch = time.perf_counter() - begin
        times = []
        for number in range(queries, queries + singles):
            single = query(number)
            begin = time.perf_counter()
            client.post("/v1/queries", json=single).raise_for_status()
            times.append(1000 * (time.perf_counter() - begin))
    cuts = statistics.quantiles(times, n=100)
    return {f"batch_{queries}_s": batch, "single_p50_ms": cuts[49], "single_p99_ms": cuts[98]}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--queries", type=int, default=10_000)
    parser.add_argument("--singles", type=int, default=500)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as home:
        process, url = serve(home)
        try:
            figures = measure(url, given.queries, given.singles)
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(timeout=60)
    print(f"{'figure':<20}{'measured':>12}{'goal':>12}")
    for name, value in figures.items():
        goal = f"< {GOALS[name]:g}" if name in GOALS else ""
        print(f"{name:<20}{value:>12.2f}{goal:>12}")
    print(json.dumps({name: round(value, 3) for name, value in figures.items()}))


if __name__ == "__main__":
    main()
