"""The wide result row: one shape for the answers of unlike queries.

Columns: canonical query number, window bounds, the job's epoch, the job's grouping attributes under ``g_`` and their
names (NULL where a query does not group by one), value slots of three families, and the bit masks ``valid`` and
``overflow`` over the query's canonical aggregates. See `planner_spark.kernels.answers` for slots and masks.

Rows leave the stateful operator *packed*: many of them as Arrow bytes in one row of Spark's. PySpark hands rows on one
by one, and a row with a hundred thousand answers costs as much as a row with one.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from optimizer.model.schema import Column
from planner_spark.blocks import to_bytes
from planner_spark.kernels.answers import Answer
from planner_spark.kernels.final import Answers
from planner_spark.kernels.keyspace import KeySpace
from planner_spark.kernels.over import Array
from planner_spark.kernels.workload import Query
from planner_spark.keys import arrow_type, typed

__all__ = ["RowFormat", "Rows"]

CHUNK = 200_000
"""Rows that leave the operator together; a larger answer is not cut."""
_TIME = pa.timestamp("us", tz="UTC")
_FAMILIES = {"l": pa.int64(), "d": pa.float64(), "s": pa.string()}


@dataclass(frozen=True, slots=True, kw_only=True)
class RowFormat:
    """The grouping attributes of a job, and how many slots of each family its rows have."""

    groups: tuple[Column, ...]
    longs: int
    doubles: int
    texts: int
    epoch: int
    """The plan's, told with every row."""

    @classmethod
    def of(cls, queries: Iterable[Query], groups: tuple[Column, ...], *, epoch: int) -> RowFormat:
        """Room for the widest query in each family."""
        slots = [query.slots for query in queries]
        most = {family: max((sum(s[0] == family for s in ss) for ss in slots), default=0) for family in "lds"}
        return cls(groups=groups, longs=most["l"], doubles=most["d"], texts=most["s"], epoch=epoch)

    @property
    def slots(self) -> tuple[str, ...]:
        """All slots in the order of the columns."""
        counts = {"l": self.longs, "d": self.doubles, "s": self.texts}
        return tuple(f"{family}{i}" for family, count in counts.items() for i in range(count))

    @property
    def schema(self) -> pa.Schema:
        """The columns and their types."""
        return pa.schema(
            [
                ("query", pa.int32()),
                ("window_start", _TIME),
                ("window_end", _TIME),
                ("epoch", pa.int32()),
                *((f"g_{column.name}", arrow_type(column.type)) for column in self.groups),
                *((slot, _FAMILIES[slot[0]]) for slot in self.slots),
                ("valid", pa.int64()),
                ("overflow", pa.int64()),
            ]
        )


@dataclass(frozen=True, slots=True)
class _Piece:
    """The rows of one query: which windows and keys they are of, and their values."""

    query: Query
    space: KeySpace
    starts: Array
    keys: Array
    answers: tuple[Answer, ...]


