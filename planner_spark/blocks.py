"""Blocks: the partials of one micro-batch, as one binary value.

Rows travel from sub-aggregation to the stateful operator as Arrow bytes, one value per shard: PySpark hands that
operator its input row by row, and a row with all partials of a shard costs as much as a row with one. The same bytes
are the state: it grows by one block per batch and shard, and shrinks by whole blocks as they age; nothing is ever
rewritten. A block holds the partials as they were emitted, keyed by all grouping attributes and the signature, so
any set of views can be built from it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from planner_spark.kernels.lanes import Lane
from planner_spark.kernels.shard import Block
from planner_spark.keys import KEY

__all__ = ["DATA", "END", "PACKED", "SHARD", "START", "WORDS", "block_from", "join", "pack_by_shard"]

SHARD, DATA = "shard", "data"
START, END, WORDS = "start", "end", "words"
PACKED = f"{SHARD} int, {DATA} binary"
"""The schema of packed rows, in Spark's words."""


def pack_by_shard(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """One row per shard with all of its rows as bytes; runs in Spark's workers, columnar all the way."""
    tables = [pa.Table.from_batches([batch]) for batch in batches if batch.num_rows]
    if not tables:
        return
    table = pa.concat_tables(tables)
    shards = pc.unique(table.column(SHARD)).to_pylist()
    packed = [
        _to_bytes(table.filter(pc.equal(table.column(SHARD), shard)).drop_columns([SHARD]))
        for shard in shards
    ]
    yield pa.RecordBatch.from_arrays(
        [pa.array(shards, pa.int32()), pa.array(packed, pa.binary())], [SHARD, DATA]
    )


def join(parts: Iterable[bytes]) -> tuple[bytes, pa.Table]:
    """The parts of a shard's batch as one block, and its rows; texts that repeat are stored once."""
    table = pa.concat_tables([_from_bytes(part) for part in parts])
    for name in (KEY, WORDS):
        encoded = table.column(name).combine_chunks().dictionary_encode()
        table = table.set_column(table.schema.get_field_index(name), name, encoded)
    table = table.combine_chunks()
    return _to_bytes(table), table


def block_from(data: bytes | pa.Table, lanes: tuple[Lane, ...]) -> Block:
    """The rows of a block as the kernels take them."""
    table = data if isinstance(data, pa.Table) else _from_bytes(data)
    keys, words = _whole(table, KEY), _whole(table, WORDS)
    return Block(
        starts=_whole(table, START).to_numpy(),
        ends=_whole(table, END).to_numpy(),
        keys=[tuple(json.loads(text)) for text in keys.dictionary.to_pylist()],
        key_codes=keys.indices.to_numpy(),
        signatures=[tuple(int(w) for w in text.split(",") if w) for text in words.dictionary.to_pylist()],
        signature_codes=words.indices.to_numpy(),
        partials={
            field.name: lane.decode(np.asarray(_whole(table, field.name).to_numpy(zero_copy_only=False)))
            for lane in lanes
            for field in lane.fields
        },
    )


def _whole(table: pa.Table, name: str) -> pa.Array:
    column = table.column(name).combine_chunks()
    return column.chunk(0) if isinstance(column, pa.ChunkedArray) else column


def _to_bytes(table: pa.Table) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return bytes(sink.getvalue().to_pybytes())


def _from_bytes(data: bytes) -> pa.Table:
    return pa.ipc.open_stream(data).read_all()
