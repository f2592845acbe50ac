"""What users count on, one case each: overflow, spikes, big integers, silence, resumption, mismatches."""

from __future__ import annotations

import math
import threading
import time
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from planner_spark.admission import admit
from planner_spark.errors import CheckpointMismatch
from planner_spark.home import Home
from planner_spark.job import stream_job
from planner_spark.sinks.manifest import Manifest
from planner_spark.sources.synthetic import synthetic_columns
from planner_spark.spec import JobSpec, PlanSpec, QuerySpec, StreamSpec, TreeSpec
from planner_spark.status import StatusFile

from .harness import OVERFLOW, bounded_spec, read_rows, run, write_files

pytestmark = pytest.mark.spark
SECOND = 1_000_000
START = datetime(2026, 1, 1, tzinfo=UTC)


def at(seconds: float) -> datetime:
    return START + timedelta(seconds=seconds)


def answers(
    spark: SparkSession,
    root: Path,
    schema: list[tuple[str, str]],
    parts: list[list[tuple]],
    queries: list[QuerySpec],
    watermark: int = 0,
) -> dict[int, dict[tuple, tuple]]:
    write_files(root / "data", schema, parts)
    spec = bounded_spec(root / "gen", root / "data", schema, queries, watermark=watermark, files_per_batch=1)
    run(spark, spec)
    return read_rows(spec)


def test_overflow_flags_its_own_row_and_stops_nobody(spark: SparkSession, tmp_path: Path) -> None:
    """A long sum, a decimal sum and a decimal average beyond their types; neighbours go on."""
    top = 2**63 - 1
    wide = Decimal("9" * 38)
    found = answers(
        spark,
        tmp_path,
        [("ts", "timestamp"), ("k", "string"), ("n", "long"), ("w", "decimal(38,0)")],
        [
            [
                (at(0), "a", top, wide),
                (at(1), "a", 1, wide),
                (at(1), "b", 1, Decimal(7)),
                (at(6), "a", -5, Decimal(1)),
            ]
        ],
        [
            QuerySpec(
                number=1,
                range=5 * SECOND,
                slide=5 * SECOND,
                aggregates=(("max", "n"), ("sum", "n"), ("sum", "w")),
                group_by=("k",),
            ),
            QuerySpec(number=2, range=5 * SECOND, slide=5 * SECOND, aggregates=(("count", "*"),)),
        ],
    )
    assert found[1] == {
        (at(0), "a"): (top, OVERFLOW, OVERFLOW),
        (at(0), "b"): (1, 1, Decimal(7)),
        (at(5), "a"): (-5, -5, Decimal(1)),
    }
    assert found[2] == {(at(0),): (3,), (at(5),): (1,)}


def test_sums_that_only_pass_beyond_the_type_on_their_way_are_exact(
    spark: SparkSession, tmp_path: Path
) -> None:
    top = 2**63 - 1
    found = answers(
        spark,
        tmp_path,
        [("ts", "timestamp"), ("n", "long")],
        [[(at(0), top), (at(1), top), (at(2), -top), (at(3), -3)]],
        [QuerySpec(number=1, range=4 * SECOND, slide=1 * SECOND, aggregates=(("sum", "n"),))],
    )
    assert found[1][(at(0),)] == (top - 3,)


def test_a_float_sum_is_right_again_once_a_huge_value_has_left(spark: SparkSession, tmp_path: Path) -> None:
    values = [1e18, *(0.1 * (i + 1) for i in range(12))]
    found = answers(
        spark,
        tmp_path,
        [("ts", "timestamp"), ("x", "double")],
        [[(at(i), x)] for i, x in enumerate(values)],
        [QuerySpec(number=1, range=5 * SECOND, slide=1 * SECOND, aggregates=(("avg", "x"), ("sum", "x")))],
    )[1]
    for k in range(-4, len(values)):
        inside = values[max(k, 0) : max(k + 5, 0)]
        avg, total = found[(at(k),)]
        allowed = 1e-9 * math.fsum(map(abs, inside))
        assert abs(total - math.fsum(inside)) <= allowed
        assert abs(avg - math.fsum(inside) / len(inside)) <= allowed


def test_longs_with_nulls_keep_every_bit(spark: SparkSession, tmp_path: Path) -> None:
    """2^53 + 1 survives beside NULLs, as value and as group key."""
    odd = 2**53 + 1
    found = answers(
        spark,
        tmp_path,
        [("ts", "timestamp"), ("n", "long"), ("g", "long")],
        [[(at(0), odd, odd), (at(0), None, odd), (at(1), None, None)]],
        [
            QuerySpec(
                number=1,
                range=2 * SECOND,
                slide=2 * SECOND,
                aggregates=(("max", "n"), ("min", "n"), ("sum", "n")),
                group_by=("g",),
            )
        ],
    )
    assert found[1] == {(at(0), odd): (odd, odd, odd), (at(0), None): (None, None, None)}


