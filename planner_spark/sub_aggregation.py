"""Sub-aggregation: tuples to closed fragments, natively in Spark (doc 000 II-B, III-B; rows T-03, T-08, T-09).

It is Spark's own code-generated aggregation: it groups by tag, fragment, the union of all grouping attributes and
signature. Under TriOps a tuple is one row, in the fragment between the nearest edges of all trees; under TwoOps it is
a row for each tree, in that tree's own fragment. The key has the same columns in both, so a checkpoint serves both.
"""

from __future__ import annotations

from pathlib import Path

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from planner_spark.admission import Admission
from planner_spark.blocks import END, SHARD, TAG, WORDS
from planner_spark.fragments import FRAGMENT, bounds_of, fragment_column
from planner_spark.keys import key_column, shard_key
from planner_spark.lane_columns import lane_columns
from planner_spark.lanes import lanes_of
from planner_spark.shape import group_columns, shard_columns
from planner_spark.signature import SIGNATURE, signature_column
from planner_spark.sources import source
from planner_spark.sources.control import HEARTBEAT, above_watermark, control_stream
from planner_spark.spec import JobSpec
from planner_spark.tags import SHARED
from planner_spark.workload import edges_of

__all__ = ["SOURCE_METRICS", "sub_aggregation"]

YEARS = (1970, 9900)
"""Event times are taken from the first of these years to the second; closing heartbeats come after it."""
SOURCE_METRICS = "source"
"""The name under which tuples and NULL event times are counted."""
_TAG = "__tag"


def sub_aggregation(spark: SparkSession, spec: JobSpec, admission: Admission) -> DataFrame:
    """Closed fragments: tag, end, key, signature and one column per lane field, with the shard that they belong to."""
    stream, schema = spec.stream, spec.stream.columns
    groups = group_columns(spec)
    used = frozenset(query.where for query in spec.queries if query.where is not None)
    signature = signature_column(admission.predicates, used)
    tuples = with_watermark(spark, spec).withColumn(SIGNATURE, signature)
    if all(query.where is not None for query in spec.queries):
        wanted = F.exists(SIGNATURE, lambda word: word != 0)
        tuples = tuples.where(above_watermark(wanted, stream.event_time))
    lanes = lanes_of([pair for query in spec.queries for pair in query.aggregates], schema)
    measures = [column for lane in lanes for column in lane_columns(lane, schema)]
    names = [f"`{field.name}`" for lane in lanes for field in lane.fields]
    keys = [_TAG, *(f"`{column.name}`" for column in groups), SIGNATURE]
    grouped = _fragments(tuples, spec, admission).groupBy(FRAGMENT, *keys).agg(*measures)
    return grouped.select(
        shard_key(shard_columns(spec), shard_labels(spark, spec.shards)).alias(SHARD),
        F.col(_TAG).alias(TAG),
        F.unix_micros(f"{FRAGMENT}.end").alias(END),
        key_column(groups),
        F.array_join(F.col(SIGNATURE).cast("array<string>"), ",").alias(WORDS),
        *names,
    )


def _fragments(tuples: DataFrame, spec: JobSpec, admission: Admission) -> DataFrame:
    """The tuples with tag and fragment; each is a column before it is a key, or Spark drops its metadata."""
    plan, stream = spec.plan_in_force, spec.stream
    event_time = F.col(f"`{stream.event_time}`")
    if plan.execution == "triops":
        every = edges_of(spec, (query.number for query in spec.queries), plan.partials)
        fragment = fragment_column(bounds_of(event_time, every), watermark=stream.watermark)
        return tuples.select("*", F.lit(SHARED).alias(_TAG), fragment)
    trees = [
        F.struct(
            F.lit(admission.tags.of_tree[tree.id]).alias(_TAG),
            bounds_of(event_time, edges_of(spec, tree.queries, plan.partials)).alias(FRAGMENT),
        )
        for tree in plan.trees
    ]
    per_tree = tuples.select("*", F.explode(F.array(*trees)).alias("__tree"))
    fragment = fragment_column(F.col(f"__tree.{FRAGMENT}"), watermark=stream.watermark)
    return per_tree.select("*", F.col(f"__tree.{_TAG}").alias(_TAG), fragment).drop("__tree")


def with_watermark(spark: SparkSession, spec: JobSpec) -> DataFrame:
    """The stream's usable tuples under its watermark, which heartbeats move too."""
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


def shard_labels(spark: SparkSession, shards: int) -> list[int]:
    """For each of Spark's partitions a number that hashes to it, so that every shard gets a partition of its own."""
    labels: dict[int, int] = {}
    numbered = spark.range(shards * 64).selectExpr(
        "int(id) AS label", f"pmod(hash(int(id)), {shards}) AS place"
    )
    for row in numbered.collect():
        labels.setdefault(row.place, row.label)
    return [labels[place] for place in sorted(labels)]
