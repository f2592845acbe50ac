"""Operations that a running job reports are those of its kernels, counted apart (rows I-15, T-08, T-10, T-17)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from planner_spark import pools
from planner_spark.spec import PlanSpec, QuerySpec, TreeSpec

from .harness import bounded_spec, read_rows, run, write_files
from .simulated import FAR, SCHEMA, Simulation, Tuple, naive

pytestmark = pytest.mark.spark
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
SECOND = 1_000_000
QUERIES = (
    QuerySpec(number=1, range=20 * SECOND, slide=SECOND, aggregates=(("sum", "n"),)),
    QuerySpec(number=2, range=7 * SECOND, slide=2 * SECOND, aggregates=(("sum", "n"),)),
    QuerySpec(number=3, range=16 * SECOND, slide=4 * SECOND, aggregates=(("max", "n"),)),
)


@pytest.mark.parametrize(
    ("execution", "sums", "extremes"),
    [("triops", "slickdeque_inv", "slickdeque_noninv"), ("twoops", "flatfat", "b_int")],
)
def test_i15_operations_per_edge_are_the_kernels_own_count(
    spark: SparkSession,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    execution: str,
    sums: str,
    extremes: str,
) -> None:
    # A job has its session to itself, but for tests: workers of other tests' jobs would take turns with its own.
    monkeypatch.setattr(pools, "_VARIABLE", f"WEFT_WORKER_POOL_{execution}")
    tuples = [Tuple(at=place * SECOND // 2, key="", number=place * 7 % 23) for place in range(240)]
    batches = [tuples[first : first + 60] for first in range(0, len(tuples), 60)]
    rows = [[(EPOCH + timedelta(microseconds=t.at), t.key, t.number) for t in batch] for batch in batches]
    write_files(tmp_path / "data", SCHEMA, rows)
    plan = PlanSpec(
        execution=execution,
        trees=(
            TreeSpec(id=1, queries=(1, 2), techniques={"sum:n": sums}),
            TreeSpec(id=2, queries=(3,), techniques={"max:n": extremes}),
        ),
    )
    spec = bounded_spec(
        tmp_path / "gen",
        tmp_path / "data",
        SCHEMA,
        QUERIES,
        watermark=0,
        files_per_batch=1,
        shards=1,
        plan=plan,
    )
    status = run(spark, spec)

    simulation = Simulation(spec)
    watermark = 0
    for batch in batches:
        # Spark closes what the batch before has passed, and knows milliseconds.
        simulation.batch(batch, watermark)
        watermark = batch[-1].at // 1_000 * 1_000
        simulation.batch([], watermark)
    simulation.batch([], FAR)
    assert simulation.answers == naive(QUERIES, tuples, start=EPOCH)
    assert {number: dict(rows) for number, rows in read_rows(spec).items()} == {
        number: {key[:1]: values for key, values in rows.items()}
        for number, rows in simulation.answers.items()
    }
    measured = {name: n for name, n in status.work.items() if not name.startswith("seconds:")}
    assert measured.keys() == simulation.work.keys()
    for name, counted in simulation.work.items():
        if name in {"tuples", "partials", "intercede"} or name.endswith(":edges"):
            assert measured[name] == counted, name
        else:
            # Each worker that comes new to the shard takes in what is retained of it once more.
            assert counted <= measured[name] <= 2 * counted, name
    assert measured["tuples"] == (2 if execution == "twoops" else 1) * len(tuples)
    assert status.output_share is not None
