"""How fast each technique of final aggregation is, and how many operations it takes per edge beside its Omega.

One query of range n and slide 1, and queries of all ranges 1 to n, over partials of 1, 100 and 10,000 group keys that
come one by one and in batches. Every technique works on sums of longs, those that only select on their maximum; naive
Panes runs on both. Rounds are interleaved: each one measures all techniques in turn on the same partials, so that
whatever else the machine does hits them alike. An operation combines two rows of partials, of all keys. The last line
is JSON; `--plot` draws the throughput.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import NullFormatter
from rich import box
from rich.console import Console
from rich.table import Table

from benchmarks.plans.figures import STYLE
from costmodel.base import TreeStats
from costmodel.omega import find_technique
from planner_spark.kernels.kernel import Kernel, Windows
from planner_spark.kernels.lane import Parts
from planner_spark.kernels.lanes import ExtremeLane, SumLane
from planner_spark.kernels.over import Array
from planner_spark.kernels.panes import Panes
from planner_spark.kernels.techniques import KERNELS, serves

SUM = SumLane(column="v", fractional=False)
MAX = ExtremeLane(column="v", largest=True, fractional=False)
KEYS = (1, 100, 10_000)
BATCHES = (1, 16)
POOL = 2**22
"""Values that are drawn; they come again and again."""
PLOT = Path(__file__).parents[1] / "docs" / "experiments" / "kernels.png"
COLOURS = {1: "#d55e00", 16: "#0072b2"}
CONSOLE = Console(stderr=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """What all techniques of a block of the table do alike."""

    ranges: tuple[int, ...]
    keys: int
    batch: int

    @property
    def queries(self) -> str:
        """What there is to answer."""
        return "single" if len(self.ranges) == 1 else "all ranges"


@dataclass(slots=True, kw_only=True)
class Runner:
    """One technique on its way through the stream, and what was measured of it."""

    kernel: Kernel
    setting: Setting
    end: int = 0
    seconds: list[float] = field(default_factory=list)
    """Per partial, one number a round."""
    operations: list[float] = field(default_factory=list)

    def run(self, pool: Array, advances: int) -> Parts:
        """So many batches with the windows that end in them; the last answers."""
        ranges, batch = np.array(self.setting.ranges), self.setting.batch
        slots = np.tile(np.arange(len(ranges)), batch)
        answers: Parts = ()
        for _ in range(advances):
            highs = np.repeat(np.arange(self.end + 1, self.end + 1 + batch), len(ranges))
            windows = Windows(np.maximum(highs - np.tile(ranges, batch), 0), highs, slots)
            place = self.end % len(pool)
            answers = self.kernel.advance((pool[place : place + batch],), windows)
            self.end += batch
            self.kernel.evict(max(0, self.end + 1 - int(ranges.max())))
        return answers

    def measure(self, pool: Array, advances: int) -> None:
        """One round."""
        before = self.kernel.operations
        begin = time.perf_counter()
        self.run(pool, advances)
        partials = advances * self.setting.batch
        self.seconds.append((time.perf_counter() - begin) / partials)
        self.operations.append((self.kernel.operations - before) / partials)


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """One row of the table."""

    technique: str
    lane: str
    queries: str
    keys: int
    batch: int
    operations_per_edge: float
    omega: float | None
    ns_per_operation: float
    partials_per_s: float
    partials_per_s_low: float
    partials_per_s_high: float
    over_panes: float
    """How many times as many partials per second as naive Panes on the same lane, the median of the rounds' ratios."""


