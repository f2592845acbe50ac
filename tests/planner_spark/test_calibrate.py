"""Self-measurement: costs are sensible, and nothing of it stays behind (row I-37)."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyspark.sql import SparkSession

from costmodel.defaults import ASSUMED
from planner_spark.calibrate import jobs, kernels, measure
from planner_spark.calibrate.file import read_calibration
from planner_spark.calibrate.fit import costs_of, line_of
from planner_spark.calibrate.shards import shard_costs
from planner_spark.kernels.techniques import KERNELS, serves


@given(st.lists(st.floats(0.1, 100.0), min_size=2, max_size=4), st.integers(0, 99))
def test_exact_times_give_back_the_costs(costs, seed):
    numbers = np.random.default_rng(seed).integers(1, 50, (12, len(costs)))
    found = costs_of(numbers.tolist(), (numbers @ np.array(costs)).tolist())
    assert numbers @ found == pytest.approx(numbers @ np.array(costs), rel=1e-3)


def test_no_cost_is_below_zero():
    assert (costs_of([[1, 1], [1, 5], [1, 9]], [30, 20, 10]) >= 0).all()
    assert line_of((10, 30.0), (20, 20.0)) == (30.0, 0.0)


def test_every_technique_is_measured_over_what_it_may_serve(monkeypatch):
    monkeypatch.setattr(kernels, "KEYS", (4, 64))
    monkeypatch.setattr(kernels, "ROUNDS", 1)
    told: list[float] = []
    found = kernels.kernel_costs(told.append)
    wanted = {
        f"{kernel.name}/{kind}"
        for kernel in KERNELS
        for kind, lane in kernels.LANES.items()
        if serves(kernel, lane)
    }
    assert set(found) == wanted == set(ASSUMED.kernels)
    assert told[-1] == 1.0
    for cost in found.values():
        lines = (cost.call, cost.partial, cost.answer, cost.operation)
        assert all(line.fixed >= 0 and line.per_key >= 0 for line in lines)
        assert any(line.fixed > 0 for line in lines)


def test_shards_cost_something():
    found = shard_costs()
    assert 1 < found.roll_up < 10_000
    assert found.window > 0
    assert found.result.per_key > 0


@pytest.mark.spark
def test_spark_is_measured_and_nothing_stays_behind(spark: SparkSession, monkeypatch, tmp_path: Path):
    monkeypatch.setattr(jobs, "start_session", lambda *_, **__: spark)
    monkeypatch.setattr(SparkSession, "stop", lambda _: None)
    small = tuple(replace(case, tuples=2_000, keys=min(case.keys, 50)) for case in jobs.CASES[2:4])
    monkeypatch.setattr(jobs, "CASES", (replace(jobs.CASES[0], tuples=2_000), *small))
    monkeypatch.setattr(measure, "kernel_costs", lambda _: dict(ASSUMED.kernels))
    told = []
    found = measure.calibrate(tmp_path, quick=False, progress=lambda what, share: told.append((what, share)))
    assert found.measured and found == read_calibration(tmp_path)
    assert min(found.tuple, found.edge, found.tree, found.partial, found.batch) > 0
    assert told[-1] == ("jobs", 1.0)
    assert [path.name for path in tmp_path.iterdir()] == ["calibration.json"]
