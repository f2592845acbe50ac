"""A job without Spark: sub-aggregation by dictionaries, then the real shard, kernels and rows.

It takes milliseconds where Spark takes seconds, so whole matrices of plans can be run. Tuples have an event time, a
key, and a number; predicates are told by the bits that a tuple satisfies.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import numpy as np

from planner_spark.admission import Admission
from planner_spark.kernels.shard import Shard
from planner_spark.kernels.workload import Block, Workload
from planner_spark.shape import group_columns
from planner_spark.sinks.rows import RowFormat, Rows
from planner_spark.spec import JobSpec, PlanSpec, QuerySpec, StreamSpec
from planner_spark.tags import SHARED, Tags, give_tags
from planner_spark.workload import edges_of, workload_of

SCHEMA = (("ts", "timestamp"), ("k", "string"), ("n", "int"))
FAR = 1 << 60


@dataclass(frozen=True)
class Tuple:
    at: int
    key: str
    number: int
    satisfies: tuple[int, ...] = ()


def spec_of(queries: Sequence[QuerySpec], plan: PlanSpec | None = None) -> JobSpec:
    stream = StreamSpec(
        name="t", source={"kind": "files"}, schema=SCHEMA, event_time="ts", watermark=0, rate=1.0
    )
    return JobSpec(home="", generation=1, epoch=1, stream=stream, queries=tuple(queries), plan=plan)


class Simulation:
    """One shard that answers the queries of a specification; ``batches`` of tuples come with their watermarks."""

    def __init__(self, spec: JobSpec) -> None:
        wheres = [query.where for query in spec.queries if query.where is not None]
        self.admission = Admission(
            predicates=tuple(dict.fromkeys(wheres)), tags=give_tags(Tags(), spec.plan_in_force)
        )
        self.spec = spec
        self.workload: Workload = workload_of(spec, self.admission)
        self.shard = Shard(self.workload)
        self._rows = Rows(RowFormat.of(self.workload.queries, group_columns(spec), epoch=1))
        self._open: dict[tuple[int, int, str, int], list[int]] = {}
        self._emitted = -FAR
        self.answers: dict[int, dict[tuple[datetime, Any], tuple[Any, ...]]] = {
            query.number: {} for query in spec.queries
        }

    @property
    def work(self) -> dict[str, float]:
        return self.shard.work()

    def batch(self, tuples: Sequence[Tuple], watermark: int) -> None:
        """Take in tuples, then close what the watermark has passed."""
        for tag, classes in self._sub_aggregations():
            for each in tuples:
                end = min(each.at + c.modulus - (each.at - c.residue) % c.modulus for c in classes)
                bits = sum(1 << bit for bit in each.satisfies)
                self._open.setdefault((end, tag, each.key, bits), []).append(each.number)
        closed = sorted(cell for cell in self._open if cell[0] <= watermark)
        if closed:
            self.shard.ingest(self._block(closed))
        found = self.shard.advance(after=self._emitted, until=watermark)
        for table in self._rows.tables(found):
            for row in table.to_pylist():
                self._note(row)
        self.shard.forget(watermark)
        self._emitted = watermark

    def _sub_aggregations(self) -> list[tuple[int, tuple[Any, ...]]]:
        plan = self.spec.plan_in_force
        if plan.execution == "triops":
            numbers = [query.number for query in self.spec.queries]
            return [(SHARED, edges_of(self.spec, numbers, plan.partials))]
        return [
            (self.admission.tags.of_tree[tree.id], edges_of(self.spec, tree.queries, plan.partials))
            for tree in plan.trees
        ]

    def _block(self, closed: list[tuple[int, int, str, int]]) -> Block:
        keys = sorted({cell[2] for cell in closed})
        numbers = [self._open.pop(cell) for cell in closed]
        partials = {
            "count:*": [len(each) for each in numbers],
            "count:n": [len(each) for each in numbers],
            "sum:n": [sum(each) for each in numbers],
            "min:n": [min(each) for each in numbers],
            "max:n": [max(each) for each in numbers],
        }
        return Block(
            tags=np.array([cell[1] for cell in closed]),
            ends=np.array([cell[0] for cell in closed]),
            keys=[json.dumps([key] if group_columns(self.spec) else []) for key in keys],
            key_codes=np.array([keys.index(cell[2]) for cell in closed]),
            signatures=np.array([[cell[3]] for cell in closed]),
            signature_codes=np.arange(len(closed)),
            partials={
                field.name: np.array(partials[field.name])
                for lane in self.workload.lanes
                for field in lane.fields
            },
        )

    def _note(self, row: dict[str, Any]) -> None:
        query = next(q for q in self.workload.queries if q.number == row["query"])
        key = (row["window_start"], row.get("g_k"))
        assert key not in self.answers[query.number], f"repeated: {query} {key}"
        self.answers[query.number][key] = tuple(row[slot] for slot in query.slots)


def naive(queries: Sequence[QuerySpec], tuples: Sequence[Tuple], *, start: datetime) -> dict[int, dict]:
    """Every window of every query anew from the tuples (row T-02)."""
    wheres = list(dict.fromkeys(query.where for query in queries if query.where is not None))
    return {query.number: _naive(query, wheres, tuples, start) for query in queries}


def _naive(query: QuerySpec, wheres: list[str], tuples: Sequence[Tuple], start: datetime) -> dict:
    windows: dict[tuple[datetime, Any], list[int]] = {}
    for each in tuples:
        if query.where is not None and wheres.index(query.where) not in each.satisfies:
            continue
        first = (each.at - query.range) // query.slide + 1
        for k in range(first, each.at // query.slide + 1):
            key = (start + timedelta(microseconds=k * query.slide), each.key if query.group_by else None)
            windows.setdefault(key, []).append(each.number)
    functions = {"count": len, "sum": sum, "min": min, "max": max}
    return {
        key: tuple(functions[function](numbers) for function, _ in query.aggregates)
        for key, numbers in windows.items()
    }
