"""The figures of a run's last line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from benchmarks.spark.estimate import deviation
from benchmarks.spark.experiments import growth, hundred
from benchmarks.spark.rounds import Comparison, Ratio, ratio_of
from benchmarks.spark.scale import Scale

__all__ = ["Report", "forecasts", "headline"]

Report = Mapping[str, Sequence[Comparison]]
"""The comparisons of each experiment; none for one that was not run."""

EMPTY = Comparison(title="", queries=0, keys=0)
SPARK = ("spark_windows", "spark_exploded")
"""The two ways to have many windows with Spark alone."""
PEERS = {
    "vs_spark_windows_100": "spark_windows",
    "vs_spark_exploded_100": "spark_exploded",
    "vs_flink_100": "flink",
    "vs_tumbling_100": "tumbling",
}


def headline(report: Report, scale: Scale) -> dict[str, Any]:
    """Throughput ratios are Weft over the peer: above 1 Weft is faster. Null is what could not be measured.

    ``vs_spark_100`` is against the faster of Spark's two ways, which ``spark_100`` names.
    """
    main, grown, hour = (_first(report, name) for name in ("hundred", "growth", "hour"))
    spreads: dict[str, Any] = {}
    ratios = {name: main.ratio("weft", peer) for name, peer in PEERS.items()}
    way = faster(main)
    ratios["vs_spark_100"] = ratios.get(f"vs_{way}_100")
    ratios["hour_by_second_vs_tumbling"] = hour.ratio("weft", "tumbling")
    ratios["hour_by_second_vs_spark"] = hour.ratio("weft", "spark_windows")
    ratios["batch_growth_1_to_100"] = batch_growth(grown)
    figures: dict[str, Any] = {"scale": scale.name, "spark_100": way}
    for name, ratio in ratios.items():
        figures[name] = _rounded(ratio.median) if ratio else None
        spreads[name] = _spread(ratio)
    figures["estimate_deviation"] = deviation(forecasts(report.get("techniques", ())))
    figures["tuples_per_second"] = _rounded(main.throughput("weft"))
    figures["results_per_second"] = _rounded(main.median("weft", lambda r: r.results_per_second))
    figures["results_per_second_parquet"] = _rounded(
        main.median(hundred.STORED, lambda r: r.results_per_second)
    )
    figures["peak_rss_mb"] = _rounded(main.median("weft", lambda r: r.peak_rss_mb))
    figures["tuples"] = main.median("weft", lambda r: r.tuples)
    figures["spreads"] = spreads
    figures["fractions"] = {
        **{name: _rounded(main.fraction(peer)) for name, peer in PEERS.items()},
        "hour_by_second_vs_spark": _rounded(hour.fraction("spark_windows")),
    }
    figures["missing"] = missing(report)
    return figures


def faster(comparison: Comparison) -> str | None:
    """The faster of Spark's two ways, of those that were measured."""
    speeds = {name: speed for name in SPARK if (speed := comparison.throughput(name)) is not None}
    return max(speeds, key=lambda name: speeds[name], default=None)


def batch_growth(comparison: Comparison) -> Ratio | None:
    """The median warm micro-batch with 100 queries over that with one, round by round."""
    many, few = (
        [result.batch(0.5) if result else None for result in comparison.results(name)]
        for name in (growth.MANY, growth.FEW)
    )
    return ratio_of(many, few)


def forecasts(comparisons: Sequence[Comparison]) -> list[tuple[float, float]]:
    """Estimated and actual throughput of every way to run that has both."""
    pairs = []
    for comparison in comparisons:
        for name in comparison.outcomes:
            estimated = comparison.median(name, lambda result: result.estimated_tuples_per_second)
            actual = comparison.throughput(name)
            if estimated is not None and actual is not None:
                pairs.append((estimated, actual))
    return pairs


def missing(report: Report) -> dict[str, str]:
    """What has no figure, and why."""
    return {
        f"{experiment}: {comparison.title}: {name}": comparison.reason(name)
        for experiment, comparisons in report.items()
        for comparison in comparisons
        for name in comparison.outcomes
        if comparison.reason(name)
    }


def _first(report: Report, name: str) -> Comparison:
    return next(iter(report.get(name, ())), EMPTY)


def _spread(ratio: Ratio | None) -> list[float | int | None] | None:
    return None if ratio is None else [_rounded(ratio.least), _rounded(ratio.most), ratio.rounds]


def _rounded(value: float | None) -> float | None:
    """Four digits, which is more than any of it is good for."""
    return None if value is None else float(f"{value:.4g}")
