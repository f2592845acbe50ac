"""What a cost formula gets to know, and what it answers.

All numbers of one plan are in one time unit: ranges and slides in units, rates per unit (X-07).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

__all__ = ["Cost", "Omega", "TreeStats"]


@dataclass(frozen=True, slots=True, kw_only=True)
class TreeStats:
    """A tree as the formulas see it.

    ``windows`` are the distinct (range, slide) pairs of its ACQs: identical ones are answered once (X-13).
    """

    edge_rate: float
    windows: tuple[tuple[int, int], ...]

    def __post_init__(self) -> None:
        if len(set(self.windows)) != len(self.windows):
            raise ValueError("windows must be distinct: identical ACQs count once")

    @classmethod
    def of(cls, *, edge_rate: float, windows: Iterable[tuple[int, int]]) -> TreeStats:
        """The statistics of ACQs with these ranges and slides, in any order and number.

        >>> TreeStats.of(edge_rate=0.5, windows=[(8, 4), (6, 2), (8, 4)]).windows
        ((6, 2), (8, 4))
        """
        return cls(edge_rate=edge_rate, windows=tuple(sorted(set(windows))))


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """Aggregate operations per time unit at each level of a plan."""

    sub_aggregation: float
    intercede: float
    final_aggregation: float

    @property
    def total(self) -> float:
        """All levels together.

        >>> Cost(sub_aggregation=1.0, intercede=0.5, final_aggregation=2.0).total
        3.5
        """
        return self.sub_aggregation + self.intercede + self.final_aggregation


class Omega(Protocol):
    """The final-aggregation operations per edge of an incremental-evaluation technique."""

    @property
    def name(self) -> str:
        """The technique's name in requests and plans."""

    @property
    def formula(self) -> str:
        """The formula in the papers' symbols."""

    def __call__(self, tree: TreeStats) -> float:
        """Operations per edge of the tree."""
