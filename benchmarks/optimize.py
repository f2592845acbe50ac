"""How fast plans are made, and how good they are: a million queries, unrelated slides, F1 against Bit Set, the optimum.

Each part runs in a process of its own, so that its memory is its own. The last line is JSON. `--quick` takes a
hundredth of the queries and of the workloads, to see that everything runs.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import random
import resource
import statistics
import time
from collections.abc import Callable
from functools import partial
from typing import Any

from rich.console import Console
from rich.table import Table

from costmodel import AUTO
from optimizer.edges.bitset import bitset_count
from optimizer.edges.classes import ResidueClass
from optimizer.edges.f1 import f1_density
from optimizer.exact import exact_partition
from optimizer.generate import Drawn, draw, draw_free, planned
from optimizer.greedy import greedy
from optimizer.improve import improve
from optimizer.live import LivePlan
from optimizer.model.plan import Plan, PlannedQuery
from optimizer.model.window import Unit, Window
from optimizer.task import Task
from optimizer.triweave import triweave
from optimizer.weaveshare import weaveshare

OPTIMIZERS = (weaveshare, triweave)
TECHNIQUES = ("slickdeque_inv", "slickdeque_noninv", "panes")
RATE = 1000.0
REPEATS = 3
CONSOLE = Console(stderr=True)

Part = dict[str, Any]


def plan_all(drawn: Drawn, *, repeats: int = REPEATS) -> Part:
    """Every optimizer with every technique, in turn: seconds of each, trees, and the error of edge rates."""
    queries = planned(drawn)
    lines = []
    for optimize in OPTIMIZERS:
        for technique in TECHNIQUES:
            seconds = []
            plan: Plan | None = None
            for _ in range(repeats):
                begin = time.perf_counter()
                plan = optimize(queries, RATE, technique=technique)
                seconds.append(time.perf_counter() - begin)
            assert plan is not None
            lines.append((optimize.__name__, technique, seconds, len(plan.trees), relative_error(plan)))
    return {
        "lines": lines,
        "seconds": max(statistics.median(line[2]) for line in lines),
        "error": max(line[4] for line in lines),
    }


def relative_error(plan: Plan) -> float:
    """The largest stated error of a tree's edge rate, as a part of the rate."""
    return max((t.edge_rate_error or 0.0) / t.edge_rate for t in plan.trees)


def add_one(drawn: Drawn, *, count: int = 200) -> Part:
    """Milliseconds to add one query: windows that are there, new ones, and slides that nobody had."""
    chance = random.Random(1)
    found: dict[str, list[float]] = {}
    for technique in ("slickdeque_inv", "panes"):
        live = LivePlan(planned(drawn), RATE, stream="s", technique=technique, execution="twoops")
        for number in range(count):
            slide = chance.choice((1, 7, 48, 50_400, 100_800, 302_400, 11, 13 * 64))
            window = Window(range=slide * chance.randint(1, 10_000), slide=slide, unit=Unit.ABSTRACT)
            query = PlannedQuery(id=f"new{number}", stream="s", window=window)
            begin = time.perf_counter()
            live.add(query)
            found.setdefault(technique, []).append(1000 * (time.perf_counter() - begin))
    return {"milliseconds": found, "worst": max(max(times) for times in found.values())}


