"""From a job specification to one streaming DataFrame that answers all of its queries.

    source + heartbeats ▶ watermark ▶ fragment, signature ▶ sub-aggregation ▶ shard ▶ final aggregation ▶ wide rows

Sub-aggregation is Spark's own code-generated aggregation, one row per tuple and no expansion (row T-03): it groups by
fragment, by the union of all grouping attributes and by signature.
"""

from __future__ import annotations

from pathlib import Path

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from optimizer.edges.classes import classes_of, reduce_classes
from optimizer.model.schema import ColumnType, Schema
from optimizer.model.window import Window
from planner_spark.blocks import END, PACKED, SHARD, START, WORDS, pack_by_shard
from planner_spark.final_aggregation import FinalAggregation
from planner_spark.fragments import FRAGMENT, fragment_column
from planner_spark.kernels.answers import Lowering, slots_of
from planner_spark.kernels.shard import Query, Workload
from planner_spark.keys import from_text, key_column, shard_key
from planner_spark.lane_columns import lane_columns
from planner_spark.lanes import lanes_of
from planner_spark.shape import group_columns, shard_columns
from planner_spark.signature import SIGNATURE, signature_column
from planner_spark.sinks.rows import RowFormat
from planner_spark.sources import source
from planner_spark.sources.control import HEARTBEAT, above_watermark, control_stream
from planner_spark.spec import JobSpec, QuerySpec

__all__ = ["SOURCE_METRICS", "compile_job", "workload_of"]

YEARS = (1970, 9900)
"""Event times are taken from the first of these years to the second; closing heartbeats come after it."""
SOURCE_METRICS = "source"
"""The name under which tuples and NULL event times are counted."""


def compile_job(spark: SparkSession, spec: JobSpec, predicates: tuple[str, ...]) -> DataFrame:
    """The results of the job; ``predicates`` give each predicate's bit by its position."""
    closed = sub_aggregation(spark, spec, predicates)
    workload = workload_of(spec, predicates)
    groups = group_columns(spec)
    rows = RowFormat.of(workload.queries, len(groups))
    operator = FinalAggregation(identity=f"{spec.home}#{spec.epoch}", workload=workload, rows=rows)
    answers = (
        closed.mapInArrow(pack_by_shard, PACKED)
        .groupBy(SHARD)
        .transformWithStateInPandas(
            statefulProcessor=operator, outputStructType=rows.ddl, outputMode="Append", timeMode="EventTime"
        )
    )
    return answers.select(
        "query",
        F.timestamp_micros("window_start").alias("window_start"),
        F.timestamp_micros("window_end").alias("window_end"),
        F.lit(spec.epoch).alias("epoch"),
        *(from_text(F.col(f"g{i}"), column).alias(f"g_{column.name}") for i, column in enumerate(groups)),
        *(f"l{i}" for i in range(rows.longs)),
        # On its way out of Python a NaN becomes NULL; a real NULL is told by its bit in valid.
        *(F.coalesce(F.col(f"d{i}"), F.lit(float("nan"))).alias(f"d{i}") for i in range(rows.doubles)),
        *(f"s{i}" for i in range(rows.texts)),
        "valid",
        "overflow",
    )


