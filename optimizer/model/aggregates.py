"""Aggregate functions as lift, combine and lower, with what they are capable of as types.

An aggregate lifts a value to a partial, combines partials in any grouping, and lowers the last one to the
answer (doc 000 II-B, row T-03). Its class (rows G-05, I-14) says which technique may serve it:

    Aggregate
    ├── Distributive     the partial is the answer: count, sum, min, max
    └── Algebraic        a fixed-size partial gives the answer: avg, variance, stddev
    Invertible           a partial can be taken out again: count, sum, avg
    Selective            combine(x, y) is x or y: min, max

The methods here work on single Python values, as a definition to read and to test against;
``planner_spark.kernels`` has them over whole columns. A partial is None when no value was seen, as SQL's
NULL.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from typing import Any, ClassVar, Protocol, runtime_checkable

from optimizer.model.schema import MAX_PRECISION, ColumnType, Kind

__all__ = [
    "AGGREGATES",
    "Aggregate",
    "Algebraic",
    "Distributive",
    "Invertible",
    "Selective",
    "find_aggregate",
]

LONG = ColumnType(kind=Kind.LONG)
DOUBLE = ColumnType(kind=Kind.DOUBLE)


class Aggregate(ABC):
    """An aggregate function over one column."""

    name: ClassVar[str]
    partials: ClassVar[tuple[str, ...]]
    """The operations of sub-aggregation that it is lowered from; equal ones are shared (row I-16)."""

    @abstractmethod
    def lift(self, value: Any) -> Any:
        """The partial of a single value that is not NULL."""

    @abstractmethod
    def combine(self, left: Any, right: Any) -> Any:
        """The partial of both together; associative and commutative."""

    def lower(self, partial: Any) -> Any:
        """The answer."""
        return partial

    def refusal(self, column: ColumnType) -> str | None:
        """Why the column's type does not fit, or None if it does."""
        return None if column.is_numeric else f"{self.name} needs a numeric column, not {column}"

    @abstractmethod
    def result_type(self, column: ColumnType) -> ColumnType:
        """The answer's type, as Spark types it."""


class Distributive(Aggregate):
    """The answer over parts is the answer over the parts' answers."""


class Algebraic(Aggregate):
    """The answer follows from a partial of fixed size."""


@runtime_checkable
class Invertible(Protocol):
    """An aggregate whose partials can be taken out of a combination again."""

    def invert(self, whole: Any, part: Any) -> Any:
        """What combined with ``part`` gives ``whole``."""


class Selective:
    """An aggregate whose combination is always one of its operands."""


class Count(Distributive):
    """``count(*)`` counts tuples, ``count(column)`` those that are not NULL; combined by a sum."""

    name = "count"
    partials = ("count",)

    def lift(self, value: Any) -> int:
        return 1

    def combine(self, left: int, right: int) -> int:
        return left + right

    def invert(self, whole: int, part: int) -> int:
        return whole - part

    def refusal(self, column: ColumnType) -> str | None:
        return None

    def result_type(self, column: ColumnType) -> ColumnType:
        return LONG


class Sum(Distributive):
    """The sum of the values that are not NULL."""

    name = "sum"
    partials = ("count", "sum")

    def lift(self, value: Any) -> Any:
        return value

    def combine(self, left: Any, right: Any) -> Any:
        return left + right

    def invert(self, whole: Any, part: Any) -> Any:
        return whole - part

    def result_type(self, column: ColumnType) -> ColumnType:
        if column.kind is Kind.DECIMAL:
            return ColumnType(
                kind=Kind.DECIMAL, precision=min(MAX_PRECISION, column.precision + 10), scale=column.scale
            )
        return LONG if column.is_integral else DOUBLE


