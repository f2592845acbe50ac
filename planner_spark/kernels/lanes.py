"""Lanes: what sub-aggregation measures, as arrays over group keys.

A lane is one measured operation on one column, ``sum`` of ``price`` say; all queries that need it share it (row
I-16). Its partials are numpy arrays; each lane names its arrays, the identity that stands for "no value", and how
partials are combined: one vectorised pass, never a subtraction, so that a float sum is right again once a huge value
has left the window. Whether any value was seen is kept apart, by the ``count`` lane of the same column.

    CountLane       values that are not NULL, or tuples for the column *
    SumLane         int and float sums, one array
    WideSumLane     sums of 64-bit integers in two limbs of 32 bits: exact, and an overflow is seen only in the answer
    BigSumLane      sums of decimals beyond 18 digits as Python integers; None marks an overflow inside a fragment
    ExtremeLane     min or max of numbers; NaN is the largest, as in Spark
    ObjectExtremeLane  min or max of strings and of wide decimals
    MomentsLane     mean and M2, merged by Chan's formula
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from planner_spark.kernels.over import Array, Over

__all__ = [
    "OVERFLOW",
    "BigSumLane",
    "CountLane",
    "ExtremeLane",
    "Field",
    "Lane",
    "MomentsLane",
    "ObjectExtremeLane",
    "SumLane",
    "WideSumLane",
    "unscaled",
]

OVERFLOW = "overflow"
"""What is shipped for a sum that overflowed inside its fragment."""
LIMB = 32
INT64 = np.iinfo(np.int64)
_LIMB_MASK = (1 << LIMB) - 1
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
class Field:
    """One array of a lane: its name, element type, and the element that stands for no value."""

    name: str
    dtype: np.dtype[Any]
    identity: Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Lane(ABC):
    """One operation on one column; ``column`` is ``*`` for the tuples themselves."""

    column: str
    operation: ClassVar[str]

    @property
    def name(self) -> str:
        """The lane's name, the stem of its arrays' names."""
        return f"{self.operation}:{self.column}"

    @property
    @abstractmethod
    def fields(self) -> tuple[Field, ...]:
        """The arrays that hold the lane's partials."""

    @property
    def reads(self) -> tuple[str, ...]:
        """The names of the arrays that `combine` looks at."""
        return tuple(f.name for f in self.fields)

    @abstractmethod
    def combine(self, arrays: dict[str, Array], over: Over) -> tuple[Array, ...]:
        """The partials of all that ``over`` takes together, an array per field."""

    def decode(self, shipped: Array) -> Array:
        """One shipped column as the lane's array holds it."""
        return shipped


@dataclass(frozen=True, slots=True, kw_only=True)
class CountLane(Lane):
    """How many values that are not NULL; how many tuples for the column ``*``."""

    operation = "count"

    @property
    def fields(self) -> tuple[Field, ...]:
        return (Field(name=self.name, dtype=_LONG, identity=0),)

    def combine(self, arrays: dict[str, Array], over: Over) -> tuple[Array, ...]:
        return (over.reduce(np.add, arrays[self.name]),)


@dataclass(frozen=True, slots=True, kw_only=True)
class SumLane(Lane):
    """A sum in one array: longs for 32-bit integers (2^31 of them cannot overflow it), else doubles."""

    operation = "sum"
    fractional: bool

    @property
    def fields(self) -> tuple[Field, ...]:
        return (Field(name=self.name, dtype=_FLOAT if self.fractional else _LONG, identity=0),)

    def combine(self, arrays: dict[str, Array], over: Over) -> tuple[Array, ...]:
        with np.errstate(invalid="ignore", over="ignore"):
            return (over.reduce(np.add, arrays[self.name]),)


@dataclass(frozen=True, slots=True, kw_only=True)
class WideSumLane(Lane):
    """A sum of 64-bit integers as high and low limbs: total = high * 2^32 + low."""

    operation = "sum"

    @property
    def fields(self) -> tuple[Field, ...]:
        return tuple(Field(name=f"{self.name}:{limb}", dtype=_LONG, identity=0) for limb in ("high", "low"))

    def combine(self, arrays: dict[str, Array], over: Over) -> tuple[Array, ...]:
        high, low = (over.reduce(np.add, arrays[name]) for name in self.reads)
        return high + (low >> LIMB), low & _LIMB_MASK


@dataclass(frozen=True, slots=True, kw_only=True)
class BigSumLane(Lane):
    """A sum of integers of any size."""

    operation = "sum"

    @property
    def fields(self) -> tuple[Field, ...]:
        return (Field(name=self.name, dtype=_OBJECT, identity=0),)

    def combine(self, arrays: dict[str, Array], over: Over) -> tuple[Array, ...]:
        return (over.reduce(_big_add, arrays[self.name]),)

    def decode(self, shipped: Array) -> Array:
        return _objects(None if text == OVERFLOW else unscaled(text) for text in shipped)


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtremeLane(Lane):
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

    def combine(self, arrays: dict[str, Array], over: Over) -> tuple[Array, ...]:
        # maximum hands NaN on, fmin passes it over: both as if NaN were the largest number.
        return (over.reduce(np.maximum if self.largest else np.fmin, arrays[self.name]),)


@dataclass(frozen=True, slots=True, kw_only=True)
class ObjectExtremeLane(Lane):
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

    def combine(self, arrays: dict[str, Array], over: Over) -> tuple[Array, ...]:
        return (over.reduce(_object_max if self.largest else _object_min, arrays[self.name]),)

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
    def reads(self) -> tuple[str, ...]:
        return (f"count:{self.column}", *(f.name for f in self.fields))

    def combine(self, arrays: dict[str, Array], over: Over) -> tuple[Array, ...]:
        counts, means, m2s = (arrays[name] for name in self.reads)
        with np.errstate(invalid="ignore", over="ignore", divide="ignore"):
            total = over.reduce(np.add, counts)
            # Weights first: the sum of huge values would overflow where their mean does not.
            weights = counts / np.maximum(over.spread(total), 1)
            mean = over.reduce(np.add, weights * means)
            between = np.where(counts > 0, counts * np.square(means - over.spread(mean)), 0.0)
            return mean, over.reduce(np.add, m2s) + over.reduce(np.add, between)


def _objects(values: Iterable[Any]) -> Array:
    listed = list(values)
    array = np.empty(len(listed), dtype=object)
    array[:] = listed
    return array
