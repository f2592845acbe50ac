"""SlickDeque (Inv): a map of running aggregates, one per distinct range (doc 001 2.2 and Eq. 6; row I-12)."""

from __future__ import annotations

from planner_spark.kernels.running import RunningAggregates

__all__ = ["SlickDequeInv"]


class SlickDequeInv(RunningAggregates):
    """All queries of a range share its running aggregate, whatever their slides.

    Operations: two per partial and distinct range.
    """

    name = "slickdeque_inv"
