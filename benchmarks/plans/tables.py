"""The results as tables, drawn so that they can be pasted into a page."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Sequence

from rich import box
from rich.table import Table

from benchmarks.plans.headline import PAPER_FLATFIT, PAPER_TREES, Results
from benchmarks.plans.matrix import MODELS, PLANS, Matrix
from benchmarks.plans.rates import RateCurve
from benchmarks.plans.sample import OPTIMIZERS, TECHNIQUES
from benchmarks.plans.sweeps import FLATFIT, PANES, Sweep, mean_trees

__all__ = ["NAMES", "all_tables"]

NAMES = {
    "panes": "Panes",
    "flatfat": "FlatFAT",
    "flatfit": "FlatFIT",
    "slickdeque_inv": "SlickDeque (Inv)",
    "slickdeque_noninv": "SlickDeque (Non-Inv)",
    "shared": "Shared",
    "weaveshare": "Weave Share",
    "triweave": "TriWeave",
    "twoops": "TwoOps",
    "triops": "TriOps",
}
"""How techniques, optimizers and models are called in tables and plots."""


def all_tables(results: Results) -> Iterator[Table]:
    """Every table of a run, in the order of the papers' figures."""
    for sweep in results.sweeps:
        for optimizer in OPTIMIZERS:
            yield _sweep(sweep, optimizer)
    yield _largest(results)
    yield _batches(results)
    yield _trees(results)
    yield _rates(results.curves)
    for matrix in results.matrices:
        yield _matrix(matrix)
    yield _gains(results.matrices)


def _table(title: str, *columns: str) -> Table:
    table = Table(title=title, title_justify="left", box=box.MARKDOWN)
    for place, column in enumerate(columns):
        table.add_column(column, justify="right" if place else "left", no_wrap=True)
    return table


def _sweep(sweep: Sweep, optimizer: str) -> Table:
    """Fig. 17 to 21: mean costs and, in brackets, mean trees."""
    about = sweep.experiment
    table = _table(
        f"Exp {about.number} (doc 001 Fig. {about.figure}), {NAMES[optimizer]}: cost (trees)",
        about.label.split(" (")[0],
        *(NAMES[t] for t in TECHNIQUES),
    )
    for place, value in enumerate(sweep.values):
        samples = [sweep.samples[optimizer, technique][place] for technique in TECHNIQUES]
        table.add_row(_plain(value), *(f"{_digits(s.cost)} ({s.mean_trees:.1f})" for s in samples))
    return table


def _largest(results: Results) -> Table:
    """The gains that doc 001 names."""
    table = _table(
        "Largest ratio of costs to SlickDeque (Non-Inv)",
        "experiment",
        "Panes",
        "in one draw",
        "paper",
        "FlatFIT",
        "paper",
    )
    for sweep in results.sweeps:
        about = sweep.experiment
        table.add_row(
            f"{about.number}, {about.label.split(' (')[0]}",
            f"{sweep.largest(PANES):,.0f}",
            f"{sweep.largest_draw(PANES):,.0f}",
            f"{about.paper:,}",
            f"{sweep.largest(FLATFIT):.2f}",
            str(PAPER_FLATFIT) if about.number == 1 else "",
        )
    return table


def _batches(results: Results) -> Table:
    """How much the gains of Panes over SlickDeque depend on the draws."""
    draws = results.parameters["seeds"]
    table = _table(
        f"Panes over SlickDeque, batches of {draws} draws", "experiment", "at", "batches", "smallest", "mean",
        "largest", "paper",
    )  # fmt: skip
    for each in results.batches:
        about = each.experiment
        cells = [f"{ratio:,.0f}" for ratio in (each.least, each.mean, each.most, about.paper)]
        name = f"{about.number}, {about.label.split(' (')[0]}"
        table.add_row(name, _plain(each.value), str(len(each.ratios)), *cells)
    return table


def _trees(results: Results) -> Table:
    """The summary of doc 001 5.2 (row I-36)."""
    table = _table("Mean number of trees", "", *(NAMES[t] for t in TECHNIQUES))
    rows = {
        "all settings": mean_trees(results.sweeps),
        "midpoint, Weave Share": results.midpoint_trees,
        "paper": PAPER_TREES,
    }
    for name, trees in rows.items():
        table.add_row(name, *(f"{trees[t]:.1f}" for t in TECHNIQUES))
    return table


def _rates(curves: Sequence[RateCurve]) -> Table:
    """Fig. 10, with the trees of both optimizers in brackets."""
    table = _table(
        "Doc 000 Fig. 10: cost of TriWeave over Weave Share (trees of both)",
        "input rate",
        *(f"{curve.queries:,} ACQs" for curve in curves),
    )
    for place, rate in enumerate(curves[0].rates):
        cells = [
            f"{c.ratios[place]:.3f} ({c.triweave[place].mean_trees:.1f}, {c.weaveshare[place].mean_trees:.1f})"
            for c in curves
        ]
        table.add_row(_plain(rate), *cells)
    return table


def _matrix(matrix: Matrix) -> Table:
    """Fig. 11 to 13, with the groups of each plan."""
    table = _table(
        f"Doc 000 Fig. 11 to 13, {matrix.rate:,.0f} tuples/s: cost over that of Shared under TwoOps",
        "plan",
        "model",
        *(f"{count:,} ACQs" for count in matrix.queries),
    )
    for plan in PLANS:
        for model in MODELS:
            cells = [f"{ratio:.4f}" for ratio in matrix.normalised(plan, model)]
            table.add_row(NAMES[plan], NAMES[model], *cells)
        table.add_row(NAMES[plan], "groups", *(f"{groups:.1f}" for groups in matrix.groups(plan)))
    return table


def _gains(matrices: Sequence[Matrix]) -> Table:
    """Fig. 11 to 13: what TriOps makes of a plan with two groups or more."""
    table = _table(
        "Cost under TriOps over TwoOps, plans of 2 groups or more",
        "plan",
        "tuples/s",
        "draws",
        "smallest",
        "mean",
        "largest",
    )
    for plan in PLANS:
        for matrix in matrices:
            gains = matrix.gains(plan)
            if gains:
                shown = (min(gains), statistics.fmean(gains), max(gains))
                cells = [f"{gain:.3f}" for gain in shown]
                table.add_row(NAMES[plan], f"{matrix.rate:,.0f}", str(len(gains)), *cells)
    return table


def _plain(value: float) -> str:
    return f"{value:,g}" if abs(value) < 1 else f"{value:,.1f}".removesuffix(".0")


def _digits(cost: float) -> str:
    return f"{cost:,.2f}" if cost < 1_000 else f"{cost:,.0f}"
