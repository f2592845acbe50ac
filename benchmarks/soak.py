"""A job that runs for half an hour: memory and state must not grow once the longest range has passed.

    python -m benchmarks.soak [--minutes 30] [--work .weft-bench]

The job is a real driver process with Parquet results, on a synthetic stream. Its hundred windows are those of the
other benchmarks, forty times as short, so that half an hour is twelve times the longest range. Every few seconds the
memory of the whole process tree and the rows of Spark's state are noted. The last line is one JSON object.
"""

from __future__ import annotations

import argparse
import json
import shutil
import signal
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table

from benchmarks.spark.memory import tree_of, used
from benchmarks.spark.workload import windows
from planner_spark.home import Home
from planner_spark.spec import JobSpec, QuerySpec, StreamSpec

SECOND = 1_000_000
SHORTER = 40
RATE = 5_000.0
QUERIES = 100
KEYS = 200
EVERY = 5.0


@dataclass(frozen=True, slots=True)
class Sample:
    """What was seen at a time, in seconds since the start; the batch is that of the last progress."""

    at: float
    batch: int
    results: int
    memory_mb: float
    state_rows: int


def main() -> int:
    """Run, watch, and say how flat it was."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--minutes", type=float, default=30.0)
    parser.add_argument("--work", type=Path, default=Path(".weft-bench"))
    options = parser.parse_args()
    home = (options.work / "soak").absolute()
    shutil.rmtree(home, ignore_errors=True)
    home.mkdir(parents=True)
    spec = job(home)
    spec.write(home / "job.json")
    driver = subprocess.Popen(
        [sys.executable, "-m", "planner_spark", str(home / "job.json")],
        stdout=(home / "driver.log").open("w"),
        stderr=subprocess.STDOUT,
    )
    try:
        samples = watch(driver, Home.of(spec), seconds=options.minutes * 60)
    finally:
        driver.send_signal(signal.SIGTERM)
        try:
            driver.wait(timeout=90)
        except subprocess.TimeoutExpired:
            driver.kill()
    return report(samples, longest=max(query.range for query in spec.queries) / SECOND)


def job(home: Path) -> JobSpec:
    """A hundred windows over a thousand keys."""
    return JobSpec(
        home=str(home),
        generation=1,
        epoch=1,
        stream=StreamSpec(
            name="soak",
            source={"kind": "synthetic", "keys": KEYS, "seed": 1},
            schema=(("ts", "timestamp"), ("key", "string"), ("price", "double"), ("size", "long")),
            event_time="ts",
            watermark=SECOND,
            rate=RATE,
        ),
        queries=tuple(
            QuerySpec(
                number=number,
                range=window.range * SECOND // SHORTER,
                slide=window.slide * SECOND // SHORTER,
                aggregates=(("max", "price"), ("sum", "size")),
                group_by=("key",),
            )
            for number, window in enumerate(windows(QUERIES), start=1)
        ),
        retain_bytes=256 << 20,
        # Only so can Spark tell how many rows its state has.
        spark_conf={"spark.sql.streaming.stateStore.rocksdb.trackTotalNumberOfRows": "true"},
    )


def watch(driver: subprocess.Popen[bytes], home: Home, *, seconds: float) -> list[Sample]:
    """Samples until the time is over; a driver that ends before is an error."""
    began = time.monotonic()
    samples: list[Sample] = []
    while (now := time.monotonic() - began) < seconds:
        time.sleep(EVERY)
        if driver.poll() is not None:
            raise SystemExit(
                f"the driver ended with code {driver.returncode}: see {home.path / 'driver.log'}"
            )
        status = home.status()
        if status is None or status.batch < 0:
            continue
        memory = sum(used(process) for process in tree_of(driver.pid)) / 1024
        samples.append(Sample(now, status.batch, status.results, memory, status.state_rows))
        if len(samples) % 12 == 0:
            last = samples[-1]
            sys.stderr.write(
                f"{last.at:6.0f} s  batch {last.batch}  {last.results} results  {last.memory_mb:.0f} MiB  "
                f"{last.state_rows} rows of state\n"
            )
    return samples


def report(samples: list[Sample], *, longest: float) -> int:
    """A table by sixths of the run, and whether the last one is as the first after two longest ranges was."""
    table = Table("from", "to", "batches", "results", "memory MiB", "rows of state", title="soak")
    width = samples[-1].at / 6
    for part in range(6):
        own = [s for s in samples if part * width <= s.at <= (part + 1) * width]
        if own:
            table.add_row(
                f"{own[0].at:.0f} s",
                f"{own[-1].at:.0f} s",
                str(own[-1].batch - own[0].batch),
                str(own[-1].results - own[0].results),
                f"{statistics.median(s.memory_mb for s in own):.0f}",
                f"{statistics.median(s.state_rows for s in own):.0f}",
            )
    Console().print(table)
    early = [s for s in samples if 2 * longest <= s.at <= 3 * longest]
    late = [s for s in samples if s.at >= samples[-1].at - longest]
    line = {
        "minutes": round(samples[-1].at / 60, 1),
        "longest_ranges": round(samples[-1].at / longest, 1),
        "results": samples[-1].results,
        "peak_memory_mb": round(max(s.memory_mb for s in samples)),
        "memory_growth": _growth([s.memory_mb for s in early], [s.memory_mb for s in late]),
        "state_growth": _growth([s.state_rows for s in early], [s.state_rows for s in late]),
    }
    print(json.dumps(line))
    return 0


def _growth(early: Sequence[float], late: Sequence[float]) -> float | None:
    """The later median over the earlier one; None for a run that was too short."""
    if not early or not late or not statistics.median(early):
        return None
    return round(statistics.median(late) / statistics.median(early), 3)


if __name__ == "__main__":
    sys.exit(main())