class Avg(Algebraic):
    """The mean, from sum and count (X-23: averages themselves must not be averaged)."""

    name = "avg"
    partials = ("count", "sum")

    def lift(self, value: Any) -> tuple[Any, int]:
        return value, 1

    def combine(self, left: tuple[Any, int], right: tuple[Any, int]) -> tuple[Any, int]:
        return left[0] + right[0], left[1] + right[1]

    def invert(self, whole: tuple[Any, int], part: tuple[Any, int]) -> tuple[Any, int]:
        return whole[0] - part[0], whole[1] - part[1]

    def lower(self, partial: tuple[Any, int]) -> Any:
        return partial[0] / partial[1]

    def result_type(self, column: ColumnType) -> ColumnType:
        if column.kind is Kind.DECIMAL:
            return ColumnType(
                kind=Kind.DECIMAL,
                precision=min(MAX_PRECISION, column.precision + 4),
                scale=min(MAX_PRECISION, column.scale + 4),
            )
        return DOUBLE


class _Extreme(Distributive, Selective):
    """Minimum or maximum in Spark's order, where NaN is larger than every other number."""

    largest: ClassVar[bool]

    def lift(self, value: Any) -> Any:
        return value

    def combine(self, left: Any, right: Any) -> Any:
        return left if (self._rank(left) > self._rank(right)) is self.largest else right

    @staticmethod
    def _rank(value: Any) -> tuple[bool, Any]:
        is_nan = isinstance(value, float) and math.isnan(value)
        return (is_nan, 0 if is_nan else value)

    def refusal(self, column: ColumnType) -> str | None:
        return None

    def result_type(self, column: ColumnType) -> ColumnType:
        return column


class Min(_Extreme):
    """The smallest value."""

    name = "min"
    partials = ("count", "min")
    largest = False


class Max(_Extreme):
    """The largest value."""

    name = "max"
    partials = ("count", "max")
    largest = True


class _Moments(Algebraic):
    """Variances from (n, mean, M2), merged by Chan's formula and never subtracted: it would cancel."""

    partials = ("count", "moments")
    sample: ClassVar[bool]
    root: ClassVar[bool]

    def lift(self, value: Any) -> tuple[int, float, float]:
        return 1, float(value), 0.0

    def combine(
        self, left: tuple[int, float, float], right: tuple[int, float, float]
    ) -> tuple[int, float, float]:
        n = left[0] + right[0]
        delta = right[1] - left[1]
        mean = left[1] + delta * right[0] / n
        return n, mean, left[2] + right[2] + delta * delta * left[0] * right[0] / n

    def lower(self, partial: tuple[int, float, float]) -> float | None:
        n, _, m2 = partial
        if n == 1 and self.sample:
            return None
        variance = m2 / (n - 1 if self.sample else n)
        return math.sqrt(variance) if self.root else variance

    def result_type(self, column: ColumnType) -> ColumnType:
        return DOUBLE


class VarSamp(_Moments):
    """Sample variance; NULL for a single value."""

    name, sample, root = "var_samp", True, False


class VarPop(_Moments):
    """Population variance."""

    name, sample, root = "var_pop", False, False


class StddevSamp(_Moments):
    """Sample standard deviation; NULL for a single value."""

    name, sample, root = "stddev_samp", True, True


class StddevPop(_Moments):
    """Population standard deviation."""

    name, sample, root = "stddev_pop", False, True


AGGREGATES: tuple[Aggregate, ...] = (
    Count(), Sum(), Avg(), Min(), Max(), VarSamp(), VarPop(), StddevSamp(), StddevPop(),
)  # fmt: skip
"""Every aggregate function, in the order in which they are shown."""

SYNONYMS = {"mean": "avg", "variance": "var_samp", "stddev": "stddev_samp", "std": "stddev_samp"}
"""Spark's other names, and the canonical ones."""

_BY_NAME = {a.name: a for a in AGGREGATES}


def find_aggregate(name: str) -> Aggregate | None:
    """The function of that name or synonym, in any case.

    >>> find_aggregate("STDDEV").name
    'stddev_samp'
    """
    lowered = name.lower()
    return _BY_NAME.get(SYNONYMS.get(lowered, lowered))
