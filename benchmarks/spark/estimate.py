"""The forecast of the cost model, and how far it is off (doc 001 5.3, 5.4)."""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.spark.config import Config

__all__ = ["deviation", "estimate"]


def estimate(config: Config) -> float | None:
    """Tuples per second that the calibrated cost model expects of Weft; None as long as there is no such model."""
    del config
    return None


def deviation(pairs: Sequence[tuple[float, float]]) -> float | None:
    """The mean distance of (estimated, actual) throughputs, each over the largest of its kind, relative to the actual.

    The papers draw both in one plot, normalised at the maximum: what counts is the order of the plans and how far
    they are apart, not the unit.

    >>> deviation([(50.0, 1_000.0), (25.0, 500.0)])
    0.0
    >>> deviation([(50.0, 1_000.0), (30.0, 500.0)])
    0.1
    """
    if not pairs:
        return None
    most = [max(pair[place] for pair in pairs) for place in (0, 1)]
    gaps = [abs(estimated / most[0] - actual / most[1]) / (actual / most[1]) for estimated, actual in pairs]
    return round(sum(gaps) / len(gaps), 12)
