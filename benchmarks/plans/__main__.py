"""How the cost of plans depends on the workload: the papers' experiments, as tables and plots.

    python -m benchmarks.plans [--quick] [--seeds 10] [--plots docs/experiments]

The last line is JSON with the figures. A quick run has fewer draws and points, and writes no plots unless it is told
where.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from rich.console import Console

from benchmarks.plans import batches, matrix, rates, sweeps
from benchmarks.plans.figures import draw_all
from benchmarks.plans.headline import Results, headline
from benchmarks.plans.tables import all_tables

ROOT = Path(__file__).resolve().parents[2]
PLOTS = ROOT / "docs" / "experiments"
SEEDS, QUICK_SEEDS = 10, 3
WIDTH = 130
"""Columns that the widest table needs."""


@contextmanager
def told(what: str) -> Iterator[None]:
    """Say on the error stream what is being done, and how long it took."""
    print(f"{what} ... ", end="", file=sys.stderr, flush=True)
    begin = time.perf_counter()
    yield
    print(f"{time.perf_counter() - begin:.1f} s", file=sys.stderr, flush=True)


def measure(*, seeds: int, quick: bool) -> Results:
    """Run all experiments."""
    swept, repeated, curves, matrices = [], [], [], []
    for experiment in sweeps.EXPERIMENTS:
        with told(f"experiment {experiment.number}, {experiment.label}"):
            swept.append(sweeps.run(experiment, experiment.quick if quick else experiment.values, seeds))
    for sweep in swept:
        with told(f"experiment {sweep.experiment.number}, largest gain with other seeds"):
            repeated.append(batches.run(sweep, batches.QUICK_BATCHES if quick else batches.BATCHES))
    for queries in rates.QUERIES:
        with told(f"input rates, {queries:,} ACQs"):
            curves.append(rates.run(queries, rates.QUICK_RATES if quick else rates.RATES, seeds))
    for rate in matrix.RATES:
        with told(f"plans and models, {rate:,.0f} tuples per second"):
            matrices.append(matrix.run(rate, matrix.QUICK_QUERIES if quick else matrix.QUERIES, seeds))
    return Results(swept, repeated, curves, matrices)


def at_least_one(text: str) -> int:
    """A number of seeds."""
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("must be 1 or more")
    return number


def main() -> None:
    """Measure, print and draw."""
    parser = argparse.ArgumentParser(
        prog="benchmarks.plans", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="fewer draws and points, no plots")
    parser.add_argument(
        "--seeds", type=at_least_one, help=f"draws of each setting: {SEEDS}, or {QUICK_SEEDS} if quick"
    )
    parser.add_argument(
        "--plots", type=Path, help="the folder for the plots: docs/experiments, or none if quick"
    )
    given = parser.parse_args()
    seeds = given.seeds or (QUICK_SEEDS if given.quick else SEEDS)
    results = measure(seeds=seeds, quick=given.quick)
    console = Console(width=WIDTH)
    for name, value in results.parameters.items():
        console.print(f"{name}: {value}", highlight=False)
    for table in all_tables(results):
        console.print(table)
    folder = given.plots or (None if given.quick else PLOTS)
    if folder is not None:
        with told(f"plots in {folder}"):
            draw_all(results, folder)
    print(json.dumps(headline(results)))


if __name__ == "__main__":
    main()
