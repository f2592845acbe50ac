"""``python -m planner_spark.calibrate HOME [--quick] [--plain]``: measure this machine."""

from __future__ import annotations

import argparse
import signal
import sys
from pathlib import Path

from rich.console import Console
from rich.progress import Progress, TaskID

from planner_spark.calibrate.file import calibration_file
from planner_spark.calibrate.measure import calibrate

__all__ = ["main"]


def main() -> int:
    """Show what is measured, and in the end where it is kept."""
    parser = argparse.ArgumentParser(prog="weft calibrate", description=__doc__)
    parser.add_argument("home", type=Path)
    parser.add_argument("--quick", action="store_true", help="kernels only, without Spark")
    parser.add_argument("--plain", action="store_true", help="no progress")
    options = parser.parse_args()
    # A measurement that is ended takes its folder and its JVM with it.
    signal.signal(signal.SIGTERM, lambda _signal, _frame: sys.exit(143))
    with Progress(console=Console(stderr=True), disable=options.plain, transient=True) as shown:
        tasks: dict[str, TaskID] = {}

        def progress(what: str, share: float) -> None:
            if what not in tasks:
                tasks[what] = shown.add_task(what, total=1.0)
            shown.update(tasks[what], completed=share)

        found = calibrate(options.home, quick=options.quick, progress=progress)
    print(f"{calibration_file(options.home)}: {len(found.kernels)} kernels, {found.cores} cores")  # noqa: T201
    return 0


if __name__ == "__main__":
    sys.exit(main())