def sub_aggregation(spark: SparkSession, spec: JobSpec, predicates: tuple[str, ...]) -> DataFrame:
    """Closed fragments: bounds, key, signature and one column per lane field, with the shard that they belong to."""
    stream, schema = spec.stream, spec.stream.columns
    event_time = F.col(f"`{stream.event_time}`")
    groups = group_columns(spec)
    windows = [Window(range=query.range, slide=query.slide) for query in spec.queries]
    classes = reduce_classes([c for window in windows for c in classes_of(window, partials="pairs")])
    used = frozenset(query.where for query in spec.queries if query.where is not None)
    tuples = _with_watermark(spark, spec).withColumn(SIGNATURE, signature_column(predicates, used))
    if all(query.where is not None for query in spec.queries):
        wanted = F.exists(SIGNATURE, lambda word: word != 0)
        tuples = tuples.where(above_watermark(wanted, stream.event_time))
    lanes = lanes_of([pair for query in spec.queries for pair in query.aggregates], schema)
    measures = [column for lane in lanes for column in lane_columns(lane, schema)]
    # The fragment is a column before it is a key: Spark drops the metadata of what is only named in a groupBy.
    fragments = tuples.select("*", fragment_column(event_time, classes, watermark=stream.watermark))
    grouped = fragments.groupBy(FRAGMENT, *(f"`{column.name}`" for column in groups), SIGNATURE).agg(
        *measures
    )
    names = [f"`{field.name}`" for lane in lanes for field in lane.fields]
    return grouped.select(
        shard_key(shard_columns(spec), shard_labels(spark, spec.shards)).alias(SHARD),
        F.unix_micros(f"{FRAGMENT}.start").alias(START),
        F.unix_micros(f"{FRAGMENT}.end").alias(END),
        key_column(groups),
        F.array_join(F.col(SIGNATURE).cast("array<string>"), ",").alias(WORDS),
        *names,
    )


def _with_watermark(spark: SparkSession, spec: JobSpec) -> DataFrame:
    stream = spec.stream
    event_time = F.col(f"`{stream.event_time}`")
    # A tuple without event time would never leave the state. Spark's first watermark is the epoch, and neither its
    # clock nor Python's goes beyond the year 9999: a time outside of these is a mistake, and is counted as none.
    first, last = (F.lit(f"{year}-01-01").cast("timestamp") for year in YEARS)
    usable = F.coalesce((event_time >= first) & (event_time < last), F.lit(False))
    tuples = source(spark, stream, trigger=spec.trigger).observe(
        SOURCE_METRICS,
        F.count(F.lit(1)).alias("tuples"),
        F.count_if(~usable).alias("null_event_times"),
    )
    tuples = tuples.where(usable).withColumn(HEARTBEAT, F.lit(False))
    beats = control_stream(spark, Path(spec.home) / "control", tuples, stream.event_time)
    delay = f"{stream.watermark // 1_000} milliseconds"
    both = tuples.unionByName(beats).withWatermark(stream.event_time, delay)
    return both.where(above_watermark(~F.col(HEARTBEAT), stream.event_time)).drop(HEARTBEAT)


def workload_of(spec: JobSpec, predicates: tuple[str, ...]) -> Workload:
    """The queries as the kernels see them."""
    schema = spec.stream.columns
    attributes = [column.name for column in group_columns(spec)]
    return Workload(
        queries=tuple(_query(query, schema, attributes, predicates) for query in spec.queries),
        lanes=lanes_of([pair for query in spec.queries for pair in query.aggregates], schema),
    )


def _query(spec: QuerySpec, schema: Schema, attributes: list[str], predicates: tuple[str, ...]) -> Query:
    lowerings = tuple(
        Lowering(
            function=function,
            column=column,
            type=ColumnType.parse("long") if column == "*" else schema.column(column, field="column").type,
        )
        for function, column in spec.aggregates
    )
    return Query(
        number=spec.number,
        window_range=spec.range,
        slide=spec.slide,
        lowerings=lowerings,
        bit=None if spec.where is None else predicates.index(spec.where),
        columns=tuple(attributes.index(name) for name in spec.group_by),
        active_from=spec.active_from,
        slots=slots_of([lowering.result_type for lowering in lowerings]),
    )


def shard_labels(spark: SparkSession, shards: int) -> list[int]:
    """For each of Spark's partitions a number that hashes to it, so that every shard gets a partition of its own."""
    labels: dict[int, int] = {}
    numbered = spark.range(shards * 64).selectExpr(
        "int(id) AS label", f"pmod(hash(int(id)), {shards}) AS place"
    )
    for row in numbered.collect():
        labels.setdefault(row.place, row.label)
    return [labels[place] for place in sorted(labels)]
