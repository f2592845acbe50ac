"""A plan of the optimizer as a job runs it: canonical queries by number, kernels by lane (doc 000 III-B, row T-11)."""

from __future__ import annotations

from collections.abc import Mapping

from optimizer.errors import Unsupported
from optimizer.model.plan import Plan, Tree
from planner_spark.kernels.techniques import find_kernel
from planner_spark.spec import PlanSpec, TreeSpec

__all__ = ["plan_spec"]

_CORRECTED = "_harmonic"
"""Ends the name of a formula that is another one's correction: it costs the same kernel."""


def plan_spec(plan: Plan, numbers: Mapping[str, int]) -> PlanSpec:
    """The plan over canonical queries; ``numbers`` has the number of each query by its id.

    Queries that are the same have one number, and are answered once, in the first tree that has one of them.
    """
    if plan.partials == "cutty":
        raise Unsupported.at(
            "partials", "cutty reads open fragments, which Spark does not show: use pairs or panes"
        )
    placed: set[int] = set()
    trees = []
    for tree in plan.trees:
        own = dict.fromkeys(numbers[query] for query in tree.queries)
        members = tuple(number for number in own if number not in placed)
        placed.update(members)
        if members:
            trees.append(TreeSpec(id=tree.id, queries=members, techniques=_techniques(tree)))
    return PlanSpec(execution=plan.execution, partials=plan.partials, trees=tuple(trees))


def _techniques(tree: Tree) -> dict[str, str]:
    """The kernel of each lane; a lane beside the plan's own gets the one that serves it best."""
    named = {
        f"{lane.operation}:{lane.column}": technique.removesuffix(_CORRECTED)
        for lane, technique in tree.lane_techniques
    }
    return {lane: technique for lane, technique in named.items() if find_kernel(technique) is not None}
