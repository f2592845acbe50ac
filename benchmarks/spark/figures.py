"""The results as plots: throughput and batch time over queries, and forecast beside measurement."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import matplotlib as mpl

mpl.use("Agg")

from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from benchmarks.spark.headline import Report
from benchmarks.spark.rounds import Comparison

__all__ = ["draw_all"]

STYLES = {
    "weft": ("tab:blue", "o", "Weft"),
    "tumbling": ("tab:gray", "s", "Spark, one tumbling query"),
    "spark_windows": ("tab:orange", "^", "Spark, a query per window"),
    "spark_exploded": ("tab:red", "v", "Spark, one exploded query"),
    "flink": ("tab:green", "D", "Flink SQL"),
}
LINES = ("-", "--", ":", "-.")
Figured = Callable[[Comparison, str], float | None]


def draw_all(report: Report, folder: Path) -> list[Path]:
    """Draw what there are results for, as PNG."""
    folder.mkdir(parents=True, exist_ok=True)
    drawn = []
    points = [*report.get("hundred", ()), *report.get("scaling", ())]
    if points:
        drawn.append(_save(_scaling(points), folder / "spark-scaling.png"))
    if report.get("techniques"):
        drawn.append(_save(_techniques(report["techniques"][0]), folder / "spark-techniques.png"))
    return drawn


def _scaling(points: Sequence[Comparison]) -> Figure:
    figure, (left, right) = plt.subplots(1, 2, figsize=(11, 5), layout="constrained")
    _curves(left, points, lambda point, name: point.throughput(name))
    _curves(right, points, lambda point, name: point.median(name, lambda result: result.batch(0.5)))
    left.set_ylabel("tuples per second")
    right.set_ylabel("median micro-batch (s)")
    for axes in (left, right):
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_xlabel("distinct queries")
        axes.grid(visible=True, which="both", alpha=0.2)
    handles, labels = left.get_legend_handles_labels()
    if handles:
        figure.legend(handles, labels, loc="outside lower center", ncols=3)
    return figure


def _curves(axes: Axes, points: Sequence[Comparison], figure: Figured) -> None:
    """A line for each side and number of keys; of two points at the same place the last is drawn."""
    for place, keys in enumerate(sorted({point.keys for point in points})):
        for side, (colour, marker, label) in STYLES.items():
            found = {
                point.queries: value
                for point in points
                if point.keys == keys and (value := figure(point, side)) is not None
            }
            if not found:
                continue
            line = LINES[place % len(LINES)]
            name = f"{label}, {keys:,} keys"
            if side == "tumbling":
                # It is one query wherever it is run: a floor for all numbers of queries.
                axes.axhline(next(iter(found.values())), color=colour, linestyle=line, label=name)
                continue
            queries = sorted(found)
            axes.plot(
                queries,
                [found[each] for each in queries],
                color=colour,
                marker=marker,
                linestyle=line,
                label=name,
            )


def _techniques(comparison: Comparison) -> Figure:
    """Both normalised at their maximum, as the papers draw them."""
    figure, axes = plt.subplots(figsize=(9, 5), layout="constrained")
    speeds = {name: speed for name in comparison.outcomes if (speed := comparison.throughput(name))}
    guesses = {
        name: guess
        for name in speeds
        if (guess := comparison.median(name, lambda result: result.estimated_tuples_per_second))
    }
    places = range(len(speeds))
    if speeds:
        most = max(speeds.values())
        axes.bar([p - 0.2 for p in places], [s / most for s in speeds.values()], 0.4, label="measured")
    if guesses:
        most = max(guesses.values())
        axes.bar(
            [p + 0.2 for p, name in enumerate(speeds) if name in guesses],
            [guess / most for guess in guesses.values()],
            0.4,
            label="estimated",
        )
    axes.set_xticks(list(places), list(speeds), rotation=45, ha="right")
    axes.set_ylabel("throughput over the largest")
    if speeds:
        axes.legend()
    return figure


def _save(figure: Figure, path: Path) -> Path:
    figure.savefig(path, dpi=120)
    plt.close(figure)
    return path