def test_g09_windows_of_silent_keys_close(spark: SparkSession, tmp_path: Path) -> None:
    """A key that falls silent is answered when the others' tuples move the watermark, not only at the end."""
    schema = [("ts", "timestamp"), ("k", "string")]
    parts = [[(at(0), "silent"), (at(0), "loud")], [(at(9), "loud")], [(at(14), "loud")], [(at(30), "loud")]]
    write_files(tmp_path / "data", schema, parts)
    query = QuerySpec(
        number=1, range=10 * SECOND, slide=5 * SECOND, aggregates=(("count", "*"),), group_by=("k",)
    )
    spec = bounded_spec(tmp_path / "gen", tmp_path / "data", schema, [query], watermark=0, files_per_batch=1)
    run(spark, spec)
    assert {k for k in read_rows(spec)[1] if k[1] == "silent"} == {(at(-5), "silent"), (at(0), "silent")}
    folder = tmp_path / "gen" / "results"
    last = Manifest.read(folder).segments[-1]
    late = [row for f in last.files for row in pq.read_table(folder / f.path).to_pylist()]
    assert {row["g_k"] for row in late} == {"loud"}, "the silent key was answered before the end of the data"


def test_tuples_that_no_query_wants_still_move_the_watermark(spark: SparkSession, tmp_path: Path) -> None:
    """Neither they nor heartbeats may be filtered out below the watermark, where every query has a predicate."""
    schema = [("ts", "timestamp"), ("n", "long")]
    write_files(tmp_path / "data", schema, [[(at(0), 1)], [(at(60), -1)], [(at(61), -1)]])
    query = QuerySpec(
        number=1, range=5 * SECOND, slide=5 * SECOND, aggregates=(("count", "*"),), where="`n` > 0"
    )
    spec = bounded_spec(tmp_path / "gen", tmp_path / "data", schema, [query], watermark=0, files_per_batch=1)
    run(spark, spec)
    assert read_rows(spec)[1] == {(at(0),): (1,)}
    segments = Manifest.read(tmp_path / "gen" / "results").segments
    assert [segment.first_batch for segment in segments] == [2], "answered by the tuple at 60, not at the end"


def test_resumes_with_other_windows_and_predicates(spark: SparkSession, tmp_path: Path) -> None:
    """Same shape, other edges and predicates: old queries lose nothing, a new one starts at its activation."""
    schema = [("ts", "timestamp"), ("n", "long")]
    rows = [(at(i), i) for i in range(60)]
    write_files(tmp_path / "data", schema, [rows[:30]])
    old = QuerySpec(
        number=1, range=10 * SECOND, slide=4 * SECOND, aggregates=(("sum", "n"),), where="`n` >= 5"
    )
    new = QuerySpec(
        number=2,
        range=9 * SECOND,
        slide=6 * SECOND,
        aggregates=(("sum", "n"),),
        where="`n` >= 7",
        active_from=int(at(36).timestamp()) * SECOND,
    )
    first = bounded_spec(tmp_path / "gen", tmp_path / "data", schema, [old], watermark=0, files_per_batch=1)
    # Unbounded, so that nothing is closed by force; stopped once the first file is in.
    open_ended = replace(
        first, stream=replace(first.stream, source={**first.stream.source, "bounded": False})
    )
    run_until(spark, open_ended, tuples=30)
    write_files(tmp_path / "more", schema, [rows[30:]])
    (tmp_path / "more" / "part-0000.parquet").rename(tmp_path / "data" / "part-0001.parquet")
    second = replace(first, queries=(new, old), epoch=2)
    run(spark, second)
    found = read_rows(second)
    whole = range(60)
    assert found[1] == {
        (at(k),): (sum(n for n in whole if k <= n < k + 10 and n >= 5),)
        for k in range(-8, 60, 4)
        if any(k <= n < k + 10 and n >= 5 for n in whole)
    }
    assert found[2] == {(at(k),): (sum(n for n in whole if k <= n < k + 9),) for k in range(36, 60, 6)}


