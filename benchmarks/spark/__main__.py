"""Weft beside Spark's own queries and Flink on the same data: throughput, micro-batches, memory.

    python -m benchmarks.spark [--quick | --full] [--sides weft,tumbling] [--experiments hundred,growth] [--plot [DIR]]

The last line is JSON with the figures; ratios are Weft's throughput over the peer's. A quick run takes less than ten
minutes and has the same line from less data; a full one takes hours. Flink is installed into the work folder when it is
first needed; without a network or without Maven its figures are null, and the rest is measured all the same.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict
from pathlib import Path
from typing import Any

from rich.console import Console

from benchmarks.spark.experiments import EXPERIMENTS
from benchmarks.spark.figures import draw_all
from benchmarks.spark.headline import Report, headline
from benchmarks.spark.runs import Run
from benchmarks.spark.scale import FULL, QUICK, USUAL
from benchmarks.spark.sides import SIDES, flink
from benchmarks.spark.tables import all_tables
from planner_spark.calibrate.file import read_calibration

__all__ = ["main"]

ROOT = Path(__file__).resolve().parents[2]
WORK = ROOT / ".weft-bench"
WIDTH = 170
"""Columns that the widest table needs."""


def names(known: tuple[str, ...]) -> Any:
    """A parser of names with commas between them."""

    def parse(text: str) -> tuple[str, ...]:
        wanted = tuple(dict.fromkeys(part.strip() for part in text.split(",")))
        for name in wanted:
            if name not in known:
                raise argparse.ArgumentTypeError(f"{name!r} is none of {', '.join(known)}")
        return wanted

    return parse


def arguments() -> argparse.Namespace:
    """What is asked for."""
    parser = argparse.ArgumentParser(
        prog="benchmarks.spark", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    scales = parser.add_mutually_exclusive_group()
    scales.add_argument("--quick", action="store_true", help="less data, in under ten minutes")
    scales.add_argument("--full", action="store_true", help="more rounds, peers on more data: hours")
    parser.add_argument("--sides", type=names(SIDES), default=SIDES, help=f"of {', '.join(SIDES)}")
    every = tuple(EXPERIMENTS)
    parser.add_argument("--experiments", type=names(every), default=every, help=f"of {', '.join(every)}")
    parser.add_argument(
        "--work", type=Path, default=WORK, help="folder for data, tools and results: .weft-bench"
    )
    parser.add_argument(
        "--tools", type=Path, help="folder where Flink is installed: tools in the work folder"
    )
    parser.add_argument(
        "--plot",
        type=Path,
        nargs="?",
        const=Path(),
        metavar="DIR",
        help="draw plots, into the work folder or DIR",
    )
    return parser.parse_args()


def prepare(work: Path, tools: Path) -> None:
    """The folders, which are nobody's to commit."""
    tools.mkdir(parents=True, exist_ok=True)
    work.mkdir(parents=True, exist_ok=True)
    ignore = work / ".gitignore"
    if not ignore.exists():
        ignore.write_text("*\n")


def install_flink(tools: Path) -> None:
    """Get Flink before anything is timed; if that fails its side says why, and the others go on."""
    try:
        flink.install(tools)
        flink.parquet_format(tools)
    except (OSError, subprocess.SubprocessError, StopIteration) as error:
        print(f"Flink could not be installed: {error}", file=sys.stderr)


def calibrate(home: Path, *, quick: bool) -> None:
    """Measure this machine unless that was done: the forecasts are made of it."""
    if read_calibration(home) is None:
        command = [sys.executable, "-m", "planner_spark.calibrate", str(home), "--plain"]
        found = subprocess.run([*command, *(["--quick"] if quick else [])], capture_output=True, check=False)
        if found.returncode:
            print(f"no forecasts: {found.stderr.decode(errors='replace')[-500:]}", file=sys.stderr)


def as_json(report: Report) -> dict[str, Any]:
    """Every outcome of every round."""
    return {
        experiment: [
            {
                "title": comparison.title,
                "queries": comparison.queries,
                "keys": comparison.keys,
                "outcomes": {
                    name: [
                        {
                            "elapsed": round(outcome.elapsed, 3),
                            "reason": outcome.reason or None,
                            "result": outcome.result.json() if outcome.result else None,
                            "config": {
                                key: value
                                for key, value in asdict(outcome.config).items()
                                if key not in {"windows", "work", "tools"}
                            },
                        }
                        for outcome in outcomes
                    ]
                    for name, outcomes in comparison.outcomes.items()
                },
            }
            for comparison in comparisons
        ]
        for experiment, comparisons in report.items()
    }


def main() -> None:
    """Measure, print and draw."""
    given = arguments()
    scale = QUICK if given.quick else FULL if given.full else USUAL
    work = given.work.resolve()
    tools = (given.tools or work / "tools").resolve()
    prepare(work, tools)
    if "flink" in given.sides and {"hundred", "scaling"} & set(given.experiments):
        install_flink(tools)
    if "techniques" in given.experiments:
        calibrate(work, quick=given.quick)
    own = Path(tempfile.mkdtemp(prefix="run-", dir=work))
    run = Run(scale=scale, sides=given.sides, work=own, data=work / "data", tools=tools)
    try:
        report = {
            name: experiment(run) for name, experiment in EXPERIMENTS.items() if name in given.experiments
        }
    finally:
        shutil.rmtree(own, ignore_errors=True)
    figures = {**headline(report, scale), "cores": os.cpu_count(), "seconds": round(run.elapsed)}
    console = Console(width=WIDTH)
    for table in all_tables(report):
        console.print(table)
    stamp = time.strftime("%Y%m%d-%H%M%S", time.gmtime())
    path = work / f"spark-{scale.name}-{stamp}.json"
    path.write_text(json.dumps({"headline": figures, "experiments": as_json(report)}, indent=1))
    print(f"results in {path}", file=sys.stderr)
    if given.plot is not None:
        for drawn in draw_all(report, work if given.plot == Path() else given.plot):
            print(f"plot in {drawn}", file=sys.stderr)
    print(json.dumps(figures), flush=True)


if __name__ == "__main__":
    main()
