"""How much data a run has: quick, usual or full.

Peers that cannot be measured on all of it get fewer files, or files of a smaller dataset, at the same rate of tuples in
event time. What fraction that is stands in every table and in the result.
"""

from __future__ import annotations

from dataclasses import dataclass

from benchmarks.spark.data import Dataset

__all__ = ["FULL", "QUICK", "USUAL", "Scale", "Size"]


@dataclass(frozen=True, slots=True)
class Size:
    """So many files of so many tuples, the first of them for the warm-up."""

    per_file: int
    files: int
    warmup: int

    @property
    def measured(self) -> int:
        """Tuples of the measured files."""
        return self.per_file * (self.files - self.warmup)

    def dataset(self, keys: int) -> Dataset:
        """The dataset of that size."""
        return Dataset(keys=keys, per_file=self.per_file, files=self.files)


@dataclass(frozen=True, slots=True, kw_only=True)
class Scale:
    """The sizes of all experiments; a side that is missing in a mapping is not run there."""

    name: str
    headline: dict[str, tuple[Size, int]]
    """Size and rounds of each side at 100 queries and 1,000 keys."""
    growth: tuple[Size, int]
    hour: tuple[Size, int]
    hour_by_spark: Size | None
    techniques: Size
    optimizers: tuple[str, ...]
    most_techniques: int
    queries: tuple[int, ...]
    keys: tuple[int, ...]
    scaling: Size
    peers: dict[str, tuple[Size, int]]
    """Size of each peer in the scaling experiment, and the most queries that it is tried with."""
    peer_keys: tuple[int, ...]
    """With how many keys peers are measured."""
    budget: float
    """Seconds after which a side waits for no further batch."""
    timeout: float
    """Seconds after which a side is ended."""
    limit: float | None
    """Seconds after which no further side is started."""


QUICK = Scale(
    name="quick",
    headline={
        # What runs by just-in-time compiled code is warm after dozens of micro-batches, not after three.
        "weft": (Size(250_000, 22, 16), 1),
        "tumbling": (Size(250_000, 22, 16), 1),
        "flink": (Size(40_000, 3, 1), 1),
        # Every batch touches every open window of every key, so that a smaller file costs it more for each tuple.
        "spark_exploded": (Size(125_000, 2, 1), 1),
    },
    growth=(Size(250_000, 7, 2), 1),
    hour=(Size(250_000, 6, 2), 1),
    hour_by_spark=None,
    techniques=Size(250_000, 6, 3),
    optimizers=("shared",),
    most_techniques=3,
    queries=(),
    keys=(),
    scaling=Size(250_000, 5, 2),
    peers={},
    peer_keys=(),
    budget=20.0,
    timeout=170.0,
    limit=520.0,
)
USUAL = Scale(
    name="usual",
    headline={
        "weft": (Size(500_000, 60, 40), 2),
        "tumbling": (Size(500_000, 60, 40), 2),
        "spark_windows": (Size(500_000, 2, 1), 1),
        "spark_exploded": (Size(500_000, 2, 1), 1),
        "flink": (Size(250_000, 3, 1), 1),
    },
    growth=(Size(500_000, 12, 3), 2),
    hour=(Size(500_000, 12, 3), 2),
    hour_by_spark=Size(20_000, 3, 1),
    techniques=Size(500_000, 8, 3),
    optimizers=("no_share", "shared", "weaveshare", "triweave", "auto"),
    most_techniques=4,
    queries=(1, 10, 30, 100, 300, 1_000),
    keys=(10, 1_000, 100_000),
    scaling=Size(250_000, 8, 3),
    peers={
        "tumbling": (Size(250_000, 8, 3), 1),
        "spark_windows": (Size(250_000, 3, 1), 30),
        "spark_exploded": (Size(250_000, 3, 1), 30),
        "flink": (Size(250_000, 4, 1), 30),
    },
    peer_keys=(1_000,),
    budget=120.0,
    timeout=900.0,
    limit=None,
)
FULL = Scale(
    name="full",
    headline={
        "weft": (Size(500_000, 80, 40), 3),
        "tumbling": (Size(500_000, 80, 40), 3),
        "spark_windows": (Size(500_000, 6, 2), 3),
        "spark_exploded": (Size(500_000, 6, 2), 3),
        "flink": (Size(500_000, 20, 3), 3),
    },
    growth=(Size(500_000, 20, 3), 3),
    hour=(Size(500_000, 20, 3), 3),
    hour_by_spark=Size(50_000, 4, 1),
    techniques=Size(500_000, 20, 3),
    optimizers=("no_share", "shared", "weaveshare", "triweave", "auto"),
    most_techniques=20,
    queries=(1, 10, 30, 100, 300, 1_000),
    keys=(10, 1_000, 100_000),
    scaling=Size(500_000, 20, 3),
    peers={
        "tumbling": (Size(500_000, 20, 3), 1),
        "spark_windows": (Size(500_000, 4, 1), 100),
        "spark_exploded": (Size(500_000, 4, 1), 100),
        "flink": (Size(500_000, 6, 1), 100),
    },
    peer_keys=(10, 1_000, 100_000),
    budget=600.0,
    timeout=3_600.0,
    limit=None,
)