def planned(execution: str, *trees: tuple[int, ...]) -> PlanSpec:
    numbered = (TreeSpec(id=number, queries=queries) for number, queries in enumerate(trees, start=1))
    return PlanSpec(execution=execution, trees=tuple(numbered))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (planned("twoops", (1, 2), (3,)), planned("twoops", (1,), (2, 3))),
        (planned("triops", (1, 2, 3)), planned("twoops", (1, 3), (2,))),
        (planned("twoops", (1,), (2,), (3,)), planned("triops", (1, 2), (3,))),
    ],
    ids=["other trees", "to twoops", "to triops"],
)
def test_t11_t16_a_plan_changes_and_no_answer_is_lost_or_repeated(
    spark: SparkSession, tmp_path: Path, before: PlanSpec, after: PlanSpec
) -> None:
    """The same checkpoint under another plan: windows that span the change are combined from both plans' fragments."""
    schema = [("ts", "timestamp"), ("n", "long")]
    rows = [(at(i), i) for i in range(60)]
    write_files(tmp_path / "data", schema, [rows[:30]])
    queries = tuple(
        QuerySpec(number=number, range=r * SECOND, slide=s * SECOND, aggregates=(("max", "n"), ("sum", "n")))
        for number, (r, s) in enumerate([(10, 4), (20, 5), (7, 3)], start=1)
    )
    first = bounded_spec(
        tmp_path / "gen", tmp_path / "data", schema, queries, watermark=0, files_per_batch=1, plan=before
    )
    unbounded = replace(first, stream=replace(first.stream, source={**first.stream.source, "bounded": False}))
    run_until(spark, unbounded, tuples=30)
    write_files(tmp_path / "more", schema, [rows[30:]])
    (tmp_path / "more" / "part-0000.parquet").rename(tmp_path / "data" / "part-0001.parquet")
    second = replace(first, epoch=2, plan=after)
    run(spark, second)
    found = read_rows(second)
    for query in queries:
        length, slide = query.range // SECOND, query.slide // SECOND
        windows = {
            k: [n for n in range(60) if k <= n < k + length]
            for k in range(-(length // slide) * slide, 60, slide)
        }
        assert found[query.number] == {
            (at(k),): (max(numbers), sum(numbers)) for k, numbers in windows.items() if numbers
        }


def run_until(spark: SparkSession, spec: JobSpec, *, tuples: int) -> None:
    """Run an unbounded job until it has taken in so many tuples, then stop it gracefully."""
    home = Home.of(spec)
    admission = admit(home, spec)
    status = StatusFile(home.status_file, epoch=spec.epoch, generation=spec.generation)
    stopping = threading.Event()

    def watch() -> None:
        deadline = time.monotonic() + 120
        while status.status.tuples < tuples and time.monotonic() < deadline:
            time.sleep(0.05)
        stopping.set()

    watcher = threading.Thread(target=watch)
    watcher.start()
    assert not stream_job(spark, spec, home, admission, status, stopping)
    watcher.join()
    assert status.status.tuples == tuples


def test_a_checkpoint_of_another_shape_is_refused_with_a_word(tmp_path: Path) -> None:
    schema = [("ts", "timestamp"), ("n", "long"), ("k", "string")]
    query = QuerySpec(number=1, range=SECOND, slide=SECOND, aggregates=(("sum", "n"),))
    spec = bounded_spec(tmp_path / "gen", tmp_path, schema, [query], watermark=0, files_per_batch=1)
    admit(Home.of(spec), spec)
    grouped = replace(spec, queries=(replace(query, group_by=("k",)),))
    with pytest.raises(
        CheckpointMismatch, match="grouping attributes of all queries was none and would be k string"
    ):
        admit(Home.of(spec), grouped)


def test_unusable_event_times_are_left_out_and_counted(spark: SparkSession, tmp_path: Path) -> None:
    """NULL, before the epoch, or so late that no clock goes there."""
    schema = [("ts", "timestamp"), ("n", "long")]
    parts = [
        [
            (at(0), 1),
            (None, 2),
            (datetime(1969, 12, 31, tzinfo=UTC), 3),
            (datetime(9950, 1, 1, tzinfo=UTC), 4),
        ]
    ]
    write_files(tmp_path / "data", schema, parts)
    query = QuerySpec(number=1, range=SECOND, slide=SECOND, aggregates=(("count", "*"),))
    spec = bounded_spec(tmp_path / "gen", tmp_path / "data", schema, [query], watermark=0, files_per_batch=1)
    status = run(spark, spec)
    assert (status.tuples, status.null_event_times) == (4, 3)
    assert read_rows(spec)[1] == {(at(0),): (1,)}


def test_late_tuples_are_left_out_and_counted(spark: SparkSession, tmp_path: Path) -> None:
    schema = [("ts", "timestamp"), ("n", "long")]
    write_files(
        tmp_path / "data",
        schema,
        [[(at(0), 1)], [(at(60), 1)], [(at(61), 1)], [(at(1), 1), (at(1), 1), (at(62), 1)]],
    )
    query = QuerySpec(number=1, range=5 * SECOND, slide=5 * SECOND, aggregates=(("count", "*"),))
    spec = bounded_spec(
        tmp_path / "gen", tmp_path / "data", schema, [query], watermark=SECOND, files_per_batch=1
    )
    status = run(spark, spec)
    # Spark counts them after it has added up those that came together.
    assert 1 <= status.late_rows <= 2
    assert read_rows(spec)[1] == {(at(0),): (1,), (at(60),): (3,)}


def test_bytes_that_are_no_text_stop_nobody(spark: SparkSession, tmp_path: Path) -> None:
    """Parquet does not check that a string is UTF-8, and neither does Spark."""
    (tmp_path / "data").mkdir()
    times = pa.array([at(0), at(1)], pa.timestamp("us", tz="UTC"))
    broken = pa.array([b"a\xff\xfe", b"b"], pa.binary()).view(pa.string())
    pq.write_table(pa.table({"ts": times, "s": broken}), tmp_path / "data" / "part.parquet")
    schema = [("ts", "timestamp"), ("s", "string")]
    queries = [
        QuerySpec(number=1, range=5 * SECOND, slide=5 * SECOND, aggregates=(("max", "s"), ("min", "s"))),
        QuerySpec(
            number=2, range=5 * SECOND, slide=5 * SECOND, aggregates=(("count", "*"),), group_by=("s",)
        ),
    ]
    spec = bounded_spec(tmp_path / "gen", tmp_path / "data", schema, queries, watermark=0, files_per_batch=1)
    run(spark, spec)
    found = read_rows(spec)
    assert found[1][(at(0),)][0] == "b"
    assert found[1][(at(0),)][1].startswith("a\ufffd")
    assert sorted(found[2].values()) == [(1,), (1,)]


def test_an_idle_stream_moves_on_by_heartbeats(spark: SparkSession, tmp_path: Path) -> None:
    """G-09: with idle heartbeats the last windows of a silent stream are answered without another tuple."""
    schema = [("ts", "timestamp"), ("n", "long")]
    write_files(tmp_path / "data", schema, [[(at(0), 1)]])
    query = QuerySpec(number=1, range=5 * SECOND, slide=5 * SECOND, aggregates=(("count", "*"),))
    spec = bounded_spec(tmp_path / "gen", tmp_path / "data", schema, [query], watermark=0, files_per_batch=1)
    source = {**spec.stream.source, "bounded": False}
    spec = replace(spec, stream=replace(spec.stream, source=source, idle_heartbeat=SECOND), trigger=100_000)
    home = Home.of(spec)
    status = StatusFile(home.status_file, epoch=1, generation=1)
    stopping = threading.Event()

    def watch() -> None:
        deadline = time.monotonic() + 120
        while not Manifest.read(home.results).rows_ever and time.monotonic() < deadline:
            time.sleep(0.1)
        stopping.set()

    watcher = threading.Thread(target=watch)
    watcher.start()
    stream_job(spark, spec, home, admit(home, spec), status, stopping)
    watcher.join()
    assert read_rows(spec)[1] == {(at(0),): (1,)}


def test_synthetic_tuples_depend_on_seed_and_number_alone(spark: SparkSession) -> None:
    stream = StreamSpec(
        name="s",
        source={"kind": "synthetic", "keys": 5, "skew": 1.0, "disorder": 2 * SECOND, "seed": 7, "nulls": 0.1},
        schema=(("ts", "timestamp"), ("key", "string"), ("value", "double"), ("quantity", "long")),
        event_time="ts",
        watermark=2 * SECOND,
        rate=100.0,
    )

    def tuples(spec: StreamSpec, numbers: int) -> list:
        return spark.range(numbers).select(*synthetic_columns(spec, F.col("id"))).collect()

    once, again = tuples(stream, 2_000), tuples(stream, 1_000)
    assert once[:1_000] == again
    other = replace(stream, source={**stream.source, "seed": 8})
    assert tuples(other, 1_000) != again
    keys = [row.key for row in once]
    assert set(keys) == {"k1", "k2", "k3", "k4", "k5", None}
    assert keys.count("k1") > 2 * keys.count("k5")
    assert 100 < keys.count(None) < 300
    latest = once[0].ts
    for row in once:
        assert row.ts > latest - timedelta(seconds=2)
        latest = max(latest, row.ts)
    assert timedelta(seconds=17) < latest - once[0].ts < timedelta(seconds=22)
