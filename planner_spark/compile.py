"""From a job specification to one streaming DataFrame that answers all of its queries.

source + heartbeats ▶ watermark ▶ sub-aggregation ▶ shard ▶ intercede, final aggregation ▶ packed result rows
"""

from __future__ import annotations

from pyspark.sql import DataFrame, SparkSession

from planner_spark.admission import Admission
from planner_spark.blocks import PACKED, SHARD, pack_by_shard
from planner_spark.final_aggregation import OUTPUT, FinalAggregation
from planner_spark.pools import worker_pool
from planner_spark.shape import group_columns
from planner_spark.sinks.rows import RowFormat
from planner_spark.spec import JobSpec
from planner_spark.sub_aggregation import sub_aggregation
from planner_spark.workload import workload_of

__all__ = ["compile_job"]


def compile_job(spark: SparkSession, spec: JobSpec, admission: Admission) -> DataFrame:
    """The results of the job, as `planner_spark.final_aggregation.OUTPUT` describes them."""
    workload = workload_of(spec, admission)
    rows = RowFormat.of(workload.queries, group_columns(spec), epoch=spec.epoch)
    operator = FinalAggregation(identity=f"{spec.home}#{spec.epoch}", workload=workload, rows=rows)
    packed = sub_aggregation(spark, spec, admission).mapInArrow(pack_by_shard, PACKED)
    with worker_pool(spark, "final"):
        return packed.groupBy(SHARD).transformWithStateInPandas(
            statefulProcessor=operator, outputStructType=OUTPUT, outputMode="Append", timeMode="EventTime"
        )
