"""The stream of a run: tuples in order, at an even rate, as Parquet files of which each is one micro-batch.

All sides read the same files. A side that is measured on a fraction reads fewer files, or the files of a dataset that
is cut smaller, always at the same rate of tuples in event time: the work per tuple and the results per tuple stay.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

__all__ = ["SCHEMA", "START", "STEP", "Dataset", "data_files", "link_files", "two_lanes"]

START = 1_736_121_600_000_000
"""Microseconds: 2025-01-06T00:00:00Z, an edge of every window."""
STEP = 360
"""Microseconds from tuple to tuple: ten million in an hour."""
SCHEMA = (("ts", "timestamp"), ("key", "string"), ("price", "double"), ("size", "long"))
ROW_GROUPS = 4
"""A file has several, so that both cores read it."""
SEED = 7


@dataclass(frozen=True, slots=True, kw_only=True)
class Dataset:
    """Files of equal size; ``keys`` come uniformly."""

    keys: int
    per_file: int
    files: int

    @property
    def name(self) -> str:
        """The folder's name, which says all of it."""
        return f"{self.keys}-keys-{self.files}x{self.per_file}"

    @property
    def tuples(self) -> int:
        """Tuples of all files."""
        return self.files * self.per_file

    def folder(self, root: Path) -> Path:
        """The folder of the files, written if it is not there yet."""
        folder = root / self.name
        if not folder.exists():
            partial = root / f".{self.name}.{os.getpid()}"
            partial.mkdir(parents=True)
            for number in range(self.files):
                path = partial / f"part-{number:04d}.parquet"
                pq.write_table(
                    self.table(number), path, compression="snappy", row_group_size=self.per_file // ROW_GROUPS
                )
                # Spark takes the oldest file first, and two files may be written within its clock's step.
                os.utime(path, (START // 1_000_000 + number,) * 2)
            partial.rename(folder)
        return folder

    def table(self, number: int) -> pa.Table:
        """The tuples of one file."""
        chance = np.random.default_rng([SEED, self.keys, self.per_file, number])
        places = np.arange(number * self.per_file, (number + 1) * self.per_file, dtype=np.int64)
        names = pa.array([f"key-{key:06d}" for key in range(self.keys)])
        keys = pa.array(chance.integers(0, self.keys, self.per_file, dtype=np.int32))
        return pa.table(
            {
                "ts": pa.array(START + STEP * places, pa.timestamp("us", tz="UTC")),
                "key": pa.DictionaryArray.from_arrays(keys, names).cast(pa.string()),
                "price": np.round(chance.uniform(1.0, 100.0, self.per_file), 2),
                "size": chance.integers(1, 1_000, self.per_file, dtype=np.int64),
            }
        )


def data_files(folder: Path, first: int, last: int) -> list[Path]:
    """The files of a dataset from one number to before another."""
    return sorted(folder.glob("*.parquet"))[first:last]


def link_files(folder: Path, first: int, last: int, target: Path) -> None:
    """Make files of a dataset appear in another folder, whole and with their times."""
    target.mkdir(parents=True, exist_ok=True)
    for path in data_files(folder, first, last):
        (target / path.name).hardlink_to(path)


def two_lanes(folder: Path, files: int) -> Path:
    """The same tuples as two files in order, one for each of Flink's readers.

    Flink's readers take whole files in no promised order. With a file after the other a reader's watermark would jump,
    and Flink would drop the rest as late; so each gets one file with every other tuple of the stream.
    """
    target = folder / f"lanes-{files}"
    if not target.exists():
        partial = folder / f".lanes-{files}.{os.getpid()}"
        partial.mkdir()
        schema = pq.read_schema(data_files(folder, 0, 1)[0])
        lanes = [
            pq.ParquetWriter(partial / f"{lane}.parquet", schema, compression="snappy") for lane in (0, 1)
        ]
        for path in data_files(folder, 0, files):
            table = pq.read_table(path)
            for lane, writer in enumerate(lanes):
                writer.write_table(table.take(np.arange(lane, table.num_rows, 2)))
        for writer in lanes:
            writer.close()
        partial.rename(target)
    return target