def counters() -> Part:
    """One count of four slides by F1 and by Bit Set, over a composite slide of a billion."""
    slides = (997, 1_009, 1_000, 2_000)
    classes = [ResidueClass(modulus=s, residue=r) for s in slides for r in (0, s // 3)]
    begin = time.perf_counter()
    marked, length = bitset_count(classes)
    marking = time.perf_counter() - begin
    repeats = 200
    begin = time.perf_counter()
    for _ in range(repeats):
        density = f1_density(classes)
    expanding = (time.perf_counter() - begin) / repeats
    assert density is not None and density * length == marked
    return {"bitset": marking, "f1": expanding, "ratio": marking / expanding, "length": length}


def optimality(workloads: int) -> Part:
    """Greedy, and greedy with improvement, over the optimum: up to ten windows, all techniques and models."""
    chance = random.Random(7)
    ratios: dict[str, list[tuple[float, float]]] = {}
    for number in range(workloads):
        if number % max(workloads // 20, 1) == 0:
            CONSOLE.print(f"optimality: {number} of {workloads} workloads", highlight=False)
        queries, rate = small_workload(chance), 10 ** chance.uniform(-2, 3)
        for technique in AUTO.techniques:
            for execution in ("twoops", "triops"):
                problem = Task.of(
                    queries,
                    rate,
                    stream=None,
                    technique=technique.name,
                    partials="pairs",
                    execution=execution,
                ).problem()
                once = rate if execution == "triops" else 0.0
                start = greedy(problem)
                totals = [
                    once + problem.total(p)
                    for p in (start, improve(problem, start), exact_partition(problem))
                ]
                ratios.setdefault(f"{technique.name}, {execution}", []).append(
                    (totals[0] / totals[2], totals[1] / totals[2])
                )
    return {"ratios": ratios}


def small_workload(chance: random.Random) -> list[PlannedQuery]:
    """Two to ten distinct windows: slides that are factors, minutes, or anything; ranges that are multiples, or not."""
    choices = chance.choice(
        [
            (1, 2, 4, 5, 8, 10, 20, 25, 40, 50, 100, 125, 200, 250, 500, 1000),
            (1, 2, 3, 4, 5, 6, 10, 12, 15, 20, 30, 60),
            tuple(range(1, 31)),
        ]
    )
    shapes: set[tuple[int, int]] = set()
    count = chance.randint(2, 10)
    while len(shapes) < count:
        slide = chance.choice(choices)
        multiple = chance.random() < 0.5
        shapes.add((slide * chance.randint(1, 50) if multiple else chance.randint(1, 20 * slide), slide))
    return [
        PlannedQuery(id=str(n), stream="s", window=Window(range=r, slide=s, unit=Unit.ABSTRACT))
        for n, (r, s) in enumerate(sorted(shapes))
    ]


def apart(work: Callable[[], Part]) -> Part:
    """What a part answers in a process of its own, with its peak memory."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(_measured, (work,))


def _measured(work: Callable[[], Part]) -> Part:
    return {**work(), "peak_rss_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}


def plan_drawn(make: Callable[..., Drawn], *, repeats: int = REPEATS, **parameters: Any) -> Part:
    """Draw in the process that plans."""
    return plan_all(make(**parameters), repeats=repeats)


def add_drawn(**parameters: Any) -> Part:
    """Draw in the process that adds."""
    return add_one(draw(**parameters))


def main() -> None:
    """Run all parts, print the tables, and the figures as the last line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a hundredth of everything")
    million = 10_000 if (quick := parser.parse_args().quick) else 1_000_000
    common = {"queries": million, "seed": 1}
    console = Console(width=110)
    factors = {**common, "max_overlap": 10_000}
    free = {**common, "max_overlap": 50, "free_ranges": True}
    cases = {
        "factors of 1,000": partial(plan_drawn, draw, max_slide=1_000, **factors),
        "factors of 100,800": partial(plan_drawn, draw, max_slide=100_800, **factors),
        "the same, 10,000 ACQs": partial(plan_drawn, draw, max_slide=100_800, **{**factors, "queries": 10_000}),
        "factors of 1,000, free ranges": partial(plan_drawn, draw, repeats=1, max_slide=1_000, **free),
        "factors of 100,800, free ranges": partial(plan_drawn, draw, repeats=1, max_slide=100_800, **free),
        "10,000 unrelated slides": partial(
            plan_drawn, draw_free, repeats=1, queries=million // 100, max_slide=10_000, max_overlap=50, seed=1
        ),
        "10,000 unrelated slides, free ranges": partial(
            plan_drawn, draw_free, repeats=1, queries=million // 100, max_slide=10_000, max_overlap=50, seed=1,
            free_ranges=True,
        ),
    }  # fmt: skip
    table = Table(title=f"Seconds to plan {million:,} ACQs (median, least to most), rate {RATE:g}")
    for column in ("workload", "optimizer", "technique", "s", "spread", "trees", "error of E", "MB"):
        table.add_column(
            column, justify="left" if column in ("workload", "optimizer", "technique") else "right"
        )
    found = {}
    for name, work in cases.items():
        CONSOLE.print(f"planning: {name}", highlight=False)
        part = found[name] = apart(work)
        for optimizer, technique, seconds, trees, error in part["lines"]:
            spread = f"{min(seconds):.2f}..{max(seconds):.2f}"
            table.add_row(
                name, optimizer, technique, f"{statistics.median(seconds):.2f}", spread, f"{trees:,}",
                f"{error:.2%}" if error else "exact", f"{part['peak_rss_mb']:.0f}",
            )  # fmt: skip
    console.print(table)
    CONSOLE.print("adding one query", highlight=False)
    added = apart(partial(add_drawn, max_slide=100_800, **factors))
    for technique, times in added["milliseconds"].items():
        console.print(
            f"add one query, {technique}: p50 {statistics.median(times):.2f} ms, worst {max(times):.2f} ms"
        )
    counted = apart(counters)
    console.print(
        f"count 8 classes over a composite slide of {counted['length']:,}: Bit Set {counted['bitset']:.2f} s, "
        f"F1 {1e6 * counted['f1']:.0f} us, {counted['ratio']:,.0f} times faster"
    )
    ratios = apart(partial(optimality, 10 if quick else 1_000))["ratios"]
    table = Table(title="Plan cost over the optimum, up to 10 windows")
    for column in ("technique, model", "greedy mean", "greedy max", "improved mean", "improved max"):
        table.add_column(column, justify="right" if "m" in column[-4:] else "left")
    for name, pairs in ratios.items():
        before, after = zip(*pairs, strict=True)
        figures = (statistics.mean(before), max(before), statistics.mean(after), max(after))
        table.add_row(name, *(f"{figure:.6f}" for figure in figures))
    console.print(table)
    all_pairs = [pair for pairs in ratios.values() for pair in pairs]
    large, small = found["factors of 100,800"], found["the same, 10,000 ACQs"]
    print(
        json.dumps(
            {
                "million_factors_1000_s": round(found["factors of 1,000"]["seconds"], 3),
                "million_factors_100800_s": round(large["seconds"], 3),
                "million_free_1000_s": round(found["factors of 1,000, free ranges"]["seconds"], 3),
                "million_free_100800_s": round(found["factors of 100,800, free ranges"]["seconds"], 3),
                "million_free_error": max(p["error"] for n, p in found.items() if "factors" in n),
                "ten_thousand_free_s": round(
                    max(p["seconds"] for n, p in found.items() if "unrelated" in n), 3
                ),
                "ten_thousand_free_error": max(p["error"] for n, p in found.items() if "unrelated" in n),
                "growth_1e4_to_1e6": round(large["seconds"] / million / (small["seconds"] / 10_000), 4),
                "f1_vs_bitset": round(counted["ratio"]),
                "add_one_to_million_ms": round(added["worst"], 3),
                "peak_rss_mb": round(max(p["peak_rss_mb"] for p in (*found.values(), added))),
                "optimality_mean": statistics.mean(after for _, after in all_pairs),
                "optimality_max": max(after for _, after in all_pairs),
                "greedy_optimality_mean": statistics.mean(before for before, _ in all_pairs),
                "greedy_optimality_max": max(before for before, _ in all_pairs),
                "queries": million,
            }
        )
    )


if __name__ == "__main__":
    main()
