"""A small process that keeps the driver's contract without Spark, for the edges of the state machine.

How it behaves is said in the stream's source: ``{"kind": "files", "act": {...}}`` with

    crashes: n            exit with code 9 at the first n starts
    exit: code            exit with that code, once it is running
    error, error_code     what the status says when it exits with a code
    finish: true          read the bounded source to its end
    stubborn: true        ignore SIGTERM
    jvm: true             leave a child that holds the lock too and outlives it
    max_event_time: t     event time of the latest tuple, in microseconds

Every start adds a line to ``starts`` in its folder.
"""

from __future__ import annotations

import fcntl
import json
import os
import signal
import subprocess
import sys
import threading
import time
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

from planner_spark.shape import shape_of
from planner_spark.spec import JobSpec


def main(job: Path) -> int:
    """Run the job, so to speak."""
    spec = JobSpec.read(job)
    act = spec.stream.source.get("act", {})
    home = Path(spec.home)
    stopping = threading.Event()
    if not act.get("stubborn"):
        signal.signal(signal.SIGTERM, lambda *_: stopping.set())
    else:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    lock = os.open(home / "driver.lock", os.O_RDWR | os.O_CREAT)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return 3
    jvm = None
    if act.get("jvm"):
        os.set_inheritable(lock, True)
        jvm = subprocess.Popen(["sleep", "600"], pass_fds=[lock], start_new_session=True)
    holders = {"pid": os.getpid(), "jvm_pid": jvm.pid if jvm else None, "started": time.time()}
    _replace(home / "driver.json", holders)
    with (home / "starts").open("a") as starts:
        starts.write(f"{spec.epoch}\n")
    count = len((home / "starts").read_text().splitlines())

    def status(state: str, **more: object) -> None:
        words = {
            "state": state,
            "since": datetime.now(UTC).isoformat(),
            "epoch": spec.epoch,
            "generation": spec.generation,
            "pid": os.getpid(),
            "watermark": None,
            "max_event_time": act.get("max_event_time"),
            "results": 7,
            **more,
        }
        _replace(home / "status.json", words)

    status("starting")
    if not (home / "manifest.json").exists():
        versions = {"weft": version("weft-acq"), "spark": version("pyspark")}
        _replace(home / "manifest.json", {"shape": shape_of(spec), **versions})
    if count <= act.get("crashes", 0):
        return 9
    status("running")
    if "exit" in act:
        status("failed", error=act.get("error"), error_code=act.get("error_code"))
        return int(act["exit"])
    if act.get("finish"):
        status("finished")
        return 0
    while not stopping.wait(0.05):
        pass
    status("stopped")
    if jvm is not None and not act.get("leave_jvm"):
        jvm.kill()
        jvm.wait()
    return 0


def _replace(path: Path, words: dict[str, object]) -> None:
    partial = path.with_suffix(".part")
    partial.write_text(json.dumps(words))
    partial.replace(path)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
