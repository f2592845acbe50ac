"""Generated workloads: data with everything that hurts, and queries that mix windows, predicates and groupings."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any

from hypothesis import strategies as st

from optimizer.model.aggregates import AGGREGATES
from optimizer.model.parse_predicate import parse_predicate
from optimizer.model.schema import Column, ColumnType, Schema
from planner_spark.kernels.techniques import KERNELS, serves
from planner_spark.lanes import lanes_of
from planner_spark.spec import PlanSpec, QuerySpec, TreeSpec

SECOND = 1_000_000
SCHEMA = (
    ("ts", "timestamp"), ("k", "string"), ("j", "int"), ("x", "double"), ("f", "float"), ("n", "long"), ("i", "int"),
    ("d", "decimal(10,2)"), ("w", "decimal(30,3)"), ("b", "boolean"), ("s", "string"), ("day", "date"),
    ("u", "timestamp"),
)  # fmt: skip
TYPED = Schema(columns=tuple(Column(name=n, type=ColumnType.parse(t)) for n, t in SCHEMA))
PREDICATES = (
    "x > 0", "x <= 1.5 OR k IS NULL", "n >= 0 AND n < 50", "k IN ('a', 'b')", "NOT (x > 0)", "b", "k LIKE 'a%'",
    "i % 3 = 1", "i + j > 5", "s <> 'x'", "x IS NOT NULL", "d BETWEEN -5 AND 5", "n / i > 1", "isnan(x)",
)  # fmt: skip
GROUPINGS = ((), ("k",), ("j",), ("j", "k"), ("b", "k"), ("day",), ("x",), ("d",), ("n",), ("f", "u"), ("w",))
START = datetime(2026, 3, 1, tzinfo=UTC)


@dataclass(frozen=True)
class Workload:
    parts: tuple[tuple[tuple, ...], ...]
    queries: tuple[QuerySpec, ...]
    watermark: int
    plan: PlanSpec

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        """What hypothesis prints of it: the rows themselves would fill screens."""
        printer.text(
            f"<{sum(map(len, self.parts))} tuples in {len(self.parts)} files, {len(self.queries)} queries>"
        )


@st.composite
def workloads(draw: st.DrawFn) -> Workload:
    rng = random.Random(draw(st.integers(0, 2**32)))
    watermark = draw(st.sampled_from([0, 2, 30])) * SECOND
    count = draw(st.integers(1, 400))
    parts = draw(st.integers(1, 4))
    queries = tuple(_query(rng, number) for number in range(1, draw(st.integers(1, 20)) + 1))
    return Workload(
        parts=_split(_rows(rng, count, watermark), parts),
        queries=queries,
        watermark=watermark,
        plan=random_plan(rng, queries),
    )


def random_plan(rng: random.Random, queries: Sequence[QuerySpec]) -> PlanSpec:
    """The queries in some trees, each lane of each tree by some technique that may serve it."""
    lanes = lanes_of([pair for query in queries for pair in query.aggregates], TYPED)
    members: dict[int, list[int]] = {}
    for query in queries:
        members.setdefault(rng.randrange(rng.choice([1, 2, 5])), []).append(query.number)
    return PlanSpec(
        execution=rng.choice(["triops", "twoops"]),
        partials=rng.choice(["pairs", "pairs", "panes"]),
        trees=tuple(
            TreeSpec(
                id=number,
                queries=tuple(numbers),
                techniques={
                    lane.name: rng.choice([kernel.name for kernel in KERNELS if serves(kernel, lane)])
                    for lane in lanes
                },
            )
            for number, numbers in enumerate(members.values(), start=1)
        ),
    )


def _split(rows: list[tuple], parts: int) -> tuple[tuple[tuple, ...], ...]:
    size = max(1, math.ceil(len(rows) / parts))
    return tuple(tuple(rows[i : i + size]) for i in range(0, len(rows), size))


def _rows(rng: random.Random, count: int, watermark: int) -> list[tuple]:
    """Tuples whose event times run on, with stretches of silence, each at most the watermark out of order."""
    at = START + timedelta(milliseconds=rng.randrange(10_000))
    keys = rng.choice(
        [["a"], ["a", "b", None, "", "ab", 'q"é\\', "\u0000", " 日本"], [f"k{i}" for i in range(100)]]
    )
    rows = []
    for _ in range(count):
        step = rng.choice([0, 0.001, 0.1, 0.5, 1, 3]) if rng.random() < 0.97 else rng.choice([30, 100, 600])
        at += timedelta(seconds=step)
        late = timedelta(microseconds=rng.randrange(watermark + 1)) if rng.random() < 0.3 else timedelta()
        rows.append((at - late, *_values(rng, keys)))
    return rows


def _values(rng: random.Random, keys: list[str | None]) -> tuple:
    def maybe(value: object) -> object:
        return None if rng.random() < 0.15 else value

    number = rng.choice([rng.uniform(-10, 10), 1.0, 1.0, -0.0, 1e-3])
    return (
        rng.choice(keys),
        maybe(rng.randrange(3)),
        maybe(rng.choice([number, number, number, math.nan, math.inf]) if rng.random() < 0.2 else number),
        maybe(float(rng.randrange(-8, 8)) / 4),
        maybe(rng.choice([rng.randrange(-100, 100), 2**53 + 1, -(2**53) - 1, 2**40])),
        maybe(rng.randrange(-(2**31), 2**31) if rng.random() < 0.1 else rng.randrange(-20, 20)),
        maybe(
            Decimal(rng.randrange(-(10**10) + 1, 10**10)).scaleb(-2)
            if rng.random() < 0.2
            else Decimal("1.25")
        ),
        maybe(Decimal(rng.randrange(-(10**25), 10**25)).scaleb(-3)),
        maybe(rng.random() < 0.5),
        maybe(rng.choice(["x", "y", "ä", "", "zz", "\U0001f600", "\uffff"])),
        maybe(date(2026, 1, 1) + timedelta(days=rng.randrange(3))),
        maybe(datetime(2026, 1, 1, tzinfo=UTC) + timedelta(microseconds=rng.randrange(10**9))),
    )


def _query(rng: random.Random, number: int) -> QuerySpec:
    slide = rng.choice([500, 1_000, 2_000, 3_000, 5_000, 7_000, 10_000, 60_000]) * 1_000
    match rng.randrange(4):
        case 0:
            window_range = slide * rng.choice([1, 1, 2, 3, 5, 10, 20, 100])
        case 1:
            window_range = slide * rng.randrange(1, 8) + rng.randrange(1, slide // 1_000) * 1_000
        case 2:
            window_range = rng.randrange(1, slide // 1_000 + 1) * 1_000
        case _:
            window_range = slide * rng.randrange(1, 4)
    where = rng.choice(PREDICATES) if rng.random() < 0.5 else None
    predicate = parse_predicate(where, TYPED) if where else None
    calls = {_call(rng) for _ in range(rng.randrange(1, 5))}
    return QuerySpec(
        number=number,
        range=window_range,
        slide=slide,
        aggregates=tuple(sorted(calls)),
        where=predicate.sql if predicate else None,
        group_by=rng.choice(GROUPINGS),
    )


def _call(rng: random.Random) -> tuple[str, str]:
    while True:
        aggregate = rng.choice(AGGREGATES)
        column = rng.choice(TYPED.columns)
        if aggregate.name == "count" and rng.random() < 0.5:
            return "count", "*"
        if aggregate.refusal(column.type) is None:
            return aggregate.name, column.name
