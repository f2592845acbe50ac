"""A run of the benchmark: where its files are, which sides it has, and what is told while it goes on."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from benchmarks.spark.config import Config
from benchmarks.spark.estimate import estimate
from benchmarks.spark.launch import Outcome, launch
from benchmarks.spark.rounds import Comparison, alternate
from benchmarks.spark.scale import Scale, Size
from benchmarks.spark.workload import Window

__all__ = ["Contender", "Run"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Contender:
    """A side with its way to do the work."""

    name: str
    side: str
    windows: tuple[Window, ...]
    size: Size
    rounds: int = 1
    sink: str = "noop"
    technique: str | None = None
    optimizer: str | None = None


@dataclass(slots=True, kw_only=True)
class Run:
    """All that the experiments share."""

    scale: Scale
    sides: Sequence[str]
    work: Path
    """A folder of this run's own."""
    data: Path
    tools: Path
    began: float = field(default_factory=time.monotonic)
    _runs: int = 0

    @property
    def elapsed(self) -> float:
        """Seconds since the start."""
        return time.monotonic() - self.began

    def compare(self, title: str, keys: int, contenders: Sequence[Contender]) -> Comparison:
        """Let the contenders run in turn."""
        playing = [contender for contender in contenders if contender.side in self.sides]
        outcomes = alternate(
            {each.name: lambda each=each: self.outcome(title, keys, each) for each in playing},
            {each.name: each.rounds for each in playing},
        )
        most = max((len(contender.windows) for contender in playing), default=0)
        return Comparison(title=title, queries=most, keys=keys, outcomes=outcomes)

    def outcome(self, title: str, keys: int, contender: Contender) -> Outcome:
        """Run a contender once and say how it went."""
        size = contender.size
        self._runs += 1
        config = Config(
            side=contender.side,
            windows=contender.windows,
            data=str(self.data / size.dataset(keys).name),
            files=size.files,
            warmup=size.warmup,
            work=str(self.work / f"{self._runs:03d}-{contender.side}"),
            sink=contender.sink,
            budget=self.scale.budget,
            technique=contender.technique,
            optimizer=contender.optimizer,
            tools=str(self.tools),
        )
        left = self.scale.timeout
        if self.scale.limit is not None:
            if self.elapsed > self.scale.limit:
                return self._tell(title, contender, Outcome(config=config, reason="no time left for it"))
            # The last one may go on for a while, so that the whole is not much longer than promised.
            left = min(left, self.scale.limit - self.elapsed + 90)
        size.dataset(keys).folder(self.data)
        outcome = launch(config, timeout=left)
        if outcome.result is not None and contender.side == "weft":
            forecast = estimate(config, self.data.parent)
            outcome = replace(outcome, result=replace(outcome.result, estimated_tuples_per_second=forecast))
        return self._tell(title, contender, outcome)

    def _tell(self, title: str, contender: Contender, outcome: Outcome) -> Outcome:
        result = outcome.result
        said = (
            f"{result.throughput:,.0f} tuples/s, {result.results:,} results, {result.peak_rss_mb:,.0f} MiB"
            if result is not None
            else outcome.reason
        )
        print(
            f"[{self.elapsed:6.0f} s] {title}: {contender.name}, {outcome.elapsed:.0f} s: {said}",
            file=sys.stderr,
            flush=True,
        )
        return outcome
