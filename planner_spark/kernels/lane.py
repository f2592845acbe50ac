"""What a lane is: one measured operation on one column, as arrays over group keys, and what may be done with it.

A lane's partials are numpy arrays; it names them, the identity that stands for "no value", and how partials are
combined. What a technique may do with a lane is a matter of its type (rows I-14, G-05): an inverting kernel takes an
`InvertibleLane`, a deque takes a `SelectiveLane`, and any other kernel takes any `Lane`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from planner_spark.kernels.inverse import Inverse
from planner_spark.kernels.over import Array, Fragments, Over

__all__ = ["Field", "InvertibleLane", "Lane", "Parts", "SelectiveLane"]

Parts = tuple[Array, ...]
"""Partials of one lane: an array for each of its parts, all of one shape, the last axis being the keys."""
_DOWN = Fragments()


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
        """The arrays that sub-aggregation ships for the lane."""

    @property
    def parts(self) -> tuple[Field, ...]:
        """The arrays that are combined: its own, and what it has to know of other lanes."""
        return self.fields

    @abstractmethod
    def combine(self, parts: Parts, over: Over) -> Parts:
        """All that ``over`` takes together: one vectorised pass."""

    @abstractmethod
    def pair(self, left: Parts, right: Parts) -> Parts:
        """Two partials together, element by element."""

    def reduce(self, parts: Parts) -> Parts:
        """All rows of arrays [partial, key] together; identities where there are none."""
        return self.combine(parts, _DOWN) if len(parts[0]) else self.identity(parts[0].shape[1:])

    def identity(self, shape: tuple[int, ...]) -> Parts:
        """Partials of no value."""
        return tuple(np.full(shape, part.identity, part.dtype) for part in self.parts)

    def decode(self, shipped: Array) -> Array:
        """One shipped column as the lane's array holds it."""
        return shipped


class InvertibleLane(Lane):
    """A lane whose partials can be taken out of a combination again."""

    @property
    @abstractmethod
    def inverse(self) -> Inverse:
        """How that is done."""


class SelectiveLane(Lane):
    """A lane whose combination is always one of its operands, by one total order; it has a single part."""

    @abstractmethod
    def beats(self, new: Array, old: Array) -> Array:
        """Where a younger value makes an older one useless: it is as good or better (row G-06)."""
