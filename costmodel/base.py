"""What a cost formula gets to know, and what it answers.

All numbers of one plan are in one time unit: ranges and slides in units, rates per unit (X-07).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar

import numpy as np

from costmodel.summaries import FloatArray, IntArray, Summaries

__all__ = ["NEEDS", "Cost", "Need", "Technique", "TreeStats", "WindowGroups"]


class Need(StrEnum):
    """What an aggregate is capable of, which says what a technique may do with its partials (row I-14)."""

    INVERTIBLE = "invertible"
    SELECTIVE = "selective"
    NEITHER = "neither"


NEEDS: dict[Need, int] = {need: 1 << position for position, need in enumerate(Need)}
"""Each need as a bit, so that those of many aggregates are one number."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TreeStats:
    """A tree as the formulas see it.

    ``windows`` are the distinct (range, slide) pairs of its ACQs: identical ones are answered once (X-13).
    """

    edge_rate: float
    windows: tuple[tuple[int, int], ...]
    needs: frozenset[Need] = frozenset()

    def __post_init__(self) -> None:
        if len(set(self.windows)) != len(self.windows):
            raise ValueError("windows must be distinct: identical ACQs count once")

    @classmethod
    def of(
        cls, *, edge_rate: float, windows: Iterable[tuple[int, int]], needs: Iterable[Need] = ()
    ) -> TreeStats:
        """The statistics of ACQs with these ranges and slides, in any order and number.

        >>> TreeStats.of(edge_rate=0.5, windows=[(8, 4), (6, 2), (8, 4)]).windows
        ((6, 2), (8, 4))
        """
        return cls(edge_rate=edge_rate, windows=tuple(sorted(set(windows))), needs=frozenset(needs))


@dataclass(frozen=True, slots=True, kw_only=True)
class WindowGroups:
    """Distinct windows in columns, each in one of ``count`` groups: many trees at once.

    ``needs`` has the bits of the aggregates over each window, 0 where no aggregate is named.
    """

    ranges: IntArray
    slides: IntArray
    needs: IntArray
    group: IntArray
    count: int

    @classmethod
    def one(cls, tree: TreeStats) -> WindowGroups:
        """A single tree."""
        lengths = np.array(tree.windows, dtype=np.int64).reshape(-1, 2)
        bits = sum(NEEDS[need] for need in tree.needs)
        return cls(
            ranges=lengths[:, 0],
            slides=lengths[:, 1],
            needs=np.full(len(lengths), bits, dtype=np.int64),
            group=np.zeros(len(lengths), dtype=np.int64),
            count=1,
        )

    def total(self, values: FloatArray) -> FloatArray:
        """The sum of a value over the windows of each group."""
        return np.bincount(self.group, weights=values, minlength=self.count).astype(np.float64)


class Technique(ABC):
    """An incremental-evaluation technique by its Omega: final-aggregation operations per edge of a tree.

    A tree is summarised first, in a form that can be combined with another tree's, so that an optimizer can
    ask for the Omega of thousands of merged trees at once.
    """

    name: ClassVar[str]
    formula: ClassVar[str]
    capability: ClassVar[str]
    serves: ClassVar[frozenset[Need]]
    multi_query: ClassVar[bool] = True
    """Whether it answers many queries of one tree."""
    width: ClassVar[int]
    """The columns of a summary."""
    additive: ClassVar[bool] = False
    """Whether each window adds the same to Omega whatever else is in the tree and whatever its edge rate.

    Then ACQs with equal edges belong together in some best plan: of two trees with such ACQs all of them can
    go to the one of lower edge rate, which gets no edge more, and no operation costs more there.
    """

    @abstractmethod
    def summarise(self, windows: WindowGroups, *, coarse: bool = False) -> Summaries:
        """Each group's summary. ``coarse`` is for thousands of groups: of small fixed width, perhaps inexact."""

    @abstractmethod
    def per_edge(self, trees: Summaries, edge_rates: FloatArray) -> FloatArray:
        """Omega of each summarised tree at its edge rate."""

    def joining(self, window: WindowGroups, *, same_range: bool) -> Summaries:
        """The coarse summary of a single window that joins a tree, which may have its range already."""
        return self.summarise(window, coarse=True)

    def __call__(self, tree: TreeStats) -> float:
        """Omega of a single tree."""
        summary = self.summarise(WindowGroups.one(tree))
        return float(self.per_edge(summary, np.array([tree.edge_rate]))[0])


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
