"""Tags: which sub-aggregation a fragment came out of, so that no tuple is ever counted twice.

Under TriOps one sub-aggregation serves all trees; its tag is 0. Under TwoOps each tree has its own (doc 000 II-B),
and its fragments hold every tuple once more. A window that spans a change of plan is combined from the fragments of
the sub-aggregation that its query belonged to before, and of the one that it belongs to now: each tuple is in one of
them, because a tag is written only as long as the tree's queries are the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from planner_spark.spec import PlanSpec

__all__ = ["SHARED", "Tags", "give_tags"]

SHARED = 0
"""The tag of the one sub-aggregation of TriOps."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tags:
    """The tag of each tree by its id, and by each query's number all tags that hold tuples of it."""

    of_tree: Mapping[int, int] = field(default_factory=dict)
    of_query: Mapping[int, frozenset[int]] = field(default_factory=dict)
    members: Mapping[int, tuple[int, ...]] = field(default_factory=dict)
    """By tag, the queries of its tree."""
    next: int = SHARED + 1

    @classmethod
    def parse(cls, note: dict[str, Any]) -> Tags:
        """The tags that a note tells of."""
        return cls(
            of_tree={int(tree): tag for tree, tag in note["of_tree"].items()},
            of_query={int(number): frozenset(tags) for number, tags in note["of_query"].items()},
            members={int(tag): tuple(numbers) for tag, numbers in note["members"].items()},
            next=note["next"],
        )

    def note(self) -> dict[str, Any]:
        """The tags, fit for JSON."""
        return {
            "of_tree": dict(self.of_tree),
            "of_query": {number: sorted(tags) for number, tags in self.of_query.items()},
            "members": {tag: list(numbers) for tag, numbers in self.members.items()},
            "next": self.next,
        }


def give_tags(known: Tags, plan: PlanSpec) -> Tags:
    """The tags for a plan: a tree whose queries are the same goes on with its tag, another one gets a new one.

    >>> from planner_spark.spec import TreeSpec
    >>> plan = PlanSpec(execution="twoops", trees=(TreeSpec(id=1, queries=(7, 8)), TreeSpec(id=2, queries=(9,))))
    >>> dict(give_tags(Tags(), plan).of_tree)
    {1: 1, 2: 2}
    """
    if plan.execution == "triops":
        of_tree = {tree.id: SHARED for tree in plan.trees}
        members: dict[int, tuple[int, ...]] = {}
        following = known.next
    else:
        by_members = {numbers: tag for tag, numbers in known.members.items()}
        following = known.next
        of_tree, members = {}, {}
        for tree in plan.trees:
            numbers = tuple(sorted(tree.queries))
            tag = by_members.get(numbers, following)
            following = max(following, tag + 1)
            of_tree[tree.id], members[tag] = tag, numbers
    of_query = {
        number: known.of_query.get(number, frozenset()) | {of_tree[tree.id]}
        for tree in plan.trees
        for number in tree.queries
    }
    return Tags(of_tree=of_tree, of_query=of_query, members=members, next=following)
