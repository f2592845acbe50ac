"""Starting a side in a process of its own, bounding its time, and checking what it counted."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

from benchmarks.spark.config import Config, Result
from benchmarks.spark.expected import expected_results
from benchmarks.spark.memory import Sampler
from benchmarks.spark.workload import Window

__all__ = ["Outcome", "launch", "mismatch"]

ROOT = Path(__file__).resolve().parents[2]
GRACE = 20
"""Seconds that a process has to end when it is told to."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What came of a side: a result or a reason why there is none."""

    config: Config
    result: Result | None = None
    reason: str = ""
    elapsed: float = 0.0


def launch(config: Config, *, timeout: float) -> Outcome:
    """Run the side within so many seconds; its folder is gone afterwards."""
    shutil.rmtree(config.folder, ignore_errors=True)
    config.folder.mkdir(parents=True)
    given, answer = config.folder / "config.json", config.folder / "result.json"
    config.write(given)
    log = config.folder.with_suffix(".log")
    began = time.monotonic()
    with log.open("w") as out:
        process = subprocess.Popen(
            [sys.executable, "-m", "benchmarks.spark.side", str(given), str(answer)],
            cwd=ROOT,
            env={**os.environ, "SPARK_LOCAL_IP": "127.0.0.1"},
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.STDOUT,
            # A group of its own, so that Java and Python's workers end with it.
            start_new_session=True,
        )
        with Sampler(process.pid) as sampler:
            reason = _wait(process, timeout)
    elapsed = time.monotonic() - began
    try:
        if reason or not answer.exists():
            reason = reason or f"ended with exit code {process.returncode}: {_last_words(log)}"
            return Outcome(config=config, reason=reason, elapsed=elapsed)
        result = replace(Result.parse(json.loads(answer.read_text())), peak_rss_mb=round(sampler.peak, 1))
        wrong = mismatch(config, result)
        return Outcome(config=config, result=None if wrong else result, reason=wrong, elapsed=elapsed)
    finally:
        shutil.rmtree(config.folder, ignore_errors=True)


def mismatch(config: Config, result: Result) -> str:
    """What is wrong with the number of results; empty if nothing is."""
    for each in result.emitted:
        windows = config.windows if each.query is None else (config.windows[each.query],)
        expected = _expected(config.data, config.files, windows, each.until)
        if each.counted != expected:
            return f"{each.counted:,} results instead of {expected:,} until second {each.until}"
    return ""


@lru_cache(maxsize=256)
def _expected(data: str, files: int, windows: Sequence[Window], until: int) -> int:
    # Tuples that are not read when a run is cut short are behind the watermark, and do not count.
    return expected_results(Path(data), files, windows, until=until)


def _wait(process: subprocess.Popen[bytes], timeout: float) -> str:
    try:
        process.wait(timeout)
    except subprocess.TimeoutExpired:
        return f"not done within {timeout:.0f} s"
    finally:
        _end(process)
    return ""


def _end(process: subprocess.Popen[bytes]) -> None:
    """End the process and what is left of its group, also when this one is interrupted."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(process.pid, number)
        except ProcessLookupError:
            return
        try:
            process.wait(GRACE)
        except subprocess.TimeoutExpired:
            continue
        if not _alive(process.pid, GRACE):
            return


def _alive(group: int, seconds: float) -> bool:
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return False
        time.sleep(0.1)
    return True


def _last_words(log: Path) -> str:
    lines = [line.strip() for line in log.read_text(errors="replace").splitlines() if line.strip()]
    errors = [line for line in lines if "Error" in line or "Exception" in line]
    return (errors or lines or ["it said nothing"])[-1][:300]
