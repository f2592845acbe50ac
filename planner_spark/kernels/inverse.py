"""Taking partials out again: what subtract-on-evict, SlickDeque (Inv) and prefix aggregates need of a lane.

Whole numbers are exact: 64-bit addition wraps round and comes back, so nothing is lost on the way. Sums of floats are
not: what rounding left behind would stay when a huge value has gone. They carry a bound of their error (row I-06), and
an answer whose bound is too large for what is in its window is not `sound`: the kernel combines that one afresh.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

import numpy as np

from planner_spark.kernels.over import Array, accumulated

__all__ = ["BigInverse", "BoundedInverse", "Inverse", "LimbInverse", "PlainInverse"]

Parts = tuple[Array, ...]
LIMB = 32
LIMB_MASK = (1 << LIMB) - 1
TOLERANCE = 1e-11
"""How large the error of a float sum may be beside the sum of its magnitudes."""
_is_none = np.frompyfunc(lambda value: value is None, 1, 1)
_EPSILON = np.finfo(np.float64).eps


class Inverse(ABC):
    """Partials in a form that forms a group; lifted from a lane's parts, and lowered to them."""

    exact: ClassVar[bool] = True
    """Whether every value is `sound`."""

    def lift(self, parts: Parts) -> Parts:
        """The group's form."""
        return parts

    def lower(self, lifted: Parts) -> Parts:
        """The lane's own form."""
        return lifted

    @abstractmethod
    def pair(self, left: Parts, right: Parts) -> Parts:
        """Both together."""

    @abstractmethod
    def invert(self, whole: Parts, part: Parts) -> Parts:
        """What together with ``part`` gives ``whole``."""

    @abstractmethod
    def accumulate(self, parts: Parts) -> Parts:
        """Along the first axis: all up to each one."""

    def sound(self, lifted: Parts) -> Array | None:
        """Where the value can be relied on; None says everywhere."""
        return None


class PlainInverse(Inverse):
    """Counts and sums that fit their type."""

    def pair(self, left: Parts, right: Parts) -> Parts:
        return tuple(a + b for a, b in zip(left, right, strict=True))

    def invert(self, whole: Parts, part: Parts) -> Parts:
        return tuple(a - b for a, b in zip(whole, part, strict=True))

    def accumulate(self, parts: Parts) -> Parts:
        return tuple(accumulated(np.add, a) for a in parts)


class BigInverse(PlainInverse):
    """Python integers, where None marks an overflow: how many there are is a number that can be taken out."""

    def lift(self, parts: Parts) -> Parts:
        lost = _is_none(parts[0]).astype(bool)
        return np.where(lost, 0, parts[0]), lost.astype(np.int64)

    def lower(self, lifted: Parts) -> Parts:
        total, lost = lifted
        lowered = np.array(total, dtype=object)
        lowered[lost > 0] = None
        return (lowered,)


class LimbInverse(Inverse):
    """Totals in two limbs, high * 2^32 + low, with the low one in [0, 2^32)."""

    def pair(self, left: Parts, right: Parts) -> Parts:
        return carried(left[0] + right[0], left[1] + right[1])

    def invert(self, whole: Parts, part: Parts) -> Parts:
        return carried(whole[0] - part[0], whole[1] - part[1])

    def accumulate(self, parts: Parts) -> Parts:
        return carried(accumulated(np.add, parts[0]), accumulated(np.add, parts[1]))


def carried(high: Array, low: Array) -> Parts:
    """The limbs with the low one's carry, or borrow, in the high one."""
    return high + (low >> LIMB), low & LIMB_MASK


class BoundedInverse(Inverse):
    """Float sums as (sum, sum of magnitudes, bound of the error of either)."""

    exact = False

    def lift(self, parts: Parts) -> Parts:
        (total,) = parts
        return total, np.abs(total), np.zeros_like(total)

    def lower(self, lifted: Parts) -> Parts:
        return lifted[:1]

    def pair(self, left: Parts, right: Parts) -> Parts:
        with np.errstate(invalid="ignore", over="ignore"):
            magnitude = left[1] + right[1]
            return left[0] + right[0], magnitude, left[2] + right[2] + _EPSILON * np.abs(magnitude)

    def invert(self, whole: Parts, part: Parts) -> Parts:
        with np.errstate(invalid="ignore", over="ignore"):
            error = whole[2] + part[2] + _EPSILON * np.abs(whole[1])
            return whole[0] - part[0], whole[1] - part[1], error

    def accumulate(self, parts: Parts) -> Parts:
        with np.errstate(invalid="ignore", over="ignore"):
            total, magnitude, error = (accumulated(np.add, a) for a in parts)
            return total, magnitude, error + _EPSILON * accumulated(np.add, magnitude)

    def sound(self, lifted: Parts) -> Array | None:
        _, magnitude, error = lifted
        with np.errstate(invalid="ignore"):
            # Written so that NaN is not sound.
            return np.asarray(error <= TOLERANCE * (magnitude - error))
