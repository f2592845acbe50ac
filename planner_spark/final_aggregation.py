"""Final aggregation: the stateful operator around the kernels (doc 000 II-B).

One instance serves a shard, a block of group keys, so that each combination is one vectorised operation over all of
its keys. State in Spark's store: blocks by number, appended and dropped whole, and one small row of bookkeeping. What
is built from the blocks stays in the Python worker between batches; each append writes a fresh token, and memory is
used only where its token is the state's. Memory that is behind by some blocks of the same line catches up.

Event-time timers close windows of keys that have fallen silent. Rows and an expired timer may both come for a shard
in one batch, so ``emitted`` in the bookkeeping says up to where windows are answered.
"""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pandas as pd
from pyspark.sql.streaming.stateful_processor import (
    ExpiredTimerInfo,
    StatefulProcessor,
    StatefulProcessorHandle,
    TimerValues,
)

from planner_spark.blocks import DATA, block_from, from_bytes, last_end, to_bytes, together
from planner_spark.kernels.shard import Shard
from planner_spark.kernels.workload import Workload
from planner_spark.sinks.rows import RowFormat, Rows
from planner_spark.work import SECONDS

__all__ = ["OUTPUT", "RESULTS", "FinalAggregation"]

RESULTS, REPORT = "results", "report"
OUTPUT = f"{RESULTS} bigint, {DATA} binary, {REPORT} string"
"""What comes out: packed rows and how many they are, and a report of the work behind them."""

NEVER = -(1 << 62)
_MILLI = 1_000


@dataclass(slots=True)
class _Memory:
    """What a worker remembers of a shard: valid for the state whose token it has."""

    shard: Shard
    rows: Rows
    token: str = ""
    following: int = 0
    advanced: int = NEVER
    last_ends: dict[int, int] = field(default_factory=dict)


_remembered: dict[tuple[str, Any], _Memory] = {}


