"""The plan of a configuration: the trees that an optimizer makes, with one technique in all of them."""

from __future__ import annotations

from benchmarks.spark.config import Config
from benchmarks.spark.data import SCHEMA, STEP
from costmodel import AUTO
from optimizer.errors import WeftError
from optimizer.model.plan import Plan, PlannedQuery
from optimizer.model.schema import Column, ColumnType, Schema
from optimizer.model.window import Window
from optimizer.reoptimize import reoptimize
from planner_spark.lanes import lanes_of
from planner_spark.spec import PlanSpec, TreeSpec

__all__ = ["optimized", "plan_of"]

SECOND = 1_000_000


def plan_of(config: Config) -> PlanSpec | None:
    """What the job is to run; None leaves all to it."""
    if config.optimizer is None and config.technique is None:
        return None
    if config.optimizer is None:
        trees = [tuple(range(1, len(config.windows) + 1))]
        execution = "triops"
    else:
        plan = optimized(config)
        trees = [tuple(int(name) for name in tree.queries) for tree in plan.trees]
        execution = plan.execution
    techniques = {} if config.technique is None else dict.fromkeys(_lanes(config), config.technique)
    return PlanSpec(
        execution=execution,
        trees=tuple(
            TreeSpec(id=number, queries=queries, techniques=techniques)
            for number, queries in enumerate(trees, start=1)
        ),
    )


def optimized(config: Config) -> Plan:
    """The optimizer's plan for the windows, with the technique's own formula where there is one for this workload."""
    queries = [
        PlannedQuery.named(
            str(number),
            "bench",
            Window(range=window.range * SECOND, slide=window.slide * SECOND),
            config.aggregates,
            group_by=("key",),
        )
        for number, window in enumerate(config.windows, start=1)
    ]
    optimizer = config.optimizer or "auto"

    def plan(technique: str) -> Plan:
        improve = optimizer == "auto"
        return reoptimize(queries, SECOND / STEP, optimizer=optimizer, technique=technique, improve=improve)

    if config.technique is None:
        return plan(AUTO.name)
    try:
        return plan(config.technique)
    except WeftError:
        # One that serves sums only, say, or one that the papers have no formula for.
        return plan(AUTO.name)


def _lanes(config: Config) -> list[str]:
    schema = Schema(columns=tuple(Column(name=name, type=ColumnType.parse(kind)) for name, kind in SCHEMA))
    return [lane.name for lane in lanes_of(config.aggregates, schema)]
