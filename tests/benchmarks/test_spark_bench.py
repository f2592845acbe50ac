"""The comparison with Spark and Flink: what it counts, draws and divides, without starting either."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from rich.console import Console

from benchmarks.spark import launch
from benchmarks.spark.config import Config, Emitted, Result
from benchmarks.spark.data import START, STEP, Dataset, link_files, two_lanes
from benchmarks.spark.estimate import deviation
from benchmarks.spark.expected import count_results, expected_results
from benchmarks.spark.figures import draw_all
from benchmarks.spark.headline import batch_growth, forecasts, headline
from benchmarks.spark.launch import Outcome, mismatch
from benchmarks.spark.memory import tree_of, used
from benchmarks.spark.plan import plan_of
from benchmarks.spark.rounds import Comparison, Ratio, alternate, ratio_of
from benchmarks.spark.scale import FULL, QUICK, USUAL
from benchmarks.spark.tables import all_tables
from benchmarks.spark.workload import HOUR_BY_SECOND, TEN_SECONDS, Window, grain, windows

SMALL = Dataset(keys=5, per_file=40_000, files=3)


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return SMALL.folder(tmp_path_factory.mktemp("data"))


def config(**changes: object) -> Config:
    given = {"side": "weft", "windows": windows(3), "data": "d", "files": 3, "warmup": 1, "work": "w"}
    return Config(**{**given, **changes})


def result(speed: float, **changes: object) -> Result:
    given = {"tuples": 1_000, "seconds": 1_000 / speed, "results": 10, "batches": [1.0, 2.0, 3.0]}
    return Result(**{**given, **changes})


def outcomes(*speeds: float | None) -> list[Outcome]:
    return [
        Outcome(config=config(), reason="broke")
        if speed is None
        else Outcome(config=config(), result=result(speed))
        for speed in speeds
    ]


# Workload


def test_windows_are_distinct_and_fit_every_side() -> None:
    drawn = windows(1_000)
    assert len(set(drawn)) == 1_000
    assert all(window.range % window.slide == 0 and 1 <= window.overlap <= 20 for window in drawn)
    assert all(10 <= window.slide <= 300 for window in drawn)


@pytest.mark.parametrize("queries", [1, 10, 30, 100, 300])
def test_a_smaller_workload_is_part_of_a_larger_one(queries: int) -> None:
    assert windows(1_000)[:queries] == windows(queries)


@pytest.mark.parametrize("queries", [0, 1_181])
def test_there_are_only_so_many_windows(queries: int) -> None:
    with pytest.raises(ValueError, match="distinct windows"):
        windows(queries)


def test_grain_divides_every_length() -> None:
    assert grain(windows(1_000)) == 5
    assert grain((HOUR_BY_SECOND, TEN_SECONDS)) == 1


# Data


def test_datasets_are_the_same_whenever_they_are_written(tmp_path: Path) -> None:
    small = Dataset(keys=3, per_file=1_000, files=2)
    one, other = small.folder(tmp_path / "a"), small.folder(tmp_path / "b")
    for path in sorted(one.glob("*.parquet")):
        assert pq.read_table(path).equals(pq.read_table(other / path.name))


def test_the_stream_is_in_order_at_an_even_rate(data: Path) -> None:
    paths = sorted(data.glob("*.parquet"))
    times = np.concatenate([pq.read_table(path)["ts"].cast("int64").to_numpy() for path in paths])
    assert (times == START + STEP * np.arange(SMALL.tuples)).all()
    stamps = [path.stat().st_mtime for path in paths]
    assert stamps == sorted(set(stamps))


def test_lanes_hold_every_tuple_once_and_in_order(data: Path) -> None:
    lanes = [pq.read_table(path) for path in sorted(two_lanes(data, 2).glob("*.parquet"))]
    times = [lane["ts"].cast("int64").to_numpy() for lane in lanes]
    assert all((np.diff(each) > 0).all() for each in times)
    assert sorted(np.concatenate(times)) == [START + STEP * n for n in range(2 * SMALL.per_file)]


def test_linked_files_keep_their_times(data: Path, tmp_path: Path) -> None:
    link_files(data, 0, 1, tmp_path / "source")
    link_files(data, 1, 3, tmp_path / "source")
    linked = sorted((tmp_path / "source").glob("*.parquet"))
    assert [path.stat().st_mtime for path in linked] == [
        path.stat().st_mtime for path in sorted(data.glob("*.parquet"))
    ]


# Expected results


def slowly(times: list[int], keys: list[int], asked: tuple[Window, ...], until: int | None) -> int:
    """Every tuple is put into each of its windows; seconds since the start."""
    found = set()
    for query, window in enumerate(asked):
        for at, key in zip(times, keys, strict=True):
            end = (at // window.slide + 1) * window.slide
            while end - window.range <= at:
                if until is None or end <= until:
                    found.add((query, end, key))
                end += window.slide
    return len(found)


@pytest.mark.parametrize("until", [None, 0, 20, 31])
@pytest.mark.parametrize("asked", [(TEN_SECONDS,), windows(12), (Window(7, 1), Window(20, 4))])
def test_results_are_counted_as_a_slow_oracle_does(
    data: Path, asked: tuple[Window, ...], until: int | None
) -> None:
    tables = [pq.read_table(path, columns=["ts", "key"]) for path in sorted(data.glob("*.parquet"))]
    times = np.concatenate([table["ts"].cast("int64").to_numpy() for table in tables])
    keys = np.concatenate([table["key"].to_numpy() for table in tables])
    seconds = {*zip((times - START) // 1_000_000, (int(key[4:]) for key in keys), strict=True)}
    expected = slowly([at for at, _ in seconds], [key for _, key in seconds], asked, until)
    assert expected_results(data, SMALL.files, asked, until=until) == expected


def test_sparse_keys_are_counted_as_a_slow_oracle_does() -> None:
    chance = np.random.default_rng(3)
    asked = (Window(30, 10), Window(45, 15), Window(5, 5), Window(100, 20))
    for _ in range(20):
        present = chance.random((25, 4)) < 0.1
        slots, keys = np.nonzero(present)
        for until in (None, 60, 125):
            expected = slowly([5 * int(slot) for slot in slots], [int(key) for key in keys], asked, until)
            assert count_results(present, asked, unit=5, until=until) == expected


def test_a_wrong_count_is_an_error(data: Path) -> None:
    given = config(data=str(data), windows=(TEN_SECONDS, Window(20, 10)))
    right = [
        Emitted(query=place, until=30, counted=expected_results(data, 3, (window,), until=30))
        for place, window in enumerate(given.windows)
    ]
    assert right[0].counted == 3 * SMALL.keys
    assert mismatch(given, result(1.0, emitted=right)) == ""
    together = Emitted(query=None, until=30, counted=sum(each.counted for each in right))
    assert mismatch(given, result(1.0, emitted=[together])) == ""
    wrong = [right[0], replace(right[1], counted=1)]
    assert mismatch(given, result(1.0, emitted=wrong)).startswith("1 results instead of")


# What sides are told and answer


def test_configurations_and_results_survive_json(tmp_path: Path) -> None:
    given = config(technique="panes", optimizer="triweave", budget=3.0)
    given.write(tmp_path / "config.json")
    assert Config.read(tmp_path / "config.json") == given
    answer = result(50.0, emitted=[Emitted(query=None, until=3, counted=4)])
    answer.write(tmp_path / "result.json")
    assert Result.parse(json.loads((tmp_path / "result.json").read_text())) == answer


@pytest.mark.parametrize("optimizer", [None, "no_share", "shared", "weaveshare", "triweave", "auto"])
@pytest.mark.parametrize("technique", [None, "panes", "slickdeque_inv", "b_int"])
def test_plans_have_every_query_once(optimizer: str | None, technique: str | None) -> None:
    plan = plan_of(config(windows=windows(30), optimizer=optimizer, technique=technique))
    if plan is None:
        assert optimizer is None and technique is None
        return
    assert sorted(number for tree in plan.trees for number in tree.queries) == list(range(1, 31))
    assert all(set(tree.techniques.values()) == ({technique} - {None}) for tree in plan.trees)
    if optimizer == "no_share":
        assert (plan.execution, len(plan.trees)) == ("twoops", 30)


# Rounds and ratios


def test_ratios_are_taken_round_by_round() -> None:
    assert ratio_of([10.0, 30.0, 8.0], [5.0, 10.0, 8.0]) == Ratio(median=2.0, least=1.0, most=3.0, rounds=3)
    assert ratio_of([10.0, None, 8.0], [5.0, 10.0, None]) == Ratio(median=2.0, least=2.0, most=2.0, rounds=1)
    assert ratio_of([10.0, 9.0], [5.0]) == Ratio(median=2.0, least=2.0, most=2.0, rounds=1)
    assert ratio_of([None], [5.0]) is None


def test_sides_alternate() -> None:
    seen: list[str] = []

    def runs(name: str) -> Outcome:
        seen.append(name)
        return outcomes(1.0)[0]

    contenders = {name: lambda name=name: runs(name) for name in ("weft", "tumbling", "flink")}
    found = alternate(contenders, {"weft": 3, "tumbling": 3, "flink": 1})
    assert seen == ["weft", "tumbling", "flink", "tumbling", "weft", "weft", "tumbling"]
    assert {name: len(each) for name, each in found.items()} == {"weft": 3, "tumbling": 3, "flink": 1}


def test_batches_have_a_median_and_tails() -> None:
    measured = result(1.0, batches=[4.0, 1.0, 2.0, 3.0])
    assert (measured.batch(0.5), measured.batch(1.0)) == (2.5, 4.0)
    assert result(1.0, batches=[]).batch(0.5) is None


def test_scales_have_what_the_line_needs() -> None:
    for scale in (QUICK, USUAL, FULL):
        assert {"weft", "tumbling", "spark_exploded", "flink"} <= set(scale.headline)
        assert min(scale.headline["weft"][1], scale.headline["tumbling"][1]) >= (1 if scale is QUICK else 2)
        assert scale.headline["weft"][0] == scale.headline["tumbling"][0]
    assert USUAL.headline["weft"][0].measured == 10_000_000


# The forecast


def test_deviation_is_relative_and_normalised_at_the_maximum() -> None:
    assert deviation([]) is None
    assert deviation([(2.0, 700.0), (1.0, 350.0)]) == 0.0
    # Normalised: estimated 1, 0.4, 0.5; measured 1, 0.5, 0.25. Off by 0, 0.1 of 0.5 and 0.25 of 0.25.
    assert deviation([(10.0, 4.0), (4.0, 2.0), (5.0, 1.0)]) == pytest.approx((0 + 0.2 + 1.0) / 3)


# What is printed


def report() -> dict[str, list[Comparison]]:
    grown = {
        "weft, 1 query": [Outcome(config=config(), result=result(1.0, batches=[0.5, 1.0, 1.5]))],
        "weft, 100 queries": [Outcome(config=config(), result=result(1.0, batches=[1.0, 2.0, 9.0]))],
    }
    forecast = {
        name: [Outcome(config=config(), result=result(speed, estimated_tuples_per_second=guess))]
        for name, speed, guess in (("shared, panes", 4.0, 10.0), ("triweave, panes", 2.0, 4.0))
    }
    return {
        "hundred": [
            Comparison(
                title="100 queries, 1,000 keys",
                queries=100,
                keys=1_000,
                outcomes={
                    "weft": outcomes(40.0, 60.0),
                    "tumbling": outcomes(80.0, 100.0),
                    "spark_windows": outcomes(2.0),
                    "spark_exploded": outcomes(4.0),
                    "flink": outcomes(None),
                    "weft_parquet": outcomes(30.0),
                },
            )
        ],
        "growth": [Comparison(title="growth", queries=100, keys=10, outcomes=grown)],
        "techniques": [Comparison(title="30 queries", queries=30, keys=1_000, outcomes=forecast)],
        "scaling": [
            Comparison(title=f"{n} queries", queries=n, keys=10, outcomes={"weft": outcomes(50.0 / n)})
            for n in (1, 10)
        ],
    }


def test_the_line_has_every_figure() -> None:
    figures = headline(report(), QUICK)
    assert figures["vs_tumbling_100"] == 0.55
    assert figures["spreads"]["vs_tumbling_100"] == [0.5, 0.6, 2]
    assert (figures["vs_spark_windows_100"], figures["vs_spark_exploded_100"]) == (20.0, 10.0)
    assert (figures["spark_100"], figures["vs_spark_100"]) == ("spark_exploded", 10.0)
    assert figures["vs_flink_100"] is None
    assert figures["missing"] == {"hundred: 100 queries, 1,000 keys: flink": "broke"}
    assert figures["batch_growth_1_to_100"] == 2.0
    assert figures["hour_by_second_vs_tumbling"] is None
    assert figures["estimate_deviation"] == pytest.approx(0.1)
    assert figures["fractions"]["vs_spark_windows_100"] == 1.0
    assert {"results_per_second", "peak_rss_mb"} <= set(figures)
    json.dumps(figures, allow_nan=False)


def test_an_empty_run_has_the_same_line() -> None:
    assert headline({}, QUICK).keys() == headline(report(), QUICK).keys()
    assert batch_growth(Comparison(title="", queries=0, keys=0)) is None
    assert forecasts([]) == []


def test_tables_and_plots_show_what_failed_and_what_not(tmp_path: Path) -> None:
    text = io.StringIO()
    console = Console(file=text, width=170)
    for table in all_tables(report()):
        console.print(table)
    assert "broke" in text.getvalue()
    assert "0.55 (0.50 to 0.60)" in text.getvalue()
    drawn = draw_all(report(), tmp_path)
    assert [path.name for path in drawn] == ["spark-scaling.png", "spark-techniques.png"]
    assert all(path.read_bytes().startswith(b"\x89PNG") for path in drawn)


# Processes


@pytest.mark.skipif(not Path("/proc/self/smaps_rollup").exists(), reason="needs Linux")
def test_memory_is_that_of_the_whole_tree() -> None:
    code = "import subprocess, sys, time; print('up', flush=True); subprocess.run([sys.executable, '-c', 'input()'])"
    with subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        until = time.monotonic() + 10
        while len(tree_of(process.pid)) < 2 and time.monotonic() < until:
            time.sleep(0.01)
        assert len(tree_of(process.pid)) == 2
        assert used(process.pid) > 1_000
        os.killpg(process.pid, 9)
    assert used(process.pid) == 0


def test_a_side_that_fails_has_a_reason(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    given = config(side="nobody", work=str(tmp_path / "side"))
    found = launch.launch(given, timeout=60)
    assert found.result is None
    assert "'nobody' is no side" in found.reason
    assert not given.folder.exists()
    monkeypatch.setattr(launch, "GRACE", 1)
    assert launch.launch(given, timeout=0.0).reason == "not done within 0 s"
