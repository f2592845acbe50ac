"""The job's answers are those of Spark's own window() in batch (rows T-02, T-03, G-02), for generated workloads.

Each workload runs by a plan of its own too: some trees, either execution model, either kind of partials, and any
technique for each lane (rows T-08, T-09, I-14, I-22).
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from pyspark.sql import SparkSession

from planner_spark.spec import JobSpec

from .harness import bounded_spec, read_rows, run, write_files
from .oracle import difference, expected_of_all
from .workloads import SCHEMA, Workload, workloads

pytestmark = pytest.mark.spark

GENERATED = settings(
    deadline=None,
    derandomize=True,
    database=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)


def check(spark: SparkSession, workload: Workload) -> None:
    """One micro-batch per file by the workload's own plan, and one for all in one tree, both against the oracle."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        write_files(root / "data", SCHEMA, workload.parts)
        specs = [
            bounded_spec(
                root / name,
                root / "data",
                SCHEMA,
                workload.queries,
                watermark=workload.watermark,
                files_per_batch=files_per_batch,
                plan=plan,
            )
            for name, files_per_batch, plan in (
                ("planned", 1, workload.plan),
                ("together", len(workload.parts), None),
            )
        ]
        wanted = expected_of_all(spark, specs[0])
        for spec in specs:
            status = run(spark, spec)
            assert status.tuples == sum(len(part) for part in workload.parts)
            assert status.late_rows == 0
            compare(spec, read_rows(spec), wanted)


def compare(
    spec: JobSpec, actual: dict[int, dict[tuple, tuple]], wanted: dict[int, dict[tuple, tuple]]
) -> None:
    """Every row of every query is there, once, with the right values."""
    for query in spec.queries:
        assert actual[query.number].keys() == wanted[query.number].keys(), query
        for key, values in actual[query.number].items():
            for (function, column), value, (spark_value, seen) in zip(
                query.aggregates, values, wanted[query.number][key], strict=True
            ):
                wrong = difference(function, value, spark_value, seen)
                assert wrong is None, (query, key, function, column, wrong)


@settings(GENERATED, max_examples=20)
@given(workload=workloads())
def test_t02_generated_workloads(spark: SparkSession, workload: Workload) -> None:
    check(spark, workload)


@pytest.mark.slow
@settings(GENERATED, max_examples=200)
@given(workload=workloads())
def test_t02_many_generated_workloads(spark: SparkSession, workload: Workload) -> None:
    check(spark, workload)
