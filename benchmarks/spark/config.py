"""What a side is told and what it answers: two JSON files, since every side runs in a process of its own."""

from __future__ import annotations

import json
import statistics
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.spark.workload import AGGREGATES, Window

__all__ = ["Config", "Emitted", "Result"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """One measurement of one side."""

    side: str
    windows: tuple[Window, ...]
    data: str
    """The folder of the dataset."""
    files: int
    """How many of its files are read; each is a micro-batch."""
    warmup: int
    """How many of these are left out of the measured time."""
    work: str
    """A folder of the side's own, for its checkpoint and its results."""
    sink: str = "noop"
    budget: float | None = None
    """Seconds after which no further batch is waited for, if at least one was measured."""
    memory: str = "4g"
    """Heap of the Java process."""
    shards: int = 2
    """Spark's partitions and Flink's parallelism: as many as cores."""
    technique: str | None = None
    """That of all trees, where it may serve a lane; Weft only."""
    optimizer: str | None = None
    """What makes the plan; without one all queries are in one tree. Weft only."""
    tools: str = ""
    """A folder for programs that a side installs for itself, kept from run to run."""
    aggregates: tuple[tuple[str, str], ...] = AGGREGATES

    @property
    def folder(self) -> Path:
        """The side's folder."""
        return Path(self.work)

    def write(self, path: Path) -> None:
        """Write it as JSON."""
        path.write_text(json.dumps(asdict(self), indent=1))

    @classmethod
    def read(cls, path: Path) -> Config:
        """What `write` wrote."""
        raw = json.loads(path.read_text())
        raw["windows"] = tuple(Window(**window) for window in raw["windows"])
        raw["aggregates"] = tuple((function, column) for function, column in raw["aggregates"])
        return cls(**raw)


@dataclass(frozen=True, slots=True, kw_only=True)
class Emitted:
    """What one streaming query put out from its start to its end, for the check against the data."""

    query: int | None
    """The window's position in the configuration; None stands for all of them."""
    until: int
    """Seconds of the stream that the watermark had reached: windows that end later were still open."""
    counted: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """What a side measured, warm; ``tuples`` and ``results`` are those of the measured ``seconds``."""

    tuples: int
    seconds: float
    results: int
    batches: Sequence[float] = field(default_factory=list)
    """Seconds of each measured micro-batch; none for Flink, which has none."""
    cold_seconds: float = 0.0
    """From the start of the queries to the end of the warm-up."""
    state_rows: int | None = None
    state_bytes: int | None = None
    peak_rss_mb: float = 0.0
    """Of the whole process tree: Java, Python and Python's workers."""
    estimated_tuples_per_second: float | None = None
    emitted: Sequence[Emitted] = field(default_factory=list)
    """Empty for a side that counts nothing."""
    note: str = ""

    @property
    def throughput(self) -> float:
        """Tuples per second."""
        return self.tuples / self.seconds

    @property
    def results_per_second(self) -> float:
        """Result rows per second."""
        return self.results / self.seconds

    def batch(self, quantile: float) -> float | None:
        """Seconds that so large a part of the micro-batches stays within: 0.5 is the median, 1 the worst.

        >>> Result(tuples=1, seconds=1, results=1, batches=[3.0, 1.0, 2.0]).batch(0.5)
        2.0
        """
        if not self.batches:
            return None
        if quantile == 0.5:
            return statistics.median(self.batches)
        ordered = sorted(self.batches)
        return ordered[min(int(quantile * len(ordered)), len(ordered) - 1)]

    def json(self) -> dict[str, Any]:
        """For the result file, with what a reader of it would compute first."""
        tails = {"batch_p50": self.batch(0.5), "batch_p95": self.batch(0.95), "batch_max": self.batch(1.0)}
        return {**asdict(self), **tails, "tuples_per_second": self.throughput}

    @classmethod
    def parse(cls, raw: dict[str, Any]) -> Result:
        """What `json` gave."""
        names = cls.__dataclass_fields__
        known = {name: value for name, value in raw.items() if name in names}
        return cls(**{**known, "emitted": [Emitted(**each) for each in raw.get("emitted", [])]})

    def write(self, path: Path) -> None:
        """Write it as JSON, whole or not at all."""
        partial = path.with_suffix(".tmp")
        partial.write_text(json.dumps(self.json(), indent=1))
        partial.replace(path)
