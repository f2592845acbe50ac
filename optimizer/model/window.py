"""The window of an ACQ: range and slide, by time or by tuples (doc 000 II-A, row T-01).

Windows are half-open and start-aligned to the epoch, ``[k*slide, k*slide + range)``, exactly as Spark's
``window()`` (X-01, X-21). Range and slide are integers: microseconds by time, a count by tuples. For plans of
workloads that nobody runs there are windows in an abstract unit, too.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from optimizer.errors import FieldError, InvalidInput
from optimizer.model.durations import MICROS, format_duration

__all__ = ["MAX_ABSTRACT", "MAX_OVERLAP", "MAX_RANGE", "Unit", "Window"]

MAX_RANGE = 3_660 * MICROS["d"]
"""Ten years: event times beyond them are mistakes, not windows."""
MAX_OVERLAP = 100_000
"""The most windows that one tuple may belong to; beyond it the answers outnumber the tuples absurdly."""
MAX_TUPLES = 2**40
MAX_ABSTRACT = 2**62
"""What fits an integer of 64 bits with room to spare."""


class Unit(StrEnum):
    """What a window is measured in."""

    TIME = "time"
    TUPLES = "tuples"
    ABSTRACT = "abstract"


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """A sliding window; ``range < slide`` samples the stream.

    >>> Window(range=300_000_000, slide=30_000_000).overlap
    10
    """

    range: int
    slide: int
    unit: Unit = Unit.TIME

    def __post_init__(self) -> None:
        errors = []
        for name, value in (("range", self.range), ("slide", self.slide)):
            if not isinstance(value, int) or isinstance(value, bool):
                errors.append(FieldError(field=name, message="must be a whole number"))
            elif value <= 0:
                errors.append(FieldError(field=name, message="must be positive"))
            elif self.unit is Unit.TIME and value > MAX_RANGE:
                errors.append(FieldError(field=name, message=f"must be at most {format_duration(MAX_RANGE)}"))
            elif self.unit is Unit.TIME and value % MICROS["ms"]:
                errors.append(FieldError(field=name, message="must be a whole number of milliseconds"))
            elif self.unit is Unit.TUPLES and value > MAX_TUPLES:
                errors.append(FieldError(field=name, message=f"must be at most {MAX_TUPLES} tuples"))
            elif self.unit is Unit.ABSTRACT and value > MAX_ABSTRACT:
                errors.append(FieldError(field=name, message="must be at most 2^62 of the finest unit"))
        if not errors and self.unit is not Unit.ABSTRACT and self.overlap > MAX_OVERLAP:
            errors.append(
                FieldError(
                    field="slide",
                    message=f"each tuple would belong to {self.overlap} windows, at most {MAX_OVERLAP} are "
                    "served: use a longer slide or a shorter range",
                )
            )
        if errors:
            raise InvalidInput(errors)

    @property
    def overlap(self) -> int:
        """How many windows a tuple belongs to at most, ceil(r/s)."""
        return -(-self.range // self.slide)

    def __str__(self) -> str:
        if self.unit is Unit.TUPLES:
            return f"{self.range} every {self.slide} tuples"
        if self.unit is Unit.ABSTRACT:
            return f"{self.range} every {self.slide}"
        return f"{format_duration(self.range)} every {format_duration(self.slide)}"
