"""What a worker remembers of a shard is used only where it is that of the state."""

from __future__ import annotations

import copy
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pytest

from optimizer.model.schema import ColumnType
from planner_spark import final_aggregation
from planner_spark.blocks import DATA, to_bytes
from planner_spark.final_aggregation import FinalAggregation
from planner_spark.kernels.answers import Lowering
from planner_spark.kernels.lanes import CountLane
from planner_spark.kernels.shard import Query, Workload
from planner_spark.sinks.rows import RowFormat

MILLI = 1_000


class Store:
    """Spark's state of one shard, with commits that can be taken back: Spark itself cannot be made to."""

    def __init__(self) -> None:
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


def workload() -> Workload:
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
    return Workload(queries=(query,), lanes=(CountLane(column="*"),))


def part(*fragments: tuple[int, int, int]) -> bytes:
    """Closed fragments: start and end in milliseconds, and how many tuples."""
    return to_bytes(
        pa.table(
            {
                "start": [s * MILLI for s, _, _ in fragments],
                "end": [e * MILLI for _, e, _ in fragments],
                "key": ["[]"] * len(fragments),
                "words": [""] * len(fragments),
                "count:*": [n for _, _, n in fragments],
            }
        )
    )


def call(store: Store, watermark: int, *parts: bytes) -> list[tuple[int, int]]:
    """One batch of the shard; (window start in milliseconds, count) of what it answers."""
    load = workload()
    operator = FinalAggregation(identity="job", workload=load, rows=RowFormat.of(load.queries, 0))
    operator.init(store.handle())
    times = SimpleNamespace(getCurrentWatermarkInMs=lambda: watermark)
    # Spark takes timers that have expired out of its store.
    store.values["timers"] -= {timer for timer in store.values["timers"] if timer <= watermark}
    if parts:
        frames = operator.handleInputRows((0,), iter([{DATA: list(parts)}]), times)
    else:
        frames = operator.handleExpiredTimer((0,), times, SimpleNamespace())
    return [(row.window_start // MILLI, row.l0) for frame in frames for row in frame.itertuples()]


@pytest.fixture(params=[False, True], ids=["remembers", "forgets"])
def forgets(request: pytest.FixtureRequest) -> bool:
    final_aggregation._remembered.clear()
    return request.param


def test_memory_and_state_give_the_same(forgets: bool):
    store = Store()
    answers = []
    for watermark, parts in [
        (5, [part((0, 5, 3))]),
        (10, [part((5, 10, 4))]),
        (12, []),
        (15, []),
        (40, [part((20, 25, 1), (30, 35, 2))]),
        (60, []),
    ]:
        if forgets:
            final_aggregation._remembered.clear()
        answers += call(store, watermark, *parts)
    assert answers == [(-5, 3), (0, 7), (5, 4), (15, 1), (20, 1), (25, 2), (30, 2)]
    assert len(store.values["blocks"]) == 1, "blocks that no window needs are dropped"
    assert store.values["timers"] == set()


def test_a_batch_that_is_repeated_after_a_failure_answers_the_same(forgets: bool):
    """The state goes back to before the batch; a worker's memory does not."""
    store = Store()
    for watermark, parts in [
        (5, [part((0, 5, 3))]),
        (10, [part((5, 10, 4))]),
        (15, []),
        (30, [part((20, 25, 1))]),
    ]:
        before = copy.deepcopy(store.values)
        once = call(store, watermark, *parts)
        store.values = before
        if forgets:
            final_aggregation._remembered.clear()
        assert call(store, watermark, *parts) == once
        assert once


def test_a_fragment_after_its_windows_were_answered_is_an_error(forgets: bool):
    store = Store()
    call(store, 20, part((0, 5, 3)))
    with pytest.raises(RuntimeError, match="came after windows up to 20000 were answered"):
        call(store, 30, part((5, 10, 1)))
