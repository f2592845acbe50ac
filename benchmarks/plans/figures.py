"""The results as PNG files, in one style."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullFormatter

from benchmarks.plans.headline import PAPER_REDUCTION, Results
from benchmarks.plans.matrix import MODELS, PLANS, Matrix
from benchmarks.plans.rates import RateCurve
from benchmarks.plans.sample import OPTIMIZERS, TECHNIQUES
from benchmarks.plans.sweeps import Sweep
from benchmarks.plans.tables import NAMES

__all__ = ["draw_all"]

STYLE = {
    "font.size": 9,
    "axes.grid": True,
    "axes.titlesize": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "grid.color": "#dddddd",
    "grid.linewidth": 0.6,
    "legend.frameon": False,
    "lines.linewidth": 1.6,
    "lines.markersize": 5,
    "savefig.dpi": 120,
}
# Colours that can be told apart without telling red from green, and a marker each.
LOOKS = {
    "panes": ("#d55e00", "o"),
    "flatfat": ("#e69f00", "s"),
    "flatfit": ("#009e73", "^"),
    "slickdeque_inv": ("#56b4e9", "D"),
    "slickdeque_noninv": ("#0072b2", "v"),
    "shared": ("#555555", "o"),
    "weaveshare": ("#d55e00", "s"),
    "triweave": ("#0072b2", "^"),
}
CURVES = ("#0072b2", "#009e73", "#d55e00")
DASHES = {"twoops": "--", "triops": "-"}


def draw_all(results: Results, folder: Path) -> list[Path]:
    """Write every plot of a run into the folder; the paths of the files."""
    folder.mkdir(parents=True, exist_ok=True)
    with mpl.rc_context(STYLE):
        figures = {sweep.experiment.file: _sweep(sweep) for sweep in results.sweeps}
        figures["triweave-over-weaveshare"] = _rates(results.curves)
        figures["plans-and-models"] = _matrices(results.matrices)
        return [_save(figure, folder / f"{name}.png") for name, figure in figures.items()]


def _save(figure: Figure, path: Path) -> Path:
    # Without the version of the program, so that the same numbers give the same file.
    figure.savefig(path, metadata={"Software": None})
    return path


def _sweep(sweep: Sweep) -> Figure:
    """Doc 001 Fig. 17 to 21: costs above, trees below; Weave Share on the left, TriWeave on the right."""
    about = sweep.experiment
    figure = Figure(figsize=(8.4, 6.2), layout="constrained")
    axes = figure.subplots(2, 2, sharex=True, sharey="row")
    for column, optimizer in enumerate(OPTIMIZERS):
        cost, trees = axes[0][column], axes[1][column]
        for technique in TECHNIQUES:
            colour, marker = LOOKS[technique]
            look = {"color": colour, "marker": marker, "label": NAMES[technique]}
            cost.plot(sweep.values, sweep.costs(optimizer, technique), **look)
            trees.plot(sweep.values, sweep.trees(optimizer, technique), **look)
        cost.set_title(NAMES[optimizer])
        cost.set_yscale("log")
        trees.set_ylim(bottom=0)
        trees.set_xlabel(about.label)
        if about.logarithmic:
            _logarithmic(trees)
        else:
            trees.set_xticks(sweep.values)
    axes[0][0].set_ylabel("plan cost (operations per time unit)")
    axes[1][0].set_ylabel("trees of the plan")
    _legend(figure, axes[0][0], columns=len(TECHNIQUES))
    return figure


def _rates(curves: Sequence[RateCurve]) -> Figure:
    """Doc 000 Fig. 10, and the trees behind it."""
    figure = Figure(figsize=(8.4, 4.4), layout="constrained")
    cost, trees = figure.subplots(1, 2, sharex=True)
    for curve, colour in zip(curves, CURVES, strict=False):
        cost.plot(curve.rates, curve.ratios, color=colour, marker="o", label=f"{curve.queries:,} ACQs")
        for name, samples in (("weaveshare", curve.weaveshare), ("triweave", curve.triweave)):
            look = {"color": colour, "linestyle": "--" if name == "weaveshare" else "-", "marker": "o"}
            label = f"{NAMES[name]}, {curve.queries:,} ACQs"
            trees.plot(curve.rates, [s.mean_trees for s in samples], label=label, **look)
    cost.axhline(1.0, color="#555555", linewidth=0.8)
    cost.axhline(1 - PAPER_REDUCTION, color="#555555", linewidth=0.8, linestyle=":", label="paper's best")
    cost.set_ylim(0, 1.15)
    cost.set_title("Cost of TriWeave over Weave Share")
    cost.set_ylabel("ratio of plan costs")
    trees.set_ylim(bottom=0)
    trees.set_title("Trees of the plans")
    trees.set_ylabel("trees")
    for axes in (cost, trees):
        _logarithmic(axes)
        axes.set_xlabel("input rate (tuples per second)")
    cost.legend(loc="lower left")
    _legend(figure, trees, columns=len(curves))
    return figure


def _matrices(matrices: Sequence[Matrix]) -> Figure:
    """Doc 000 Fig. 11 to 13: normalised costs above, groups below; an input rate in each column."""
    figure = Figure(figsize=(10, 6.2), layout="constrained")
    axes = figure.subplots(2, len(matrices), sharex=True, sharey="row", squeeze=False)
    for column, matrix in enumerate(matrices):
        cost, groups = axes[0][column], axes[1][column]
        for plan in PLANS:
            colour, marker = LOOKS[plan]
            for model in MODELS:
                cost.plot(
                    matrix.queries,
                    matrix.normalised(plan, model),
                    DASHES[model],
                    color=colour,
                    marker=marker,
                    label=f"{NAMES[plan]} plan, {NAMES[model]}",
                )
            groups.plot(matrix.queries, matrix.groups(plan), color=colour, marker=marker)
        cost.set_title(f"{matrix.rate:,.0f} tuples per second")
        cost.set_yscale("log")
        groups.set_ylim(bottom=0)
        groups.set_xlabel("number of ACQs")
    axes[0][0].set_ylabel("cost over Shared, TwoOps")
    axes[1][0].set_ylabel("trees of the plan")
    _legend(figure, axes[0][0], columns=len(PLANS))
    return figure


def _logarithmic(axes: Axes) -> None:
    """Decades along the bottom, all of them labelled."""
    axes.set_xscale("log")
    axes.xaxis.set_major_locator(LogLocator(numticks=12))
    axes.xaxis.set_minor_formatter(NullFormatter())


def _legend(figure: Figure, axes: Axes, *, columns: int) -> None:
    """One legend for all panels, below them."""
    handles, labels = axes.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=columns)
