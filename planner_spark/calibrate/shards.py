"""What a shard costs beside its kernels: roll-up, intercede-aggregation, finding due windows, rows of results."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from costmodel.calibration import Line
from optimizer.model.schema import Column, ColumnType
from planner_spark.blocks import to_bytes
from planner_spark.calibrate.fit import line_of, nanoseconds
from planner_spark.calibrate.kernels import LANES
from planner_spark.kernels.answers import Lowering, slots_of
from planner_spark.kernels.intercede import Intercede
from planner_spark.kernels.lanes import CountLane
from planner_spark.kernels.shard import Shard
from planner_spark.kernels.workload import Block, Query, Tree, Workload
from planner_spark.sinks.rows import RowFormat, Rows

__all__ = ["ShardCosts", "shard_costs"]

KEYS = (16, 500)
ROWS = (16, 4_000)
FRAGMENTS = 64
QUERIES = 48
COUNTS = CountLane(column="*")
_LONG = ColumnType.parse("long")
_LANES = (LANES["count"], LANES["sum"], LANES["extreme"])


@dataclass(frozen=True, slots=True, kw_only=True)
class ShardCosts:
    """Fields of a `costmodel.calibration.Calibration`."""

    roll_up: float
    intercede: Line
    window: float
    result: Line


def shard_costs() -> ShardCosts:
    """All of them, in less than a second on an idle core."""
    appended, coalesced = zip(*(_intercede(keys) for keys in KEYS), strict=True)
    fixed, per_key = line_of((KEYS[0], coalesced[0]), (KEYS[1], coalesced[1]))
    few, many = (_rows(keys) for keys in ROWS)
    result_fixed, per_row = line_of((ROWS[0], few), (ROWS[1], many))
    return ShardCosts(
        roll_up=appended[1],
        intercede=Line(fixed=fixed, per_key=per_key),
        window=max(_advance(QUERIES) - _advance(1), 0.0) / (QUERIES - 1),
        result=Line(fixed=result_fixed, per_key=per_row),
    )


def _intercede(keys: int) -> tuple[float, float]:
    """Nanoseconds of an entry that is taken in, and of a fragment and lane that is coalesced four to one."""
    view = Intercede(_LANES)
    reader = view.subscribe()
    view.arrange(np.full(keys, -1))
    fragment, key = np.divmod(np.arange(FRAGMENTS * keys), keys)
    partials = {part.name: np.ones(len(key), dtype=part.dtype) for lane in _LANES for part in lane.parts}
    begin = [0]

    def take_in() -> None:
        begin[0] += FRAGMENTS
        view.append(begin[0] + fragment + 1, key, partials)

    def coalesce() -> None:
        take_in()
        view.coalesce(reader, ((0, 4),), begin[0] + FRAGMENTS)
        view.free()

    take_in()
    view.coalesce(reader, ((0, 4),), begin[0] + FRAGMENTS)
    view.free()
    both = nanoseconds(coalesce, rounds=9)
    entries = nanoseconds(take_in, rounds=5)
    return entries / len(key), max(both - entries, 0.0) / FRAGMENTS / len(_LANES)


def _workload(queries: int, slide: int, *, keyed: bool) -> Workload:
    lowerings = (Lowering(function="count", column="*", type=_LONG),)
    members = tuple(
        Query(
            number=number,
            window_range=slide * (number + 2),
            slide=slide,
            lowerings=lowerings,
            bit=None,
            columns=(0,) if keyed else (),
            active_from=None,
            slots=slots_of([_LONG]),
        )
        for number in range(queries)
    )
    tree = Tree(number=1, tags=frozenset((0,)), classes=((0, slide),), queries=members, techniques={})
    return Workload(trees=(tree,), lanes=(COUNTS,))


def _block(begin: int, end: int, slide: int, keys: int, *, keyed: bool) -> Block:
    ends = np.arange(begin + slide, end + 1, slide)
    fragment, key = np.divmod(np.arange(len(ends) * keys), keys)
    return Block(
        tags=np.zeros(len(key), dtype=np.int64),
        ends=ends[fragment],
        keys=[f'["{k}"]' if keyed else "[]" for k in range(keys)],
        key_codes=key,
        signatures=np.zeros((1, 0), dtype=np.int64),
        signature_codes=np.zeros(len(key), dtype=np.int64),
        partials={"count:*": np.ones(len(key), dtype=np.int64)},
    )


def _advance(queries: int) -> float:
    """Nanoseconds of a micro-batch in which no window is due."""
    shard = Shard(_workload(queries, 1_000_000, keyed=False))
    shard.ingest(_block(0, 60_000_000, 1_000_000, 1, keyed=False))
    list(shard.advance(after=0, until=60_000_000))
    time = [60_000_000]

    def idle() -> None:
        time[0] += 1
        list(shard.advance(after=time[0] - 1, until=time[0]))

    return nanoseconds(idle, rounds=15)


def _rows(keys: int) -> float:
    """Nanoseconds of the rows of one query and window with so many keys."""
    workload = _workload(QUERIES, 10, keyed=True)
    shard = Shard(workload)
    shard.ingest(_block(0, 1_000, 10, keys, keyed=True))
    answers = list(shard.advance(after=990, until=1_000))
    group = Column(name="key", type=ColumnType.parse("string"))
    rows = Rows(RowFormat.of(workload.queries, (group,), epoch=1))
    count = sum(int(each.present.sum()) for _, each in answers) / keys
    return nanoseconds(lambda: [to_bytes(t) for t in rows.tables(answers)], rounds=9) / count
