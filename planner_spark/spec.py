"""The job specification: all that a driver process needs to know, as one JSON file.

The service writes it, `python -m planner_spark` reads it; nothing else passes from the one to the other. Queries are
canonical ACQs: aggregates as (function, column) pairs in canonical order, where ``*`` stands for count(*).
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from optimizer.edges.classes import PartialsRule
from optimizer.model.schema import Column, ColumnType, Schema

__all__ = ["JobSpec", "PlanSpec", "QuerySpec", "StreamSpec", "TreeSpec"]


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamSpec:
    """A stream's definition; durations in microseconds."""

    name: str
    source: dict[str, Any]
    schema: tuple[tuple[str, str], ...]
    event_time: str
    watermark: int
    rate: float
    idle_heartbeat: int | None = None

    @property
    def columns(self) -> Schema:
        """The schema with its types."""
        return Schema(columns=tuple(Column(name=n, type=ColumnType.parse(t)) for n, t in self.schema))

    @property
    def bounded(self) -> bool:
        """Whether the files that are there are all there is."""
        return bool(self.source.get("bounded"))


@dataclass(frozen=True, slots=True, kw_only=True)
class QuerySpec:
    """A canonical ACQ and its number in result rows; ``active_from`` in microseconds, None for ever."""

    number: int
    range: int
    slide: int
    aggregates: tuple[tuple[str, str], ...]
    where: str | None = None
    group_by: tuple[str, ...] = ()
    active_from: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TreeSpec:
    """An execution tree: its queries by number, and the technique of each lane by the lane's name."""

    id: int
    queries: tuple[int, ...]
    techniques: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanSpec:
    """The plan that a job runs: ``execution`` is ``triops`` or ``twoops``, ``partials`` is ``pairs`` or ``panes``."""

    execution: str = "triops"
    partials: PartialsRule = "pairs"
    trees: tuple[TreeSpec, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class JobSpec:
    """One generation of a stream's job: where it lives, what it reads, what it answers.

    ``home`` is the generation's folder; it holds ``job.json`` (this file), ``manifest.json`` (shape and versions),
    ``driver.lock``, ``status.json``, ``driver.log``, ``checkpoint/``, ``control/`` (heartbeats) and ``results/``.
    ``lease`` is a file that the service touches while it lives: a driver whose service is long gone stops.
    """

    home: str
    generation: int
    epoch: int
    stream: StreamSpec
    queries: tuple[QuerySpec, ...]
    shards: int = 2
    master: str = "local[*]"
    spark_conf: dict[str, str] = field(default_factory=dict)
    trigger: int = 1_000_000
    lease: str | None = None
    retain_age: int | None = None
    retain_bytes: int | None = None
    plan: PlanSpec | None = None
    """None puts all queries into one tree."""

    @property
    def plan_in_force(self) -> PlanSpec:
        """The plan that is run."""
        if self.plan is not None:
            return self.plan
        return PlanSpec(trees=(TreeSpec(id=1, queries=tuple(query.number for query in self.queries)),))

    def write(self, path: Path) -> None:
        """Write the specification as JSON, whole or not at all."""
        partial = path.with_suffix(".tmp")
        partial.write_text(json.dumps(asdict(self), indent=1))
        partial.replace(path)

    @classmethod
    def read(cls, path: Path) -> JobSpec:
        """The specification in that file."""
        return cls.parse(json.loads(path.read_text()))

    @classmethod
    def parse(cls, raw: dict[str, Any]) -> JobSpec:
        """The specification that `dataclasses.asdict` and a round trip through JSON made of one."""
        raw = dict(raw)
        stream = dict(raw.pop("stream"))
        stream["schema"] = tuple((n, t) for n, t in stream["schema"])
        queries = tuple(
            QuerySpec(
                **{
                    **q,
                    "aggregates": tuple((f, c) for f, c in q["aggregates"]),
                    "group_by": tuple(q["group_by"]),
                }
            )
            for q in raw.pop("queries")
        )
        plan = raw.pop("plan", None)
        return cls(stream=StreamSpec(**stream), queries=queries, plan=_plan(plan), **raw)


def _plan(raw: dict[str, Any] | None) -> PlanSpec | None:
    if raw is None:
        return None
    trees = tuple(TreeSpec(**{**tree, "queries": tuple(tree["queries"])}) for tree in raw["trees"])
    return PlanSpec(**{**raw, "trees": trees})
