"""The queries of one stream in columns: what every optimizer works on.

**Time unit.** Ranges and slides are counted in whole seconds when all of them are, else in milliseconds; the
rate, given in tuples per second, is converted to it. Windows by tuples are counted in tuples: their edge rate
per second is the rate times the edges per tuple (X-07), and they cannot share a plan with windows by time.
Windows in an abstract unit are counted in it, and the rate is per that unit.

**Items.** Queries with the same window that measure the same columns are one item, answered once (X-13). A query
that only counts tuples measures no column, and shares with those of any (A-26).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from costmodel import NEEDS, WindowGroups
from costmodel.summaries import IntArray
from optimizer.distinct import distinct_rows
from optimizer.errors import InvalidInput
from optimizer.model.durations import MICROS
from optimizer.model.plan import PlannedQuery
from optimizer.model.window import Unit

__all__ = ["ANY_SCOPE", "Items", "Units", "Workload", "check_rate"]

ANY_SCOPE = 0
"""The scope of queries that measure no column."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Units:
    """How a plan counts: ``length`` microseconds or tuples are one unit of windows."""

    name: str
    length: int
    rate: float
    edges_per_unit: float
    """What an edge rate per window unit is multiplied by to be per time unit."""


@dataclass(frozen=True, slots=True)
class Items:
    """Distinct windows of one scope each, in the plan's unit, in a fixed order."""

    ranges: IntArray
    slides: IntArray
    needs: IntArray
    scope: IntArray
    copies: IntArray
    """How many queries each stands for."""

    def __len__(self) -> int:
        return len(self.ranges)

    def groups(self, group: IntArray, count: int) -> WindowGroups:
        """The items' windows, each in a group; items that are one window but for their scope stay apart."""
        return WindowGroups(
            ranges=self.ranges, slides=self.slides, needs=self.needs, group=group, count=count
        )

    def one(self, rows: IntArray) -> WindowGroups:
        """The distinct windows of these items as a single tree."""
        ranges, slides = self.ranges[rows], self.slides[rows]
        first, place = distinct_rows(slides, ranges)
        needs = np.zeros(len(first), dtype=np.int64)
        np.bitwise_or.at(needs, place, self.needs[rows])
        return WindowGroups(
            ranges=ranges[first], slides=slides[first], needs=needs, group=np.zeros_like(first), count=1
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Workload:
    """Queries, the stream they are on, and the items that they are."""

    queries: tuple[PlannedQuery, ...]
    stream: str
    units: Units
    items: Items
    item_of: IntArray
    """The item of each query."""

    @classmethod
    def of(cls, queries: Sequence[PlannedQuery], *, rate: float, stream: str | None = None) -> Workload:
        """The workload of one stream at a rate in tuples per second."""
        check_rate(rate)
        given = tuple(queries)
        name = _one_stream(given, stream)
        windows = [q.window for q in given]
        ranges = np.fromiter((w.range for w in windows), dtype=np.int64, count=len(given))
        slides = np.fromiter((w.slide for w in windows), dtype=np.int64, count=len(given))
        units = _units({w.unit for w in windows}, ranges, slides, rate)
        scope, needs = _scopes(given)
        items, item_of = _items(ranges // units.length, slides // units.length, scope, needs)
        return cls(queries=given, stream=name, units=units, items=items, item_of=item_of)

    def at_rate(self, rate: float) -> Workload:
        """The same queries at another rate per second."""
        check_rate(rate)
        windows = self.items
        kinds = {q.window.unit for q in self.queries[:1]}
        units = _units(kinds, windows.ranges * self.units.length, windows.slides * self.units.length, rate)
        return replace(self, units=units)


def check_rate(rate: float) -> None:
    """Refuse what is no rate."""
    if not (isinstance(rate, int | float) and math.isfinite(rate) and rate >= 0):
        raise InvalidInput.at("rate", "must be a number of tuples per second, 0 or more")


def _units(kinds: set[Unit], ranges: IntArray, slides: IntArray, rate: float) -> Units:
    if len(kinds) > 1:
        raise InvalidInput.at("window.unit", "windows by time and by tuples cannot share a plan")
    if kinds == {Unit.ABSTRACT}:
        return Units(name="1", length=1, rate=float(rate), edges_per_unit=1.0)
    if kinds == {Unit.TUPLES}:
        return Units(name="1s", length=1, rate=float(rate), edges_per_unit=float(rate))
    whole_seconds = not ((ranges % MICROS["s"]).any() or (slides % MICROS["s"]).any())
    name = "s" if whole_seconds else "ms"
    length = MICROS[name]
    return Units(name=f"1{name}", length=length, rate=rate * length / MICROS["s"], edges_per_unit=1.0)


def _one_stream(queries: tuple[PlannedQuery, ...], stream: str | None) -> str:
    """A-26: only queries of one stream share anything."""
    streams = {q.stream for q in queries} | ({stream} if stream is not None else set())
    if len(streams) > 1:
        raise InvalidInput.at("stream", "one plan is for the queries of one stream")
    if len({q.id for q in queries}) != len(queries):
        raise InvalidInput.at("id", "each query needs an id of its own")
    return next(iter(streams), "")


def _scopes(queries: tuple[PlannedQuery, ...]) -> tuple[IntArray, IntArray]:
    """The scope of each query, as a number, and the bits of its kinds of aggregates."""
    # Lanes are interned, so that a million queries have few of them to look at.
    count = len(queries)
    lanes = np.fromiter((id(q.lanes) for q in queries), dtype=np.int64, count=count)
    kinds = np.fromiter((id(q.needs) for q in queries), dtype=np.int64, count=count)
    first, row = distinct_rows(lanes, kinds)
    scopes: dict[tuple[str, ...], int] = {(): ANY_SCOPE}
    # In the order of the queries, as identities are other ones in each process.
    number = np.empty((2, len(first)), dtype=np.int64)
    for place in np.argsort(first).tolist():
        query = queries[first[place]]
        scope = scopes.setdefault(query.columns, len(scopes))
        number[:, place] = scope, sum(NEEDS[need] for need in query.needs)
    return number[0][row], number[1][row]


def _items(ranges: IntArray, slides: IntArray, scope: IntArray, needs: IntArray) -> tuple[Items, IntArray]:
    """Distinct (range, slide, scope), and which of them each query is."""
    # Within a window by falling scope, so that one that only counts follows the scopes that it may join.
    first, row = distinct_rows(slides, ranges, -scope)
    new = np.ones(len(first), dtype=np.bool_)
    same = (slides[first][1:] == slides[first][:-1]) & (ranges[first][1:] == ranges[first][:-1])
    new[1:] = ~(same & (scope[first][1:] == ANY_SCOPE))
    item_of = (np.cumsum(new) - 1)[row]
    first = first[new]
    count = len(first)
    bits = np.zeros(count, dtype=np.int64)
    np.bitwise_or.at(bits, item_of, needs)
    copies = np.bincount(item_of, minlength=count)
    return Items(ranges[first], slides[first], bits, scope[first], copies), item_of
