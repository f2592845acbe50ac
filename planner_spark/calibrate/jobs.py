"""Spark's part: what a tuple, an edge, a tree, a partial and a micro-batch take, by a short series of small jobs.

Each job reads generated files, a few micro-batches of as many tuples each, and its results go nowhere. They differ in
one thing at a time; what is known of the kernels is taken off, and the rest is spread over the numbers of operations.
The first micro-batches of a job are warmer and warmer, so that only the later ones count.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import SparkSession

from costmodel.calibration import Calibration
from planner_spark.admission import admit
from planner_spark.calibrate.fit import costs_of
from planner_spark.compile import compile_job
from planner_spark.home import Home
from planner_spark.session import start_session
from planner_spark.spec import JobSpec, PlanSpec, QuerySpec, StreamSpec, TreeSpec

__all__ = ["JobCosts", "job_costs"]

SECOND = 1_000_000
STRETCH = 40
"""Seconds of the stream in each file."""
FILES = 5
WARM = 2
"""Micro-batches of a job that do not count."""
SCHEMA = (("ts", "timestamp"), ("key", "long"), ("value", "double"))


@dataclass(frozen=True, slots=True, kw_only=True)
class JobCosts:
    """Fields of a `costmodel.calibration.Calibration`."""

    tuple: float
    edge: float
    tree: float
    partial: float
    batch: float


@dataclass(frozen=True, slots=True, kw_only=True)
class _Case:
    """A job: tuples a file, keys, the classes of edges of its one slide, and how many trees have them all."""

    tuples: int = 400_000
    keys: int = 20
    classes: int = 1
    trees: int = 1

    @property
    def queries(self) -> tuple[QuerySpec, ...]:
        """Windows of 10 s and a little more, each with an edge of its own; the same for each tree but in range."""
        slide = 10 * SECOND
        return tuple(
            QuerySpec(
                number=tree * self.classes + place + 1,
                range=slide * (tree + 1) + place * SECOND // 2,
                slide=slide,
                aggregates=(("count", "*"), ("sum", "value")),
                group_by=("key",),
            )
            for tree in range(self.trees)
            for place in range(self.classes)
        )

    @property
    def plan(self) -> PlanSpec | None:
        """TwoOps where there are several trees."""
        if self.trees == 1:
            return None
        numbers = [query.number for query in self.queries]
        trees = tuple(
            TreeSpec(id=tree + 1, queries=tuple(numbers[tree * self.classes : (tree + 1) * self.classes]))
            for tree in range(self.trees)
        )
        return PlanSpec(execution="twoops", trees=trees)

    @property
    def entries(self) -> float:
        """Partials per micro-batch."""
        return STRETCH / 10 * self.classes * self.trees * self.keys

    @property
    def rows(self) -> float:
        """Results per micro-batch."""
        return STRETCH / 10 * len(self.queries) * self.keys


CASES = (
    _Case(),
    _Case(tuples=10_000),
    _Case(classes=16),
    _Case(trees=4),
    _Case(keys=10_000),
)


def job_costs(home: Path, known: Calibration, progress: Callable[[float], None]) -> JobCosts:
    """All of them, in one session and a folder that is gone afterwards."""
    cores = len(os.sched_getaffinity(0))
    with tempfile.TemporaryDirectory(dir=home, prefix="calibration-") as folder:
        spark = start_session(
            "calibration", master=f"local[{cores}]", shards=2, conf={"spark.driver.memory": "1g"}
        )
        spark.sparkContext.setLogLevel("ERROR")
        try:
            _run(spark, Path(folder) / "warm", _Case(tuples=20_000))
            times = []
            for number, case in enumerate(CASES, start=1):
                times.append(_run(spark, Path(folder) / str(number), case))
                progress(number / len(CASES))
        finally:
            spark.stop()
    return _fitted(times, known)


def _fitted(times: list[float], known: Calibration) -> JobCosts:
    numbers, rest = [], []
    for case, time in zip(CASES, times, strict=True):
        kernels = case.rows * known.result.per_key + len(case.queries) * 2 * known.result.fixed
        readers = case.tuples * (case.trees - 1)
        edges = case.tuples * (case.classes * case.trees - 1)
        numbers.append((case.tuples, edges, readers, case.entries, 1.0))
        rest.append(max(time - kernels / min(known.cores, 2), time / 2))
    assumed = (known.tuple, known.edge, known.tree, known.partial, known.batch)
    # What is too little to be told apart from the noise stays as it is assumed to be.
    of_tuple, edge, tree, partial, batch = (
        cost if cost > 0 else before
        for cost, before in zip(costs_of(numbers, rest).tolist(), assumed, strict=True)
    )
    return JobCosts(tuple=of_tuple, edge=edge, tree=tree, partial=partial, batch=batch)


def _run(spark: SparkSession, folder: Path, case: _Case) -> float:
    """The nanoseconds of the quickest micro-batch: what else runs here only makes them longer."""
    _write(folder / "data", case)
    spec = JobSpec(
        home=str(folder / "home"),
        generation=1,
        epoch=1,
        stream=StreamSpec(
            name="calibration",
            source={
                "kind": "files",
                "path": str(folder / "data"),
                "format": "parquet",
                "bounded": True,
                "options": {"maxFilesPerTrigger": 1},
            },
            schema=SCHEMA,
            event_time="ts",
            watermark=0,
            rate=1_000.0,
        ),
        queries=case.queries,
        shards=2,
        plan=case.plan,
    )
    home = Home.of(spec)
    home.path.mkdir(parents=True)
    query = (
        compile_job(spark, spec, admit(home, spec))
        .writeStream.outputMode("append")
        .option("checkpointLocation", str(home.checkpoint))
        .trigger(processingTime="0 seconds")
        .format("noop")
        .start()
    )
    try:
        query.processAllAvailable()
        batches = [p for p in query.recentProgress if p["numInputRows"]]
    finally:
        query.stop()
    times = [batch["durationMs"]["triggerExecution"] for batch in batches[WARM:]]
    return float(min(times)) * 1e6


def _write(folder: Path, case: _Case) -> None:
    """Files one after the other in event time, and in the time of their last change."""
    folder.mkdir(parents=True)
    for number, table in enumerate(_tables(case)):
        path = folder / f"{number}.parquet"
        pq.write_table(table, path)
        os.utime(path, (1_700_000_000 + number, 1_700_000_000 + number))


def _tables(case: _Case) -> Iterator[pa.Table]:
    chance = np.random.default_rng(1)
    for number in range(FILES):
        times = np.linspace(number, number + 1, case.tuples, endpoint=False) * STRETCH * SECOND
        yield pa.table(
            {
                "ts": pa.array(times.astype(np.int64) + 10**15, pa.timestamp("us", tz="UTC")),
                "key": pa.array(np.arange(case.tuples) % case.keys),
                "value": pa.array(chance.random(case.tuples)),
            }
        )
