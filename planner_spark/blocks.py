"""Blocks: the partials of one micro-batch, as one binary value.

Rows travel from sub-aggregation to the stateful operator as Arrow bytes, one value per shard: PySpark hands that
operator its input row by row, and a row with all partials of a shard costs as much as a row with one. The same bytes
are the state: it grows by one block per batch and shard, and shrinks by whole blocks as they age; nothing is ever
rewritten. A block holds the partials as they were emitted, keyed by all grouping attributes and the signature, so
any set of views can be built from it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from planner_spark.kernels.lane import Lane
from planner_spark.kernels.workload import Block
from planner_spark.keys import KEY

__all__ = [
    "DATA", "END", "PACKED", "SHARD", "TAG", "WORDS",
    "block_from", "from_bytes", "last_end", "pack_by_shard", "to_bytes", "together",
]  # fmt: skip

SHARD, DATA = "shard", "data"
TAG, END, WORDS = "tag", "end", "words"
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
        to_bytes(table.filter(pc.equal(table.column(SHARD), shard)).drop_columns([SHARD])) for shard in shards
    ]
    yield pa.RecordBatch.from_arrays(
        [pa.array(shards, pa.int32()), pa.array(packed, pa.binary())], [SHARD, DATA]
    )


def together(tables: Sequence[pa.Table]) -> pa.Table:
    """Parts of a block, or several blocks, as one; texts that repeat are stored once."""
    table = pa.concat_tables(tables)
    for name in (KEY, WORDS):
        column = table.column(name)
        encoded = column if pa.types.is_dictionary(column.type) else column.dictionary_encode()
        table = table.set_column(table.schema.get_field_index(name), name, encoded)
    return table.unify_dictionaries().combine_chunks()


def last_end(table: pa.Table) -> int:
    """The latest end of a block's fragments."""
    return int(pc.max(table.column(END)).as_py())


def block_from(table: pa.Table, lanes: tuple[Lane, ...]) -> Block:
    """The rows of a block as the kernels take them."""
    keys, words = _whole(table, KEY), _whole(table, WORDS)
    return Block(
        tags=_whole(table, TAG).to_numpy(),
        ends=_whole(table, END).to_numpy(),
        keys=keys.dictionary.to_pylist(),
        key_codes=keys.indices.to_numpy(),
        signatures=_bits(words.dictionary.to_pylist()),
        signature_codes=words.indices.to_numpy(),
        partials={
            field.name: lane.decode(np.asarray(_whole(table, field.name).to_numpy(zero_copy_only=False)))
            for lane in lanes
            for field in lane.fields
        },
    )


def _bits(texts: list[str]) -> NDArray[np.int64]:
    """Signatures as rows of words; those from before a word was needed have zeros there."""
    lists = [[int(word) for word in text.split(",") if word] for text in texts]
    words = np.zeros((len(lists), max(map(len, lists), default=0)), dtype=np.int64)
    for row, numbers in enumerate(lists):
        words[row, : len(numbers)] = numbers
    return words


def _whole(table: pa.Table, name: str) -> pa.Array:
    column = table.column(name).combine_chunks()
    return column.chunk(0) if isinstance(column, pa.ChunkedArray) else column


def to_bytes(table: pa.Table) -> bytes:
    """A block as it is stored."""
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return bytes(sink.getvalue().to_pybytes())


def from_bytes(data: bytes | pa.Buffer) -> pa.Table:
    """The rows that were stored, in place."""
    return pa.ipc.open_stream(data).read_all()
