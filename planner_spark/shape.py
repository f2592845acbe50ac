"""The shape of a job: what must stay the same for a checkpoint to be resumed.

Spark's state has columns for every grouping attribute and every lane, and a fixed number of shards whose keys are
hashed by certain columns. Edges, predicates and windows may change under it; these may not.
"""

from __future__ import annotations

from typing import Any

from optimizer.model.schema import Column
from planner_spark.lanes import lanes_of
from planner_spark.spec import JobSpec

__all__ = ["differences", "group_columns", "shape_of", "shard_columns"]

FORMAT = 2
"""Version of the state's own format; raise it when blocks or bookkeeping change."""


def group_columns(spec: JobSpec) -> tuple[Column, ...]:
    """The union of all queries' grouping attributes: sub-aggregation groups by these."""
    schema = spec.stream.columns
    names = sorted({name for query in spec.queries for name in query.group_by})
    return tuple(schema.column(name, field="group_by") for name in names)


def shard_columns(spec: JobSpec) -> tuple[Column, ...]:
    """The attributes that every query groups by: keys that any query adds up must meet in one shard."""
    common = set.intersection(*(set(query.group_by) for query in spec.queries))
    return tuple(column for column in group_columns(spec) if column.name in common)


def shape_of(spec: JobSpec) -> dict[str, Any]:
    """The shape, comparable with ``==`` and fit for JSON."""
    schema = spec.stream.columns
    lanes = lanes_of([pair for query in spec.queries for pair in query.aggregates], schema)
    return {
        "format": FORMAT,
        "source": spec.stream.source["kind"],
        "event_time": spec.stream.event_time,
        "schema": [f"{name} {kind}" for name, kind in spec.stream.schema],
        "group_columns": [f"{c.name} {c.type}" for c in group_columns(spec)],
        "shard_columns": [c.name for c in shard_columns(spec)],
        "lanes": [lane.name for lane in lanes],
        "shards": spec.shards,
    }


_MEANING = {
    "format": "the format of the state",
    "source": "the kind of source",
    "event_time": "the event-time column",
    "schema": "the stream's schema",
    "group_columns": "the grouping attributes of all queries",
    "shard_columns": "the grouping attributes that all queries share",
    "lanes": "the measured columns and operations",
    "shards": "the number of shards",
}


def differences(old: dict[str, Any], new: dict[str, Any]) -> list[str]:
    """What differs, in words; empty when a checkpoint of the old shape can be resumed with the new one.

    >>> differences({"shards": 2}, {"shards": 4})
    ['the number of shards was 2 and would be 4']
    """
    return [
        f"{meaning} was {_show(old.get(name))} and would be {_show(new.get(name))}"
        for name, meaning in _MEANING.items()
        if old.get(name) != new.get(name)
    ]


def _show(value: Any) -> str:
    return ", ".join(value) or "none" if isinstance(value, list) else str(value)
