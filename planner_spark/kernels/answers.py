"""Lowering: from a window's combined partials to the value slots of result rows.

Each canonical aggregate of a query takes the next free slot of its family: ``l`` for longs (integers, booleans, dates
as days, timestamps as microseconds), ``d`` for doubles, ``s`` for strings and for decimals as the text of their
unscaled integer. NULL is a cleared bit in ``valid``; a result that does not fit its type is NULL with its bit in
``overflow`` set, and nobody else's row is touched.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from optimizer.model.aggregates import find_aggregate
from optimizer.model.schema import ColumnType, Kind
from planner_spark.kernels.lanes import LIMB
from planner_spark.kernels.over import Array

__all__ = ["Answer", "Lowering", "Partials", "slots_of"]

Partials = Callable[[str], tuple[Array, ...]]
"""Gives the combined partials of a lane by its name, an element per answer."""


@dataclass(frozen=True, slots=True)
class Answer:
    """Values of one aggregate for some keys, which of them are not NULL, and which overflowed."""

    values: Array
    valid: Array
    overflow: Array | None = None


def slots_of(types: Sequence[ColumnType]) -> tuple[str, ...]:
    """The slot of each canonical aggregate, by result types.

    >>> slots_of([ColumnType.parse(t) for t in ("long", "double", "long", "decimal(20,2)")])
    ('l0', 'd0', 'l1', 's0')
    """
    taken = {"l": 0, "d": 0, "s": 0}
    slots = []
    for kind in types:
        family = "s" if kind.kind in {Kind.STRING, Kind.DECIMAL} else "d" if kind.is_fractional else "l"
        slots.append(f"{family}{taken[family]}")
        taken[family] += 1
    return tuple(slots)


@dataclass(frozen=True, slots=True, kw_only=True)
class Lowering:
    """One canonical aggregate: function, column (``*`` for count(*)) and the column's type."""

    function: str
    column: str
    type: ColumnType

    @property
    def result_type(self) -> ColumnType:
        """The answer's type."""
        aggregate = find_aggregate(self.function)
        if aggregate is None:
            raise ValueError(f"unknown aggregate {self.function!r}")
        return aggregate.result_type(self.type)

    @property
    def lanes(self) -> tuple[str, ...]:
        """The names of the lanes that the answer is lowered from."""
        aggregate = find_aggregate(self.function)
        if aggregate is None:
            raise ValueError(f"unknown aggregate {self.function!r}")
        return tuple(f"{operation}:{self.column}" for operation in aggregate.partials)

    def lower(self, partials: Partials) -> Answer:
        """The answers, in the order of the partials."""
        (count,) = partials(f"count:{self.column}")
        seen = count > 0
        match self.function:
            case "count":
                return Answer(count, np.ones(len(count), dtype=bool))
            case "min" | "max":
                values = partials(f"{self.function}:{self.column}")[0]
                return Answer(_text(values) if self.type.kind is Kind.DECIMAL else values, seen)
            case "sum" | "avg":
                return self._from_sum(partials(f"sum:{self.column}"), count)
            case _:
                return self._from_moments(partials(f"moments:{self.column}")[2], count)

    def _from_sum(self, parts: tuple[Array, ...], count: Array) -> Answer:
        seen = count > 0
        if self.type.kind is Kind.DECIMAL:
            return self._decimal(parts, count)
        if self.function == "avg":
            total = parts[0] if len(parts) == 1 else parts[0] * float(1 << LIMB) + parts[1]
            with np.errstate(invalid="ignore", divide="ignore"):
                return Answer(total / np.maximum(count, 1), seen)
        if len(parts) == 1:
            return Answer(parts[0], seen)
        high, low = parts
        fits = (high >= -(1 << (LIMB - 1))) & (high < 1 << (LIMB - 1))
        return Answer((np.where(fits, high, 0) << LIMB) + low, seen & fits, seen & ~fits)

    def _decimal(self, parts: tuple[Array, ...], count: Array) -> Answer:
        """Exact in Python integers; None stands for a sum that overflowed inside a fragment."""
        if len(parts) == 1:
            totals = parts[0].tolist()
        else:
            totals = [(h << LIMB) + w for h, w in zip(parts[0].tolist(), parts[1].tolist(), strict=True)]
        wanted = self.result_type
        if self.function == "avg":
            shift = 10 ** (wanted.scale - self.type.scale)
            totals = [
                None if t is None else _divide_half_up(t * shift, max(n, 1))
                for t, n in zip(totals, count.tolist(), strict=True)
            ]
        limit = 10**wanted.precision
        fits = np.array([t is not None and abs(t) < limit for t in totals], dtype=bool)
        seen = count > 0
        return Answer(_text(totals), seen & fits, seen & ~fits)

    def _from_moments(self, m2: Array, count: Array) -> Answer:
        sample = self.function.endswith("_samp")
        valid = count > (1 if sample else 0)
        with np.errstate(invalid="ignore", divide="ignore"):
            variance = m2 / np.maximum(count - sample, 1)
            return Answer(np.sqrt(variance) if self.function.startswith("stddev") else variance, valid)


def _text(values: Sequence[int | None] | Array) -> Array:
    return np.array([None if v is None else str(v) for v in values], dtype=object)


def _divide_half_up(numerator: int, denominator: int) -> int:
    """Rounded to the nearest integer, halves away from zero, as Spark rounds decimals.

    >>> _divide_half_up(-5, 2), _divide_half_up(7, 3)
    (-3, 2)
    """
    quotient = (2 * abs(numerator) + denominator) // (2 * denominator)
    return quotient if numerator >= 0 else -quotient
