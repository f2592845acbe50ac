"""Lanes: what sub-aggregation measures, as arrays over group keys.

A lane is one measured operation on one column, ``sum`` of ``price`` say; all queries that need it share it (row
I-16). Whether any value was seen is kept apart, by the ``count`` lane of the same column.

    CountLane       values that are not NULL, or tuples for the column *
    SumLane         int and float sums, one array
    WideSumLane     sums of 64-bit integers in two limbs of 32 bits: exact, and an overflow is seen only in the answer
    BigSumLane      sums of decimals beyond 18 digits as Python integers; None marks an overflow inside a fragment
    ExtremeLane     min or max of numbers; NaN is the largest, as in Spark
    ObjectExtremeLane  min or max of strings and of wide decimals
    MomentsLane     mean and M2, merged by Chan's formula and never subtracted: that would cancel
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from planner_spark.kernels.inverse import (
    LIMB,
    BigInverse,
    BoundedInverse,
    Inverse,
    LimbInverse,
    PlainInverse,
    carried,
)
from planner_spark.kernels.lane import Field, InvertibleLane, Lane, Parts, SelectiveLane
from planner_spark.kernels.over import Array, Over

__all__ = [
    "LIMB",
    "OVERFLOW",
    "BigSumLane",
    "CountLane",
    "ExtremeLane",
    "MomentsLane",
    "ObjectExtremeLane",
    "SumLane",
    "WideSumLane",
    "unscaled",
]

OVERFLOW = "overflow"
"""What is shipped for a sum that overflowed inside its fragment."""
INT64 = np.iinfo(np.int64)
_LONG, _FLOAT, _OBJECT = np.dtype(np.int64), np.dtype(np.float64), np.dtype(object)

_big_add = np.frompyfunc(lambda a, b: None if a is None or b is None else a + b, 2, 1)
_object_min = np.frompyfunc(lambda a, b: b if a is None else a if b is None else min(a, b), 2, 1)
_object_max = np.frompyfunc(lambda a, b: b if a is None else a if b is None else max(a, b), 2, 1)


def unscaled(text: str) -> int:
    """The unscaled integer of a decimal in plain notation.

    >>> unscaled("-12.50")
    -1250
    """
    return int(text.replace(".", "", 1))


@dataclass(frozen=True, slots=True, kw_only=True)
class CountLane(InvertibleLane):
    """How many values that are not NULL; how many tuples for the column ``*``."""

    operation = "count"

    @property
    def fields(self) -> tuple[Field, ...]:
        return (Field(name=self.name, dtype=_LONG, identity=0),)

    @property
    def inverse(self) -> Inverse:
        return PlainInverse()

    def combine(self, parts: Parts, over: Over) -> Parts:
        return (over.reduce(np.add, parts[0]),)

    def pair(self, left: Parts, right: Parts) -> Parts:
        return (left[0] + right[0],)


@dataclass(frozen=True, slots=True, kw_only=True)
class SumLane(InvertibleLane):
    """A sum in one array: longs for 32-bit integers (2^31 of them cannot overflow it), else doubles."""

    operation = "sum"
    fractional: bool

    @property
    def fields(self) -> tuple[Field, ...]:
        return (Field(name=self.name, dtype=_FLOAT if self.fractional else _LONG, identity=0),)

    @property
    def inverse(self) -> Inverse:
        return BoundedInverse() if self.fractional else PlainInverse()

    def combine(self, parts: Parts, over: Over) -> Parts:
        with np.errstate(invalid="ignore", over="ignore"):
            return (over.reduce(np.add, parts[0]),)

    def pair(self, left: Parts, right: Parts) -> Parts:
        with np.errstate(invalid="ignore", over="ignore"):
            return (left[0] + right[0],)


@dataclass(frozen=True, slots=True, kw_only=True)
class WideSumLane(InvertibleLane):
    """A sum of 64-bit integers as high and low limbs: total = high * 2^32 + low."""

    operation = "sum"

    @property
    def fields(self) -> tuple[Field, ...]:
        return tuple(Field(name=f"{self.name}:{limb}", dtype=_LONG, identity=0) for limb in ("high", "low"))

    @property
    def inverse(self) -> Inverse:
        return LimbInverse()

    def combine(self, parts: Parts, over: Over) -> Parts:
        high, low = (over.reduce(np.add, part) for part in parts)
        return carried(high, low)

    def pair(self, left: Parts, right: Parts) -> Parts:
        return carried(left[0] + right[0], left[1] + right[1])


@dataclass(frozen=True, slots=True, kw_only=True)
class BigSumLane(InvertibleLane):
    """A sum of integers of any size."""

    operation = "sum"

    @property
    def fields(self) -> tuple[Field, ...]:
        return (Field(name=self.name, dtype=_OBJECT, identity=0),)

    @property
    def inverse(self) -> Inverse:
        return BigInverse()

    def combine(self, parts: Parts, over: Over) -> Parts:
        return (over.reduce(_big_add, parts[0]),)

    def pair(self, left: Parts, right: Parts) -> Parts:
        return (_big_add(left[0], right[0]),)

    def decode(self, shipped: Array) -> Array:
        return _objects(None if text == OVERFLOW else unscaled(text) for text in shipped)


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtremeLane(SelectiveLane):
    """Min or max of numbers (integers, floats, dates, timestamps, booleans, decimals of up to 18 digits)."""

    operation = "extreme"
    largest: bool
    fractional: bool

    @property
    def name(self) -> str:
        return f"{'max' if self.largest else 'min'}:{self.column}"

    @property
    def fields(self) -> tuple[Field, ...]:
        if self.fractional:
            # NaN is the largest number, so it is what min begins with.
            return (Field(name=self.name, dtype=_FLOAT, identity=-np.inf if self.largest else np.nan),)
        return (Field(name=self.name, dtype=_LONG, identity=INT64.min if self.largest else INT64.max),)

    @property
    def _choose(self) -> np.ufunc:
        # maximum hands NaN on, fmin passes it over: both as if NaN were the largest number.
        return np.maximum if self.largest else np.fmin

    def combine(self, parts: Parts, over: Over) -> Parts:
        return (over.reduce(self._choose, parts[0]),)

    def pair(self, left: Parts, right: Parts) -> Parts:
        return (self._choose(left[0], right[0]),)

    def beats(self, new: Array, old: Array) -> Array:
        if self.largest:
            return np.asarray((new >= old) | np.isnan(new))
        return np.asarray((new <= old) | np.isnan(old))


@dataclass(frozen=True, slots=True, kw_only=True)
class ObjectExtremeLane(SelectiveLane):
    """Min or max of Python objects in their own order; code points order strings as Spark's UTF-8 bytes do."""

    operation = "extreme"
    largest: bool
    decimal: bool

    @property
    def name(self) -> str:
        return f"{'max' if self.largest else 'min'}:{self.column}"

    @property
    def fields(self) -> tuple[Field, ...]:
        return (Field(name=self.name, dtype=_OBJECT, identity=None),)

    @property
    def _choose(self) -> np.ufunc:
        chosen: np.ufunc = _object_max if self.largest else _object_min
        return chosen

    def combine(self, parts: Parts, over: Over) -> Parts:
        return (over.reduce(self._choose, parts[0]),)

    def pair(self, left: Parts, right: Parts) -> Parts:
        return (self._choose(left[0], right[0]),)

    def beats(self, new: Array, old: Array) -> Array:
        return np.asarray(np.equal(self._choose(new, old), new), dtype=bool)

    def decode(self, shipped: Array) -> Array:
        if self.decimal:
            return _objects(unscaled(text) if text is not None else None for text in shipped)
        return shipped


