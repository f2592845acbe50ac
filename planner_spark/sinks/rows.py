"""The wide result row: one shape for the answers of unlike queries.

Columns: canonical query number, window bounds, the job's grouping attributes as text (NULL where a query does not
group by one), value slots of three families, and the bit masks ``valid`` and ``overflow`` over the query's canonical
aggregates. See `planner_spark.kernels.answers` for slots and masks.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd

from planner_spark.kernels.answers import slots_of
from planner_spark.kernels.over import Array
from planner_spark.kernels.shard import Query, Rows

__all__ = ["RowFormat", "slots_of"]

CHUNK = 200_000
"""Rows per frame that leaves the operator."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RowFormat:
    """How many grouping attributes and slots of each family a row has."""

    groups: int
    longs: int
    doubles: int
    texts: int

    @classmethod
    def of(cls, queries: Iterable[Query], groups: int) -> RowFormat:
        """Room for the widest query in each family."""
        slots = [query.slots for query in queries]
        most = {family: max((sum(s[0] == family for s in ss) for ss in slots), default=0) for family in "lds"}
        return cls(groups=groups, longs=most["l"], doubles=most["d"], texts=most["s"])

    @property
    def ddl(self) -> str:
        """The schema in Spark's words."""
        columns = ["query int", "window_start bigint", "window_end bigint"]
        columns += [f"g{i} string" for i in range(self.groups)]
        for family, count, kind in self._families:
            columns += [f"{family}{i} {kind}" for i in range(count)]
        return ", ".join([*columns, "valid bigint", "overflow bigint"])

    @property
    def _families(self) -> tuple[tuple[str, int, str], ...]:
        return ("l", self.longs, "bigint"), ("d", self.doubles, "double"), ("s", self.texts, "string")

    def frames(self, answers: Iterable[Rows]) -> Iterator[pd.DataFrame]:
        """The answers as frames of a bounded number of rows."""
        waiting: list[dict[str, Array]] = []
        count = 0
        for rows in answers:
            waiting.append(self._columns(rows))
            count += len(rows)
            if count >= CHUNK:
                yield _frame(waiting)
                waiting, count = [], 0
        if waiting:
            yield _frame(waiting)

    def _columns(self, rows: Rows) -> dict[str, Array]:
        n, query = len(rows), rows.query
        columns: dict[str, Array] = {
            "query": np.full(n, query.number, dtype=np.int32),
            "window_start": np.full(n, rows.window_start, dtype=np.int64),
            "window_end": np.full(n, rows.window_start + query.window_range, dtype=np.int64),
        }
        grouped = dict(zip(query.columns, rows.groups, strict=True))
        for position in range(self.groups):
            columns[f"g{position}"] = grouped.get(position, np.full(n, None, dtype=object))
        empty = {"l": np.zeros(n, dtype=np.int64), "d": np.zeros(n), "s": np.full(n, None, dtype=object)}
        for family, count, _ in self._families:
            for position in range(count):
                columns[f"{family}{position}"] = empty[family]
        valid = np.zeros(n, dtype=np.int64)
        overflow = np.zeros(n, dtype=np.int64)
        for bit, (slot, answer) in enumerate(zip(query.slots, rows.answers, strict=True)):
            columns[slot] = answer.values
            valid |= answer.valid.astype(np.int64) << bit
            if answer.overflow is not None:
                overflow |= answer.overflow.astype(np.int64) << bit
        return {**columns, "valid": valid, "overflow": overflow}


def _frame(parts: list[dict[str, Array]]) -> pd.DataFrame:
    return pd.DataFrame({name: np.concatenate([part[name] for part in parts]) for name in parts[0]})