def run_setting(setting: Setting, rounds: int, seconds: float) -> Iterator[Result]:
    """Measure all techniques that answer these queries, round by round."""
    chance = np.random.default_rng(1)
    # A whole number of batches, and many more than the longest window holds.
    rows = max(1024, min(POOL // setting.keys, 65_536)) // setting.batch * setting.batch
    pool = chance.integers(-(2**40), 2**40, (rows, setting.keys))
    runners = [runner for lane in (SUM, MAX) for runner in _runners(setting, lane)]
    longest = max(setting.ranges)
    # FlatFIT and L-INT work in periods of about a window.
    period = -(-2 * (longest + 1) // setting.batch)
    advances = {}
    expected: dict[str, Parts] = {}
    for place, runner in enumerate(runners):
        runner.run(pool, period)
        begin = time.perf_counter()
        found = runner.run(pool, period)
        spent = time.perf_counter() - begin
        advances[place] = period * max(1, int(seconds / spent))
        right = expected.setdefault(runner.kernel.lane.name, found)
        if not all(np.array_equal(a, b) for a, b in zip(found, right, strict=True)):
            raise ValueError(f"{runner.kernel.name} does not answer what panes answers")
    del expected
    for _ in range(rounds):
        for place, runner in enumerate(runners):
            runner.measure(pool, advances[place])
    naive = {r.kernel.lane.name: r for r in runners if isinstance(r.kernel, Panes)}
    for runner in runners:
        yield _result(runner, naive[runner.kernel.lane.name])


def _runners(setting: Setting, lane: SumLane | ExtremeLane) -> Iterator[Runner]:
    """Panes first; on the maximum only it and what needs a maximum."""
    for kernel in KERNELS:
        if kernel is Panes or (serves(kernel, lane) and (lane is SUM or not serves(kernel, SUM))):
            slots = len(setting.ranges)
            if kernel.multi_query or slots == 1:
                yield Runner(kernel=kernel(lane, slots=slots, keys=setting.keys), setting=setting)


def _result(runner: Runner, naive: Runner) -> Result:
    setting, name = runner.setting, runner.kernel.name
    low, middle, high = statistics.quantiles(runner.seconds, n=4, method="inclusive")
    operations = statistics.fmean(runner.operations)
    formula = find_technique(name)
    tree = TreeStats.of(edge_rate=1.0, windows=[(r, 1) for r in setting.ranges])
    ratios = [a / b for a, b in zip(naive.seconds, runner.seconds, strict=True)]
    return Result(
        technique=name,
        lane=runner.kernel.lane.name.split(":")[0],
        queries=setting.queries,
        keys=setting.keys,
        batch=setting.batch,
        operations_per_edge=operations,
        omega=formula(tree) if formula is not None else None,
        ns_per_operation=1e9 * middle / operations,
        partials_per_s=1 / middle,
        partials_per_s_low=1 / high,
        partials_per_s_high=1 / low,
        over_panes=statistics.median(ratios),
    )


def table_of(results: Sequence[Result]) -> Table:
    """The rows of one setting."""
    first = results[0]
    come = "one by one" if first.batch == 1 else f"in batches of {first.batch}"
    table = Table(
        title=f"{first.queries}, keys: {first.keys:,}, partials {come}",
        title_justify="left",
        box=box.MARKDOWN,
    )
    columns = "technique", "lane", "ops/edge", "Omega", "ns/op", "partials/s", "quartiles", "over panes"
    for place, column in enumerate(columns):
        table.add_column(column, justify="right" if place > 1 else "left", no_wrap=True)
    for r in results:
        table.add_row(
            r.technique, r.lane, f"{r.operations_per_edge:.2f}", "" if r.omega is None else f"{r.omega:.2f}",
            f"{r.ns_per_operation:,.0f}", f"{r.partials_per_s:,.0f}",
            f"{r.partials_per_s_low:,.0f}..{r.partials_per_s_high:,.0f}", f"{r.over_panes:.2f}",
        )  # fmt: skip
    return table


def plot(results: Sequence[Result], longest: int, path: Path) -> None:
    """Partials per second of each technique: a column for each number of keys, single queries above."""
    kinds = list(dict.fromkeys(r.queries for r in results))
    style: dict[Any, Any] = {**STYLE}
    with mpl.rc_context(style):
        figure = Figure(figsize=(10, 6.6), layout="constrained")
        axes = figure.subplots(len(kinds), len(KEYS), sharex=True, sharey="row", squeeze=False)
        for row, kind in enumerate(kinds):
            # The first technique on top.
            names = list(dict.fromkeys(_label(r) for r in results if r.queries == kind))[::-1]
            for panel, keys in zip(axes[row], KEYS, strict=True):
                for batch in BATCHES:
                    shown = [r for r in results if (r.queries, r.keys, r.batch) == (kind, keys, batch)]
                    speeds = [r.partials_per_s for r in shown]
                    spread = [
                        [r.partials_per_s - r.partials_per_s_low for r in shown],
                        [r.partials_per_s_high - r.partials_per_s for r in shown],
                    ]
                    label = "one by one" if batch == 1 else f"batches of {batch}"
                    places = [names.index(_label(r)) for r in shown]
                    panel.errorbar(speeds, places, xerr=spread, fmt="o", color=COLOURS[batch], label=label)
                panel.set_xscale("log")
                panel.xaxis.set_minor_formatter(NullFormatter())
                panel.set_yticks(range(len(names)), names)
                what = f"range {longest}" if kind == "single" else f"ranges 1 to {longest}"
                panel.set_title(f"{what}, {keys:,} key{'s' if keys > 1 else ''}")
        for panel in axes[-1]:
            panel.set_xlabel("partials per second")
        handles, labels = axes[0][0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=len(BATCHES))
        path.parent.mkdir(parents=True, exist_ok=True)
        # Without the version of the program, so that the same numbers give the same file.
        figure.savefig(path, metadata={"Software": None})


def _label(result: Result) -> str:
    return f"{result.technique} (max)" if result.lane == "max" else result.technique


def main() -> None:
    """Measure every setting, print the tables, and the figures as the last line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="short windows and few rounds")
    parser.add_argument("--plot", action="store_true", help=f"draw {PLOT.name}")
    arguments = parser.parse_args()
    quick: bool = arguments.quick
    longest, rounds, seconds = (16, 5, 0.002) if quick else (64, 15, 0.05)
    console = Console(width=110)
    results: list[Result] = []
    for ranges in ((longest,), tuple(range(longest, 0, -1))):
        for keys in KEYS:
            for batch in BATCHES:
                setting = Setting(ranges=ranges, keys=keys, batch=batch)
                CONSOLE.print(
                    f"measuring: {setting.queries}, {keys:,} keys, batches of {batch}", highlight=False
                )
                found = list(run_setting(setting, rounds, seconds))
                console.print(table_of(found))
                results.extend(found)
    if arguments.plot:
        plot(results, longest, PLOT)
        CONSOLE.print(f"drawn: {PLOT}", highlight=False)
    figures = [
        {
            name: float(f"{value:.5g}") if isinstance(value, float) else value
            for name in Result.__slots__
            if (value := getattr(r, name)) is not None
        }
        for r in results
    ]
    print(json.dumps({"range": longest, "rounds": rounds, "results": figures}))


if __name__ == "__main__":
    main()
