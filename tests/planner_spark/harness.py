"""Runs a job specification inside the test's own Spark session and reads its rows back, decoded."""

from __future__ import annotations

import math
import os
import threading
from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import SparkSession

from optimizer.model.aggregates import find_aggregate
from optimizer.model.schema import ColumnType, Kind, Schema
from planner_spark.admission import admit
from planner_spark.home import Home
from planner_spark.job import stream_job
from planner_spark.kernels.answers import slots_of
from planner_spark.sinks.manifest import Manifest
from planner_spark.spec import JobSpec, PlanSpec, QuerySpec, StreamSpec
from planner_spark.status import Status, StatusFile

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
SECOND = 1_000_000
OVERFLOW = object()
"""Stands for a value whose row is flagged."""

ARROW = {
    "boolean": pa.bool_(),
    "int": pa.int32(),
    "long": pa.int64(),
    "float": pa.float32(),
    "double": pa.float64(),
    "string": pa.string(),
    "date": pa.date32(),
    "timestamp": pa.timestamp("us", tz="UTC"),
}


def arrow_type(kind: str) -> pa.DataType:
    parsed = ColumnType.parse(kind)
    if parsed.kind is Kind.DECIMAL:
        return pa.decimal128(parsed.precision, parsed.scale)
    return ARROW[kind]


def write_files(folder: Path, schema: Sequence[tuple[str, str]], parts: Sequence[Sequence[tuple]]) -> None:
    """One Parquet file per part, with modification times in the order of the parts."""
    folder.mkdir(parents=True, exist_ok=True)
    for number, rows in enumerate(parts):
        columns = list(zip(*rows, strict=True)) if rows else [[] for _ in schema]
        arrays = [pa.array(list(c), arrow_type(kind)) for c, (_, kind) in zip(columns, schema, strict=True)]
        path = folder / f"part-{number:04d}.parquet"
        pq.write_table(pa.Table.from_arrays(arrays, names=[name for name, _ in schema]), path)
        stamp = 1_700_000_000 + number
        os.utime(path, (stamp, stamp))


def bounded_spec(
    home: Path,
    data: Path,
    schema: Sequence[tuple[str, str]],
    queries: Sequence[QuerySpec],
    *,
    watermark: int,
    files_per_batch: int,
    shards: int = 2,
    epoch: int = 1,
    plan: PlanSpec | None = None,
) -> JobSpec:
    home.mkdir(parents=True, exist_ok=True)
    return JobSpec(
        home=str(home),
        generation=1,
        epoch=epoch,
        stream=StreamSpec(
            name="t",
            source={
                "kind": "files",
                "path": str(data),
                "format": "parquet",
                "bounded": True,
                "options": {"maxFilesPerTrigger": files_per_batch},
            },
            schema=tuple(schema),
            event_time="ts",
            watermark=watermark,
            rate=1_000.0,
        ),
        queries=tuple(queries),
        master="local[2]",
        shards=shards,
        plan=plan,
    )


def run(spark: SparkSession, spec: JobSpec) -> Status:
    """Run the job to the end of its data."""
    home = Home.of(spec)
    admission = admit(home, spec)
    status = StatusFile(home.status_file, epoch=spec.epoch, generation=spec.generation)
    assert stream_job(spark, spec, home, admission, status, threading.Event())
    return status.status


def read_rows(spec: JobSpec) -> dict[int, dict[tuple, tuple]]:
    """Per query: (window start, *group values) to the values of its canonical aggregates.

    A row that is there twice fails, whatever its values.
    """
    folder = Path(spec.home) / "results"
    found: dict[int, dict[tuple, tuple]] = {query.number: {} for query in spec.queries}
    by_number = {query.number: query for query in spec.queries}
    for segment in Manifest.read(folder).segments:
        for file in segment.files:
            table = pq.read_table(folder / file.path)
            for row in table.to_pylist():
                query = by_number[row["query"]]
                assert row["window_end"] - row["window_start"] == timedelta(microseconds=query.range)
                key = (row["window_start"], *(row[f"g_{name}"] for name in query.group_by))
                key = tuple(_hashable(v) for v in key)
                assert key not in found[query.number], f"repeated: {query} {key}"
                found[query.number][key] = _decode(row, query, spec.stream.columns)
    return found


def _hashable(value: Any) -> Any:
    return "NaN" if isinstance(value, float) and math.isnan(value) else value


def _decode(row: dict[str, Any], query: QuerySpec, schema: Schema) -> tuple:
    types = [result_type(function, column, schema) for function, column in query.aggregates]
    values = []
    for bit, (slot, kind) in enumerate(zip(slots_of(types), types, strict=True)):
        if row["overflow"] >> bit & 1:
            values.append(OVERFLOW)
        elif not row["valid"] >> bit & 1:
            values.append(None)
        else:
            values.append(_typed(row[slot], kind))
    return tuple(values)


def result_type(function: str, column: str, schema: Schema) -> ColumnType:
    found = schema.find(column)
    aggregate = find_aggregate(function)
    assert aggregate is not None
    return aggregate.result_type(found.type if found else ColumnType.parse("long"))


def _typed(value: Any, kind: ColumnType) -> Any:
    match kind.kind:
        case Kind.DECIMAL:
            return Decimal((0 if int(value) >= 0 else 1, tuple(map(int, str(abs(int(value))))), -kind.scale))
        case Kind.DATE:
            return date(1970, 1, 1) + timedelta(days=value)
        case Kind.TIMESTAMP:
            return EPOCH + timedelta(microseconds=value)
        case Kind.BOOLEAN:
            return bool(value)
        case _:
            return value