class Rows:
    """Answers as tables of rows; remembers the keys' values in Arrow's form while the keys stay the same."""

    def __init__(self, form: RowFormat) -> None:
        self._form = form
        self._schema = form.schema
        self._values: dict[int, tuple[int, dict[int, pa.Array]]] = {}
        self.seconds = 0.0
        """Time that making rows took so far."""

    def packed(self, answers: Iterable[tuple[KeySpace, Answers]]) -> Iterator[tuple[int, bytes]]:
        """The rows as bytes, and how many they are."""
        for table in self.tables(answers):
            began = time.perf_counter()
            data = to_bytes(table)
            self.seconds += time.perf_counter() - began
            yield table.num_rows, data

    def tables(self, answers: Iterable[tuple[KeySpace, Answers]]) -> Iterator[pa.Table]:
        """The rows in tables of bounded size; within a table by query, then by window."""
        waiting: list[_Piece] = []
        count = 0
        for space, each in answers:
            began = time.perf_counter()
            piece = _piece(space, each)
            self.seconds += time.perf_counter() - began
            if not len(piece.keys):
                continue
            waiting.append(piece)
            count += len(piece.keys)
            if count >= CHUNK:
                yield self._table(waiting)
                waiting, count = [], 0
        if waiting:
            yield self._table(waiting)

    def _table(self, pieces: list[_Piece]) -> pa.Table:
        began = time.perf_counter()
        pieces.sort(key=lambda piece: piece.query.number)
        lengths = [len(piece.keys) for piece in pieces]
        starts = np.concatenate([piece.starts for piece in pieces])
        ranges = np.repeat([piece.query.window_range for piece in pieces], lengths)
        columns: dict[str, pa.Array] = {
            "query": pa.array(np.repeat([p.query.number for p in pieces], lengths).astype(np.int32)),
            "window_start": pa.array(starts).cast(_TIME),
            "window_end": pa.array(starts + ranges).cast(_TIME),
            "epoch": pa.array(np.full(len(starts), self._form.epoch, dtype=np.int32)),
        }
        for position, column in enumerate(self._form.groups):
            kind = arrow_type(column.type)
            parts = [
                self._key_values(piece.space, position).take(pa.array(piece.keys))
                if position in piece.query.columns
                else pa.nulls(len(piece.keys), kind)
                for piece in pieces
            ]
            columns[f"g_{column.name}"] = pa.concat_arrays(parts)
        for slot in self._form.slots:
            columns[slot] = _slot(slot, pieces)
        columns["valid"] = _mask(pieces, lambda answer: answer.valid)
        columns["overflow"] = _mask(pieces, lambda answer: answer.overflow)
        table = pa.Table.from_pydict(columns, schema=self._schema)
        self.seconds += time.perf_counter() - began
        return table

    def _key_values(self, space: KeySpace, position: int) -> pa.Array:
        """The values of one grouping attribute by the keys' numbers."""
        version, known = self._values.get(id(space), (-1, {}))
        if version != space.version:
            known = {}
            self._values[id(space)] = space.version, known
        if position not in known:
            own = space.columns.index(position)
            known[position] = typed(space.values(own), self._form.groups[position].type)
        return known[position]


def _piece(space: KeySpace, answers: Answers) -> _Piece:
    """The rows of the windows and keys that have at least one tuple."""
    present = answers.present
    keys = present.shape[1]
    if present.all():
        chosen: slice | Array = slice(None)
        starts = np.repeat(answers.starts, keys)
        numbers = np.tile(np.arange(keys), len(answers.starts))
    else:
        chosen = np.flatnonzero(present)
        rows, numbers = np.divmod(chosen, keys)
        starts = answers.starts[rows]
    flat = {name: tuple(p.reshape(-1)[chosen] for p in parts) for name, parts in answers.lanes.items()}
    return _Piece(
        query=answers.query,
        space=space,
        starts=starts,
        keys=numbers,
        answers=tuple(lowering.lower(flat.__getitem__) for lowering in answers.query.lowerings),
    )


def _slot(slot: str, pieces: list[_Piece]) -> pa.Array:
    kind = _FAMILIES[slot[0]]
    parts = []
    for piece in pieces:
        values = next(
            (a.values for own, a in zip(piece.query.slots, piece.answers, strict=True) if own == slot), None
        )
        # NULL is told by the mask; NaN is a value.
        parts.append(
            pa.nulls(len(piece.keys), kind) if values is None else pa.array(values, kind, from_pandas=False)
        )
    return pa.concat_arrays(parts)


def _mask(pieces: list[_Piece], flags: Callable[[Answer], Array | None]) -> pa.Array:
    """A bit for each of the query's aggregates."""
    parts = []
    for piece in pieces:
        bits = np.zeros(len(piece.keys), dtype=np.int64)
        for place, answer in enumerate(piece.answers):
            found = flags(answer)
            if found is not None:
                bits |= found.astype(np.int64) << place
        parts.append(bits)
    return pa.array(np.concatenate(parts))
