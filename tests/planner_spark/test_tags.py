"""Tags of sub-aggregations: each tuple of a query is in exactly one of those that its windows are combined from."""

from __future__ import annotations

from planner_spark.spec import PlanSpec, TreeSpec
from planner_spark.tags import SHARED, Tags, give_tags


def plan(execution: str, *trees: tuple[int, ...]) -> PlanSpec:
    numbered = (TreeSpec(id=number, queries=queries) for number, queries in enumerate(trees, start=1))
    return PlanSpec(execution=execution, trees=tuple(numbered))


def test_t09_all_trees_of_triops_read_the_shared_sub_aggregation():
    tags = give_tags(Tags(), plan("triops", (1, 2), (3,)))
    assert set(tags.of_tree.values()) == {SHARED}
    assert tags.of_query == {1: {SHARED}, 2: {SHARED}, 3: {SHARED}}


def test_t08_a_tree_of_twoops_keeps_its_tag_while_its_queries_stay():
    first = give_tags(Tags(), plan("twoops", (1, 2), (3,)))
    second = give_tags(first, plan("twoops", (3,), (1, 2)))
    assert second.of_tree == {1: first.of_tree[2], 2: first.of_tree[1]}
    assert second.of_query == first.of_query


def test_t11_a_query_that_moves_reads_the_tree_it_was_in_and_the_one_it_is_in():
    first = give_tags(Tags(), plan("twoops", (1, 2), (3,)))
    second = give_tags(first, plan("twoops", (1,), (2, 3)))
    assert not set(second.of_tree.values()) & set(first.of_tree.values())
    assert second.of_query[2] == {first.of_tree[1], second.of_tree[2]}
    assert second.of_query[3] == {first.of_tree[2], second.of_tree[2]}
    third = give_tags(second, plan("triops", (1, 2, 3)))
    assert third.of_query[1] == {first.of_tree[1], second.of_tree[1], SHARED}


def test_a_note_tells_all_of_it():
    tags = give_tags(give_tags(Tags(), plan("twoops", (1, 2), (3,))), plan("twoops", (1,), (2, 3)))
    assert Tags.parse(tags.note()).note() == tags.note()