class FinalAggregation(StatefulProcessor):
    """Answers every query's windows from the fragments of one shard."""

    def __init__(self, *, identity: str, workload: Workload, rows: RowFormat) -> None:
        self._identity = identity
        self._workload = workload
        self._rows = rows

    def init(self, handle: StatefulProcessorHandle) -> None:
        """Open the state variables."""
        self._handle = handle
        self._blocks = handle.getMapState("blocks", "number bigint", "token string, data binary")
        self._books = handle.getValueState(
            "books", "first bigint, following bigint, token string, emitted bigint, timer bigint"
        )

    def handleInputRows(  # noqa: N802
        self,
        key: Any,
        rows: Iterator[Any],
        timerValues: TimerValues,  # noqa: N803
    ) -> Iterator[pd.DataFrame]:
        """Take in the fragments that closed, then answer what is due."""
        parts = [bytes(part) for frame in rows for part in frame[DATA]]
        yield from self._run(key, parts, timerValues.getCurrentWatermarkInMs())

    def handleExpiredTimer(  # noqa: N802
        self,
        key: Any,
        timerValues: TimerValues,  # noqa: N803
        expiredTimerInfo: ExpiredTimerInfo,  # noqa: N803
    ) -> Iterator[pd.DataFrame]:
        """Answer what is due although nothing came."""
        yield from self._run(key, [], timerValues.getCurrentWatermarkInMs())

    def close(self) -> None:
        """Nothing is held open."""

    def _run(self, key: Any, parts: list[bytes], watermark_ms: int) -> Iterator[pd.DataFrame]:
        watermark = watermark_ms * _MILLI
        first, following, token, emitted, timer = self._books.get() or (0, 0, "", NEVER, NEVER)
        began = time.perf_counter()
        memory = self._recall(key, first, following, token, emitted)
        before = memory.shard.work()
        spent_on_rows = memory.rows.seconds
        if parts:
            token = uuid.uuid4().hex
            self._append(memory, parts, following, token, emitted)
            following += 1
        if watermark > emitted:
            # Before the first answer: a run that fails on the way has moved on as far as one that did not.
            memory.advanced = watermark
            for results, data in memory.rows.packed(memory.shard.advance(after=emitted, until=watermark)):
                yield _output(results=results, data=data)
            emitted = watermark
            memory.shard.forget(watermark)
        done = {name: n - before.get(name, 0) for name, n in memory.shard.work().items()}
        rows = memory.rows.seconds - spent_on_rows
        done |= {f"{SECONDS}rows": rows, f"{SECONDS}kernels": time.perf_counter() - began - rows}
        yield _output(report=json.dumps({name: n for name, n in done.items() if n}))
        first = self._drop_old(memory, first, following, watermark)
        timer = self._set_timer(memory.shard.next_due(watermark), timer)
        self._books.update((first, following, token, emitted, timer))

    def _recall(self, key: Any, first: int, following: int, token: str, emitted: int) -> _Memory:
        name = (self._identity, tuple(key))
        if any(identity != self._identity for identity, _ in _remembered):
            # Another job, or another epoch of this one, used this worker before.
            _remembered.clear()
        memory = _remembered.get(name)
        # Memory of a run that was not committed has moved on from where its repetition begins.
        is_ahead = memory is not None and memory.advanced > emitted
        if memory is None or is_ahead or not self._is_of_this_line(memory, first, following, token):
            memory = _Memory(Shard(self._workload), Rows(self._rows), following=first)
            _remembered[name] = memory
        for number in [n for n in memory.last_ends if n < first]:
            # Another worker has dropped them.
            del memory.last_ends[number]
        self._catch_up(memory, following)
        if memory.advanced < emitted:
            # Windows that another worker has answered are passed over.
            memory.shard.skip(emitted)
            memory.advanced = emitted
        return memory

    def _catch_up(self, memory: _Memory, following: int) -> None:
        """Take in all missing blocks at once: a cold start reads as many as there were batches."""
        if memory.following == following:
            return
        tables = []
        for number in range(memory.following, following):
            stored = self._blocks.getValue((number,))
            if stored is None:
                raise RuntimeError(f"block {number} is missing from the state")
            tables.append(from_bytes(bytes(stored[1])))
            memory.last_ends[number] = last_end(tables[-1])
            memory.token, memory.following = stored[0], number + 1
        memory.shard.ingest(block_from(together(tables), self._workload.lanes))

    def _is_of_this_line(self, memory: _Memory, first: int, following: int, token: str) -> bool:
        """Whether the state has grown out of the one that the memory was built from."""
        if memory.token == token and memory.following == following:
            return True
        latest = memory.following - 1
        if not first <= latest < following:
            return False
        stored = self._blocks.getValue((latest,))
        return stored is not None and stored[0] == memory.token

    def _append(self, memory: _Memory, parts: list[bytes], number: int, token: str, emitted: int) -> None:
        table = together([from_bytes(part) for part in parts])
        block = block_from(table, self._workload.lanes)
        earliest = int(block.ends.min())
        if earliest <= emitted:
            raise RuntimeError(
                f"a fragment that ends at {earliest} came after windows up to {emitted} were answered"
            )
        self._blocks.updateValue((number,), (token, to_bytes(table)))
        memory.shard.ingest(block)
        memory.last_ends[number] = last_end(table)
        memory.token, memory.following = token, number + 1

    def _drop_old(self, memory: _Memory, first: int, following: int, watermark: int) -> int:
        # The newest block stays, empty of use or not: its token is how memory is recognised.
        while first < following - 1 and memory.last_ends[first] <= watermark - self._workload.longest_range:
            self._blocks.removeKey((first,))
            del memory.last_ends[first]
            first += 1
        return first

    def _set_timer(self, due: int | None, timer: int) -> int:
        wanted = NEVER if due is None else due
        if wanted != timer:
            if timer != NEVER and timer in {t * _MILLI for t in self._handle.listTimers()}:
                self._handle.deleteTimer(timer // _MILLI)
            if wanted != NEVER:
                self._handle.registerTimer(wanted // _MILLI)
        return wanted


def _output(*, results: int = 0, data: bytes | None = None, report: str | None = None) -> pd.DataFrame:
    return pd.DataFrame({RESULTS: [results], DATA: [data], REPORT: [report]})