@dataclass(frozen=True, slots=True, kw_only=True)
class MomentsLane(Lane):
    """Mean and M2, merged for any number of partials at once (Chan's formula)."""

    operation = "moments"

    @property
    def fields(self) -> tuple[Field, ...]:
        return tuple(Field(name=f"{self.name}:{part}", dtype=_FLOAT, identity=0.0) for part in ("mean", "m2"))

    @property
    def parts(self) -> tuple[Field, ...]:
        return (Field(name=f"count:{self.column}", dtype=_LONG, identity=0), *self.fields)

    def combine(self, parts: Parts, over: Over) -> Parts:
        counts, means, m2s = parts
        with np.errstate(invalid="ignore", over="ignore", divide="ignore"):
            total = over.reduce(np.add, counts)
            # Weights first: the sum of huge values would overflow where their mean does not.
            weights = counts / np.maximum(over.spread(total), 1)
            mean = over.reduce(np.add, weights * means)
            between = np.where(counts > 0, counts * np.square(means - over.spread(mean)), 0.0)
            return total, mean, over.reduce(np.add, m2s) + over.reduce(np.add, between)

    def pair(self, left: Parts, right: Parts) -> Parts:
        (n, mean, m2), (more, its_mean, its_m2) = left, right
        total = n + more
        with np.errstate(invalid="ignore", over="ignore", divide="ignore"):
            share = more / np.maximum(total, 1)
            # A side without values has a mean that means nothing.
            apart = np.where((n > 0) & (more > 0), its_mean - mean, 0.0)
            between = np.square(apart) * n * share
            mixed = np.where(n > 0, np.where(more > 0, mean * (1 - share) + its_mean * share, mean), its_mean)
            return total, mixed, m2 + its_m2 + between


def _objects(values: Iterable[Any]) -> Array:
    listed = list(values)
    array = np.empty(len(listed), dtype=object)
    array[:] = listed
    return array
