"""The papers' experiments in small: the trends that they report, and what the benchmark prints and draws.

Rows T-31, T-32, T-33, I-30, I-31, I-32, I-33, I-34, I-35, I-36.
"""

from __future__ import annotations

import io
import json
from itertools import pairwise
from pathlib import Path

import pytest
from rich.console import Console

from benchmarks.plans import __main__ as program
from benchmarks.plans import batches, matrix, rates, sweeps
from benchmarks.plans.figures import draw_all
from benchmarks.plans.headline import Results, headline
from benchmarks.plans.sample import OPTIMIZERS, TECHNIQUES, Setting
from benchmarks.plans.tables import all_tables
from costmodel import EXECUTION_MODELS
from optimizer.generate import draw, planned, table_ii

SEEDS = 2
BY_TREES = ("panes", "flatfat", "flatfit", "slickdeque_noninv")
"""Techniques by how many trees they lead to, the most first."""


@pytest.fixture(scope="module")
def results() -> Results:
    """All experiments, with few draws and points."""
    swept = [sweeps.run(e, e.quick, SEEDS) for e in sweeps.EXPERIMENTS]
    return Results(
        sweeps=swept,
        batches=[batches.run(sweep, 2) for sweep in swept],
        curves=[rates.run(queries, rates.QUICK_RATES, SEEDS) for queries in rates.QUERIES],
        matrices=[matrix.run(rate, matrix.QUICK_QUERIES, SEEDS) for rate in matrix.RATES],
    )


def sweep_of(results: Results, parameter: str) -> sweeps.Sweep:
    return next(s for s in results.sweeps if s.experiment.parameter == parameter)


def every_curve(sweep: sweeps.Sweep) -> list[list[float]]:
    return [sweep.costs(optimizer, technique) for optimizer in OPTIMIZERS for technique in TECHNIQUES]


def rises(values: list[float]) -> bool:
    return all(before < after for before, after in pairwise(values))


def windows(queries) -> list[tuple[int, int]]:
    return [(q.window.range, q.window.slide) for q in queries]


