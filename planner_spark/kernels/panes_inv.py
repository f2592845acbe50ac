"""Panes (Inv), or subtract-on-evict: expiring partials are inverted out of a running aggregate (doc 001 2.2, I-06)."""

from __future__ import annotations

from planner_spark.kernels.running import RunningAggregates

__all__ = ["PanesInv"]


class PanesInv(RunningAggregates):
    """Each query by itself: queries of the same range and other slides have a running aggregate each.

    Operations: two per partial and query.
    """

    name = "panes_inv"
    slot_per_query = True
