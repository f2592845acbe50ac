"""How long the work of a plan takes: measured nanoseconds times expected numbers (doc 001 5.3-5.4, row I-37).

**What it is.** Seconds of work for each second of the stream, level by level, as if the levels followed each other.
Spark's part has all cores and is measured with all of them. The kernels run once per shard, on the shard's share of
the keys, so many shards at a time as there are cores: what an operation takes whatever the keys is paid in every shard.
At 1 the job just keeps up.

**What it is not.** It knows nothing of the disk that results are written to, of other work of the machine, of keys that
are unevenly spread over shards, nor of late tuples. Keys and tuples are taken to be spread evenly over time.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from costmodel.calibration import Calibration, Line
from costmodel.operations import expected_operations
from costmodel.tree_work import TreeWork

__all__ = ["Estimate", "FinalWork", "LaneWork", "PlanWork", "distinct_keys", "estimate", "lane_seconds"]

_NANO = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class LaneWork:
    """One lane of a tree: its kind (count, sum, extreme, moments), technique, and windows."""

    kind: str
    technique: str
    work: TreeWork


@dataclass(frozen=True, slots=True, kw_only=True)
class FinalWork:
    """The queries of one tree over one view.

    ``fragments`` are coalesced per second, ``keys`` are those of all shards.
    """

    tree: int
    keys: float
    fragments: float
    windows: int
    lanes: tuple[LaneWork, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanWork:
    """What a plan has to do in a second of the stream.

    ``classes`` are those of edges in all trees' expressions, ``readers`` the trees that each tuple is aggregated for,
    ``entries`` the partials [fragment, key] that come out, ``roll_ups`` what the views take in of them, ``answers`` the
    queries times micro-batches that answer them.
    """

    rate: float
    classes: int
    readers: int
    entries: float
    roll_ups: float
    finals: tuple[FinalWork, ...]
    answers: float
    results: float
    batches: float
    shards: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """Seconds of work per second of the stream, level by level."""

    sub_aggregation: float
    intercede: float
    final_aggregation: float
    results: float
    batches: float
    results_per_second: float
    measured: bool

    @property
    def seconds_per_second(self) -> float:
        """All levels together."""
        return math.fsum(
            (self.sub_aggregation, self.intercede, self.final_aggregation, self.results, self.batches)
        )


def distinct_keys(keys: float, tuples: float) -> float:
    """How many of so many keys are expected to be among so many tuples.

    >>> round(distinct_keys(100, 1)), round(distinct_keys(100, 10_000))
    (1, 100)
    """
    return keys * -math.expm1(-tuples / keys) if keys > 0 else 0.0


def estimate(work: PlanWork, calibration: Calibration) -> tuple[Estimate, dict[int, float]]:
    """The estimate of a plan, and what each tree takes of it by itself, by its number."""
    parallel = max(min(calibration.cores, work.shards), 1)
    own: dict[int, float] = {}
    intercede = work.roll_ups * calibration.roll_up / parallel * _NANO
    final = 0.0
    for each in work.finals:
        coalesced = (
            each.fragments * len(each.lanes) * _shared(calibration.intercede, each.keys, work, parallel)
        )
        found = work.batches * each.windows * calibration.window * work.shards / parallel
        answered = math.fsum(
            lane_seconds(lane, each.keys, calibration, batches=work.batches, shards=work.shards)
            for lane in each.lanes
        )
        intercede += coalesced * _NANO
        final += found * _NANO + answered
        own[each.tree] = own.get(each.tree, 0.0) + (coalesced + found) * _NANO + answered
    per_tuple = (
        calibration.tuple
        + calibration.edge * max(work.classes - 1, 0)
        + calibration.tree * max(work.readers - 1, 0)
    )
    rows = work.answers * work.shards * calibration.result.fixed + work.results * calibration.result.per_key
    whole = Estimate(
        sub_aggregation=(work.rate * per_tuple + work.entries * calibration.partial) * _NANO,
        intercede=intercede,
        final_aggregation=final,
        results=rows / parallel * _NANO,
        batches=work.batches * calibration.batch * _NANO,
        results_per_second=work.results,
        measured=calibration.measured,
    )
    return whole, own


def lane_seconds(
    lane: LaneWork, keys: float, calibration: Calibration, *, batches: float, shards: int
) -> float:
    """What a lane's kernels take; infinite for a technique that nobody has measured."""
    cost = calibration.kernel(lane.technique, lane.kind)
    operations = expected_operations(lane.technique, lane.work)
    if cost is None or operations is None:
        return math.inf
    parallel = max(min(calibration.cores, shards), 1)
    numbers = (
        (cost.call, batches),
        (cost.partial, lane.work.edge_rate),
        (cost.answer, lane.work.answers),
        (cost.operation, operations),
    )
    return _NANO * shards / parallel * math.fsum(line.at(keys / shards) * count for line, count in numbers)


def _shared(line: Line, keys: float, work: PlanWork, parallel: int) -> float:
    """Nanoseconds of one operation in all shards."""
    return line.at(keys / work.shards) * work.shards / parallel
