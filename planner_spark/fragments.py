"""The fragment of a tuple as a native Spark column (doc 000 II-B, row T-04).

A tree's edges are a union of residue classes, o mod s. The fragment of a tuple at t is bounded by the nearest edges
around it: ``start = greatest over classes of t - pmod(t - o, s)`` and ``end = least of (that + s)``, microseconds.
Edges are whole milliseconds, as Spark's watermark is.
"""

from __future__ import annotations

from collections.abc import Iterable

from pyspark.sql import Column
from pyspark.sql import functions as F

from optimizer.edges.classes import ResidueClass

__all__ = ["FRAGMENT", "bounds_of", "fragment_column"]

FRAGMENT = "__fragment"
_DELAY_KEY = "spark.watermarkDelayMs"


def bounds_of(event_time: Column, classes: Iterable[ResidueClass]) -> Column:
    """``struct<start, end>``: the nearest edges around the event time."""
    micros = F.unix_micros(event_time)
    starts, ends = [], []
    for edge in sorted(classes, key=lambda c: (c.modulus, c.residue)):
        before = micros - F.pmod(micros - F.lit(edge.residue), F.lit(edge.modulus))
        starts.append(before)
        ends.append(before + F.lit(edge.modulus))
    if not starts:
        raise ValueError("a fragment needs at least one class of edges")
    start = F.greatest(*starts) if len(starts) > 1 else starts[0]
    end = F.least(*ends) if len(ends) > 1 else ends[0]
    return F.struct(F.timestamp_micros(start).alias("start"), F.timestamp_micros(end).alias("end"))


def fragment_column(bounds: Column, *, watermark: int) -> Column:
    """The bounds under the name of the fragment.

    Its metadata carries the watermark's delay (microseconds here), as that of Spark's own window column does: so
    Spark's stateful aggregation emits a fragment when the watermark passes its end. That is no documented interface;
    tests/planner_spark/test_fragments.py guards it.
    """
    return bounds.alias(FRAGMENT, metadata={_DELAY_KEY: watermark // 1_000})
