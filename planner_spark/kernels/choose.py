"""Which kernel evaluates a lane: the one that the plan names, where it may serve the lane.

A plan names a technique for the aggregates of a tree. A lane beside them, such as the count of tuples that says which
keys are part of an answer, may be one that the technique cannot serve: it is evaluated by prefixes where it can be
inverted exactly, else by dyadic intervals, which are the cheapest there are for many windows at once.
"""

from __future__ import annotations

from planner_spark.kernels.b_int import BInt
from planner_spark.kernels.kernel import Kernel
from planner_spark.kernels.lane import InvertibleLane, Lane
from planner_spark.kernels.r_int import RInt
from planner_spark.kernels.techniques import find_kernel, serves

__all__ = ["kernel_for"]


def kernel_for(technique: str | None, lane: Lane, *, ranges: int) -> type[Kernel]:
    """The kernel of that technique, or the best for the lane where none is named or it cannot serve so many ranges."""
    if technique is not None:
        kernel = find_kernel(technique)
        if kernel is not None and serves(kernel, lane) and (kernel.multi_query or ranges == 1):
            return kernel
    return RInt if isinstance(lane, InvertibleLane) and lane.inverse.exact else BInt
