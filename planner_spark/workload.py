"""A job specification as the kernels see it: trees with their edges, queries and techniques."""

from __future__ import annotations

from collections.abc import Iterable

from optimizer.edges.classes import PartialsRule, ResidueClass, classes_of, reduce_classes
from optimizer.model.schema import ColumnType, Schema
from optimizer.model.window import Window
from planner_spark.admission import Admission
from planner_spark.kernels.answers import Lowering, slots_of
from planner_spark.kernels.workload import Query, Tree, Workload
from planner_spark.lanes import lanes_of
from planner_spark.shape import group_columns
from planner_spark.spec import JobSpec, QuerySpec, TreeSpec

__all__ = ["edges_of", "workload_of"]


def workload_of(spec: JobSpec, admission: Admission) -> Workload:
    """The plan in force over the job's queries."""
    schema = spec.stream.columns
    attributes = [column.name for column in group_columns(spec)]
    queries = {q.number: _query(q, schema, attributes, admission.predicates) for q in spec.queries}
    plan = spec.plan_in_force
    return Workload(
        trees=tuple(
            each
            for tree in plan.trees
            for each in _trees(tree, edges_of(spec, tree.queries, plan.partials), queries, admission)
        ),
        lanes=lanes_of([pair for query in spec.queries for pair in query.aggregates], schema),
    )


def edges_of(spec: JobSpec, numbers: Iterable[int], partials: PartialsRule) -> tuple[ResidueClass, ...]:
    """The classes of edges of those queries' windows."""
    wanted = set(numbers)
    windows = [Window(range=q.range, slide=q.slide) for q in spec.queries if q.number in wanted]
    return reduce_classes([c for window in windows for c in classes_of(window, partials=partials)])


def _trees(
    tree: TreeSpec, edges: tuple[ResidueClass, ...], queries: dict[int, Query], admission: Admission
) -> list[Tree]:
    """The tree, in parts where its queries' tuples went through unlike sub-aggregations before."""
    by_tags: dict[frozenset[int], list[Query]] = {}
    for number in tree.queries:
        by_tags.setdefault(admission.tags.of_query[number], []).append(queries[number])
    return [
        Tree(
            number=tree.id,
            tags=tags,
            classes=tuple((edge.residue, edge.modulus) for edge in edges),
            queries=tuple(members),
            techniques=tree.techniques,
        )
        for tags, members in by_tags.items()
    ]


def _query(spec: QuerySpec, schema: Schema, attributes: list[str], predicates: tuple[str, ...]) -> Query:
    lowerings = tuple(
        Lowering(
            function=function,
            column=column,
            type=ColumnType.parse("long") if column == "*" else schema.column(column, field="column").type,
        )
        for function, column in spec.aggregates
    )
    return Query(
        number=spec.number,
        window_range=spec.range,
        slide=spec.slide,
        lowerings=lowerings,
        bit=None if spec.where is None else predicates.index(spec.where),
        columns=tuple(attributes.index(name) for name in spec.group_by),
        active_from=spec.active_from,
        slots=slots_of([lowering.result_type for lowering in lowerings]),
    )
