"""The techniques by their names, in the order in which they are shown (doc 001 2.2; rows I-05 to I-15).

Their Omega formulas have the same names in `costmodel`.
"""

from __future__ import annotations

from planner_spark.kernels.b_int import BInt
from planner_spark.kernels.daba import Daba
from planner_spark.kernels.flatfat import FlatFat
from planner_spark.kernels.flatfit import FlatFit
from planner_spark.kernels.kernel import Kernel
from planner_spark.kernels.l_int import LInt
from planner_spark.kernels.lane import Lane
from planner_spark.kernels.panes import Panes
from planner_spark.kernels.panes_inv import PanesInv
from planner_spark.kernels.r_int import RInt
from planner_spark.kernels.slickdeque_inv import SlickDequeInv
from planner_spark.kernels.slickdeque_noninv import SlickDequeNonInv
from planner_spark.kernels.two_stacks import TwoStacks

__all__ = ["KERNELS", "find_kernel", "serves"]

KERNELS: tuple[type[Kernel], ...] = (
    Panes,
    PanesInv,
    FlatFat,
    BInt,
    FlatFit,
    TwoStacks,
    Daba,
    SlickDequeInv,
    SlickDequeNonInv,
    LInt,
    RInt,
)


def find_kernel(name: str) -> type[Kernel] | None:
    """The technique of that name.

    >>> find_kernel("panes").__name__
    'Panes'
    """
    return next((kernel for kernel in KERNELS if kernel.name == name), None)


def serves(kernel: type[Kernel], lane: Lane) -> bool:
    """Whether the technique may work on the lane (row I-14).

    >>> from planner_spark.kernels.lanes import CountLane, ExtremeLane
    >>> serves(RInt, CountLane(column="v"))
    True
    >>> serves(RInt, ExtremeLane(column="v", largest=True, fractional=False))
    False
    """
    return isinstance(lane, kernel.takes)
