"""What a worker remembers of a shard is used only where it is that of the state."""

from __future__ import annotations

import copy
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from optimizer.model.schema import ColumnType
from planner_spark import final_aggregation
from planner_spark.blocks import DATA, from_bytes, to_bytes
from planner_spark.final_aggregation import FinalAggregation
from planner_spark.kernels.answers import Lowering
from planner_spark.kernels.lanes import CountLane
from planner_spark.kernels.techniques import KERNELS, serves
from planner_spark.kernels.workload import Query, Tree, Workload
from planner_spark.sinks.rows import RowFormat

MILLI = 1_000
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class Store:
    """Spark's state of one shard, with commits that can be taken back: Spark itself cannot be made to."""

    def __init__(self, technique: str) -> None:
        self.technique = technique
        self.values: dict[str, Any] = {"blocks": {}, "books": None, "timers": set()}

    def handle(self) -> Any:
        values = self.values
        blocks = SimpleNamespace(
            getValue=values["blocks"].get,
            updateValue=values["blocks"].__setitem__,
            removeKey=values["blocks"].pop,
        )
        books = SimpleNamespace(get=lambda: values["books"], update=lambda v: values.__setitem__("books", v))
        return SimpleNamespace(
            getMapState=lambda *_: blocks,
            getValueState=lambda *_: books,
            listTimers=lambda: iter(sorted(values["timers"])),
            registerTimer=values["timers"].add,
            deleteTimer=values["timers"].discard,
        )


def workload(technique: str) -> Workload:
    query = Query(
        number=1,
        window_range=10 * MILLI,
        slide=5 * MILLI,
        lowerings=(Lowering(function="count", column="*", type=ColumnType.parse("long")),),
        bit=None,
        columns=(),
        active_from=None,
        slots=("l0",),
    )
    tree = Tree(
        number=1,
        tags=frozenset({0}),
        classes=((0, 5 * MILLI),),
        queries=(query,),
        techniques={"count:*": technique},
    )
    return Workload(trees=(tree,), lanes=(CountLane(column="*"),))


def part(*fragments: tuple[int, int]) -> bytes:
    """Closed fragments: end in milliseconds, and how many tuples."""
    return to_bytes(
        pa.table(
            {
                "tag": np.zeros(len(fragments), dtype=np.int32),
                "end": [end * MILLI for end, _ in fragments],
                "key": ["[]"] * len(fragments),
                "words": [""] * len(fragments),
                "count:*": [n for _, n in fragments],
            }
        )
    )


def call(store: Store, watermark: int, *parts: bytes) -> list[tuple[int, int]]:
    """One batch of the shard; (window start in milliseconds, count) of what it answers."""
    load = workload(store.technique)
    rows = RowFormat.of(load.queries, (), epoch=1)
    operator = FinalAggregation(identity="job", workload=load, rows=rows)
    operator.init(store.handle())
    times = SimpleNamespace(getCurrentWatermarkInMs=lambda: watermark)
    # Spark takes timers that have expired out of its store.
    store.values["timers"] -= {timer for timer in store.values["timers"] if timer <= watermark}
    if parts:
        frames = operator.handleInputRows((0,), iter([{DATA: list(parts)}]), times)
    else:
        frames = operator.handleExpiredTimer((0,), times, SimpleNamespace())
    packed = [data for frame in frames for data in frame[DATA] if data is not None]
    rows = [row for data in packed for row in from_bytes(data).to_pylist()]
    return [((row["window_start"] - EPOCH) // timedelta(milliseconds=1), row["l0"]) for row in rows]


@pytest.fixture(params=[kernel.name for kernel in KERNELS if serves(kernel, CountLane(column="*"))])
def store(request: pytest.FixtureRequest) -> Store:
    return Store(request.param)


@pytest.fixture(params=[False, True], ids=["remembers", "forgets"])
def forgets(request: pytest.FixtureRequest) -> bool:
    final_aggregation._remembered.clear()
    return request.param


def test_memory_and_state_give_the_same(store: Store, forgets: bool):
    answers = []
    for watermark, parts in [
        (5, [part((5, 3))]),
        (10, [part((10, 4))]),
        (12, []),
        (15, []),
        (40, [part((25, 1), (35, 2))]),
        (60, []),
    ]:
        if forgets:
            final_aggregation._remembered.clear()
        answers += call(store, watermark, *parts)
    assert answers == [(-5, 3), (0, 7), (5, 4), (15, 1), (20, 1), (25, 2), (30, 2)]
    assert len(store.values["blocks"]) == 1, "blocks that no window needs are dropped"
    assert store.values["timers"] == set()


def test_a_batch_that_is_repeated_after_a_failure_answers_the_same(store: Store, forgets: bool):
    """The state goes back to before the batch; a worker's memory does not."""
    for watermark, parts in [
        (5, [part((5, 3))]),
        (10, [part((10, 4))]),
        (15, []),
        (30, [part((25, 1))]),
    ]:
        before = copy.deepcopy(store.values)
        once = call(store, watermark, *parts)
        store.values = before
        if forgets:
            final_aggregation._remembered.clear()
        assert call(store, watermark, *parts) == once
        assert once


def test_a_fragment_after_its_windows_were_answered_is_an_error(store: Store, forgets: bool):
    call(store, 20, part((5, 3)))
    with pytest.raises(RuntimeError, match="came after windows up to 20000 were answered"):
        call(store, 30, part((10, 1)))


def test_state_after_ten_times_the_longest_range_is_that_after_twice(store: Store):
    """A-06, G-14: blocks are dropped as they age, whatever the technique."""
    sizes = []
    for step in range(1, 41):
        call(store, 5 * step, part((5 * step, step)))
        sizes.append(sum(len(data) for _, data in store.values["blocks"].values()))
    twice, ten_times = 2 * 2, 10 * 2
    assert sizes[ten_times] <= sizes[twice]
    assert max(sizes[twice:]) == sizes[twice]