def test_I_30_the_same_seed_gives_the_same_workload_over_16_slides():
    setting = Setting(queries=1_000)
    drawn = windows(setting.workload(3))
    assert drawn == windows(setting.workload(3))
    assert drawn != windows(setting.workload(4))
    assert len({slide for _, slide in drawn}) == 16
    assert all(r % s == 0 and 1 <= r // s <= 10_000 for r, s in drawn)


def test_I_31_costs_rise_with_the_queries_and_slickdeque_gains_most_with_many(results: Results):
    few = sweep_of(results, "queries")
    assert all(rises(costs) for costs in every_curve(few))
    many = sweeps.run(few.experiment, (100, 10_000), 1)
    for optimizer in OPTIMIZERS:
        assert rises(many.ratios(optimizer, "panes"))
        assert rises(many.ratios(optimizer, "flatfit"))
    assert 4_500 < many.largest("panes") < 5_300  # the paper: 5,000
    assert 2.8 < many.largest("flatfit") < 3.1  # the paper: 3


def test_I_32_costs_fall_as_the_largest_slide_grows(results: Results):
    sweep = sweep_of(results, "max_slide")
    assert all(rises(costs[::-1]) for costs in every_curve(sweep))
    ratios = sweep.ratios("weaveshare", "panes")
    assert sweep.largest("panes") == max(ratios) == ratios[0]
    assert 3_600 < ratios[0] < 4_800  # the paper: 4,300


def test_I_33_only_panes_and_flatfat_pay_for_overlap(results: Results):
    sweep = sweep_of(results, "max_overlap")
    for optimizer in OPTIMIZERS:
        for technique in ("flatfit", "slickdeque_inv", "slickdeque_noninv"):
            costs = sweep.costs(optimizer, technique)
            assert max(costs) / min(costs) < 1.1
        panes, flatfat = (sweep.costs(optimizer, technique) for technique in ("panes", "flatfat"))
        assert panes[-1] / panes[0] > 5_000
        assert 2 < flatfat[-1] / flatfat[0] < 5
    assert results.overlap_spread < 1.1
    assert 200_000 < sweep.largest("panes") < 300_000  # the paper: 270,000


def test_I_34_trees_fall_with_the_rate_under_weave_share_only(results: Results):
    sweep = sweep_of(results, "rate")
    assert all(rises(costs) for costs in every_curve(sweep))
    for technique in TECHNIQUES:
        weaved = sweep.trees("weaveshare", technique)
        assert weaved == sorted(weaved, reverse=True)
        assert weaved[-1] < weaved[0]
        assert len(set(sweep.trees("triweave", technique))) == 1
    ratios = sweep.ratios("weaveshare", "panes")
    assert sweep.largest("panes") == ratios[0]
    assert 2_600 < ratios[0] < 3_800  # the paper: 3,000
    panes = sweep.costs("weaveshare", "panes")
    assert panes[-1] / panes[0] < 1.05


def test_I_35_costs_fall_as_slides_are_skewed_to_large_ones(results: Results):
    sweep = sweep_of(results, "skew")
    assert sweep.values[0] == -1
    assert all(rises(costs[::-1]) for costs in every_curve(sweep))
    ratios = sweep.ratios("weaveshare", "panes")
    assert rises(ratios[::-1])
    assert 3_300 < ratios[0] < 4_500  # the paper: 4,200


def test_I_36_the_better_a_technique_the_fewer_trees(results: Results):
    for trees in (sweeps.mean_trees(results.sweeps), results.midpoint_trees):
        assert rises([trees[technique] for technique in BY_TREES][::-1])
    slides = {slide for _, slide in windows(Setting().workload(0))}
    assert results.midpoint_trees["panes"] == len(slides) == 16


def test_T_31_workloads_of_table_ii_are_drawn_with_the_parameters_that_are_reported(results: Results):
    drawn = table_ii(queries=1_000, seed=5)
    told = headline(results)["parameters"]["table_ii"]
    assert windows(planned(drawn)) == windows(planned(draw(queries=1_000, seed=5, **told)))
    assert windows(planned(drawn)) != windows(planned(table_ii(queries=1_000, seed=6)))
    slides = drawn.slides.tolist()
    assert max(set(slides), key=slides.count) == 10_000
    assert all(10_000 % slide == 0 for slide in slides)
    overlaps = drawn.ranges // drawn.slides
    assert (overlaps.min(), overlaps.max()) == (1, 50)


def test_T_32_triweave_saves_most_at_mid_rates_and_nothing_at_low_ones(results: Results):
    assert 0.30 < min(curve.best for curve in results.curves) < 0.45  # the paper: 65% saved
    for curve in results.curves:
        assert 100 <= curve.best_rate <= 3_000
        assert curve.low
        assert all(0.95 < ratio < 1.1 for ratio in curve.low)
        assert curve.ratios[-1] > curve.best
        assert len({tuple(sample.trees) for sample in curve.triweave}) == 1
        assert curve.weaveshare[-1].mean_trees < curve.weaveshare[0].mean_trees


def test_T_33_triops_gains_with_two_groups_and_costs_a_little_with_one(results: Results):
    for each in results.matrices:
        assert set(each.normalised("shared", "twoops")) == {1.0}
        assert all(1.0 < ratio < 1.01 for ratio in each.normalised("shared", "triops"))
        assert each.gains("shared") == []
        assert all(gain < 1 for plan in ("weaveshare", "triweave") for gain in each.gains(plan))
        best = each.normalised("triweave", "triops")
        for plan, model in each.samples:
            assert all(
                ours <= theirs for ours, theirs in zip(best, each.normalised(plan, model), strict=True)
            )
        groups = zip(each.groups("triweave"), each.groups("weaveshare"), strict=True)
        assert all(ours > theirs for ours, theirs in groups)
        assert each.groups("triweave") == results.matrices[0].groups("triweave")
    assert results.matrices[0].gains("weaveshare")


def test_T_33_a_plan_costs_under_its_own_model_what_it_says():
    workload = planned(table_ii(queries=40, seed=1))
    for make in matrix.PLANS.values():
        plan = make(workload, 50.0, technique="panes")
        costs = {model.name: matrix.cost_under(plan, model) for model in EXECUTION_MODELS}
        assert costs[plan.execution] == pytest.approx(plan.cost.total)
        assert costs["twoops"] != pytest.approx(costs["triops"])


def test_the_first_batch_is_the_sweep_itself_and_the_next_has_other_seeds(results: Results):
    for sweep, batch in zip(results.sweeps, results.batches, strict=True):
        ratios = sweep.ratios("weaveshare", "panes")
        assert batch.ratios[0] == pytest.approx(max(ratios))
        assert batch.value == sweep.values[ratios.index(max(ratios))]
        assert batch.ratios[1] != batch.ratios[0]
        assert batch.least < batch.mean < batch.most


def test_the_last_line_is_json_with_the_figures(
    results: Results, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
):
    asked: list[dict[str, object]] = []
    drawn: list[Path] = []
    monkeypatch.setattr(program, "measure", lambda **options: asked.append(options) or results)
    monkeypatch.setattr(program, "draw_all", lambda found, folder: drawn.append(folder))
    for options in (["--quick"], ["--seeds", "4"], ["--quick", "--plots", str(tmp_path)]):
        monkeypatch.setattr("sys.argv", ["benchmarks.plans", *options])
        program.main()
        figures = json.loads(capsys.readouterr().out.splitlines()[-1])
        assert figures == headline(results)
        assert figures["parameters"]["seeds"] == SEEDS
    assert [(o["seeds"], o["quick"]) for o in asked] == [(3, True), (4, False), (3, True)]
    assert drawn == [program.PLOTS, tmp_path]


def test_tables_fit_into_a_line_and_show_the_costs(results: Results):
    page = io.StringIO()
    console = Console(file=page, width=program.WIDTH)
    for table in all_tables(results):
        console.print(table)
    text = page.getvalue()
    assert "…" not in text
    assert f"{sweep_of(results, 'queries').costs('weaveshare', 'panes')[-1]:,.0f} (16.0)" in text
    assert text.count("| groups |") == 3 * len(matrix.RATES)


def test_every_experiment_is_drawn(results: Results, tmp_path: Path):
    one_of_each = Results(results.sweeps[:1], [], results.curves, results.matrices[:1])
    files = draw_all(one_of_each, tmp_path / "plots")
    assert len(files) == 3
    assert all(file.read_bytes().startswith(b"\x89PNG") for file in files)
    kept = {file.stem for file in program.PLOTS.glob("*.png")}
    assert kept == {e.file for e in sweeps.EXPERIMENTS} | {file.stem for file in files}
