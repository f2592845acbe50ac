"""The results as tables, drawn so that they can be pasted into a page."""

from __future__ import annotations

from collections.abc import Iterator

from rich import box
from rich.table import Table

from benchmarks.spark.headline import Report, forecasts
from benchmarks.spark.rounds import Comparison, Ratio

__all__ = ["all_tables"]

TITLES = {
    "hundred": "100 queries",
    "growth": "Growth of a micro-batch",
    "hour": "A range of 3,600 s that slides by 1 s",
    "techniques": "Techniques and optimizers",
    "scaling": "Scaling",
}


def all_tables(report: Report) -> Iterator[Table]:
    """A table for each experiment that was run."""
    for experiment, comparisons in report.items():
        title = TITLES[experiment]
        if experiment == "techniques":
            yield _forecast(title, comparisons[0])
            continue
        if experiment == "scaling":
            yield _comparisons(title, comparisons)
            continue
        for comparison in comparisons:
            yield _comparisons(f"{title}: {comparison.title}", [comparison])


def _table(title: str, *columns: str) -> Table:
    table = Table(title=title, title_justify="left", box=box.MARKDOWN)
    for place, column in enumerate(columns):
        table.add_column(column, justify="right" if place else "left", no_wrap=True)
    return table


def _comparisons(title: str, comparisons: list[Comparison] | tuple[Comparison, ...]) -> Table:
    """Every contender with what it was measured on; ratios are Weft's throughput over its."""
    table = _table(
        title, "", "measured tuples", "of Weft's", "tuples/s", "results/s", "batch p50, max (s)", "state rows",
        "memory (MiB)", "Weft over it (spread)",
    )  # fmt: skip
    for comparison in comparisons:
        many = len(comparisons) > 1
        for name in comparison.outcomes:
            label = f"{comparison.title}: {name}" if many else name
            reason = comparison.reason(name)
            if reason:
                table.add_row(label, reason[:60], *[""] * 7)
                continue
            batches = [comparison.median(name, lambda result, at=at: result.batch(at)) for at in (0.5, 1.0)]
            table.add_row(
                label,
                _whole(comparison.median(name, lambda result: result.tuples)),
                _share(comparison.fraction(name)),
                _whole(comparison.throughput(name)),
                _whole(comparison.median(name, lambda result: result.results_per_second)),
                ", ".join("" if each is None else f"{each:.2f}" for each in batches).strip(", "),
                _whole(comparison.median(name, lambda result: result.state_rows)),
                _whole(comparison.median(name, lambda result: result.peak_rss_mb)),
                "" if name == "weft" else _ratio(comparison.ratio("weft", name)),
            )
    return table


def _forecast(title: str, comparison: Comparison) -> Table:
    """Actual beside estimated, each over the largest of its kind where there is an estimate."""
    table = _table(
        f"{title}: {comparison.title}", "", "tuples/s", "estimated", "actual / most", "estimated / most"
    )
    pairs = forecasts([comparison])
    speeds = [speed for name in comparison.outcomes if (speed := comparison.throughput(name)) is not None]
    for name in comparison.outcomes:
        actual = comparison.throughput(name)
        if actual is None:
            table.add_row(name, comparison.reason(name)[:60], "", "", "")
            continue
        estimated = comparison.median(name, lambda result: result.estimated_tuples_per_second)
        table.add_row(
            name,
            _whole(actual),
            _whole(estimated),
            f"{actual / max(speeds):.2f}",
            "" if estimated is None else f"{estimated / max(pair[0] for pair in pairs):.2f}",
        )
    return table


def _whole(value: float | None) -> str:
    return "" if value is None else f"{value:,.0f}"


def _share(value: float | None) -> str:
    return "" if value is None else f"{value:.1%}"


def _ratio(ratio: Ratio | None) -> str:
    if ratio is None:
        return ""
    spread = f" ({ratio.least:.2f} to {ratio.most:.2f})" if ratio.rounds > 1 else ""
    return f"{ratio.median:.2f}{spread}"
