"""Why a query is where it is: its tree, its company, what it adds and what sharing saves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from optimizer.assemble import Calculator
from optimizer.errors import InvalidInput
from optimizer.model.plan import Plan, PlannedQuery, Tree
from optimizer.model.window import Unit, Window

__all__ = ["added_cost", "explain_query", "explain_text"]

SHOWN = 20
"""Co-members that the text names; the rest is counted."""
SECONDS = {"1s": 1.0, "1ms": 0.001}
"""The length of each time unit."""


def added_cost(plan: Plan, query: PlannedQuery) -> float:
    """What the plan would cost more, per its time unit, with one more query in its first tree."""
    members = [m for t in plan.trees for m in t.members]
    calculator = _calculator(plan, [*members, query])
    groups = [{m.window for m in t.members} for t in plan.trees] or [set()]
    # A query with a finer window is counted in a finer unit than the plan.
    scale = SECONDS[plan.time_unit] / SECONDS[calculator.units.name]
    return _marginal(groups, 0, query.window, calculator) * scale


def explain_query(plan: Plan, query_id: str) -> dict[str, Any]:
    """A query's place in the plan, in operations per time unit of the plan.

    ``marginal_cost`` is the cost with the query minus the cost without it, ``alone_cost`` what it would cost
    in a tree of its own, ``saved_by_sharing`` their difference.
    """
    tree = plan.tree_of(query_id)
    if tree is None:
        raise InvalidInput.at("id", f"{query_id[:100]!r} is not in the plan")
    query = next(m for m in tree.members if m.id == query_id)
    others = [m for m in tree.members if m.id != query_id]
    calculator = _calculator(plan, [m for t in plan.trees for m in t.members])
    groups = [{m.window for m in t.members if m.id != query_id} for t in plan.trees]
    marginal = _marginal(groups, tree.id - 1, query.window, calculator)
    alone = calculator.two_ops([calculator.alone(query.window)])
    twins = [m.id for m in others if m.window == query.window]
    return {
        "query": query_id,
        "plan": plan.id,
        "optimizer": plan.optimizer,
        "execution": plan.execution,
        "time_unit": plan.time_unit,
        "tree": tree.id,
        "window": str(query.window),
        "co_members": [m.id for m in others],
        "same_window": twins,
        "shared": bool(others),
        "reason": _reason(plan, query, others, twins),
        "marginal_cost": marginal,
        "alone_cost": alone,
        "saved_by_sharing": alone - marginal,
        "tree_edge_rate": tree.edge_rate,
        "tree_cost": tree.cost,
    }


def explain_text(plan: Plan, query_id: str) -> str:
    """The same in plain words."""
    found = explain_query(plan, query_id)
    tree = plan.trees[found["tree"] - 1]
    shown = ", ".join(found["co_members"][:SHOWN]) or "no other query"
    more = len(found["co_members"]) - SHOWN
    return "\n".join(
        [
            f"Query {query_id}: window {found['window']}",
            f"  tree {tree.id} of {len(plan.trees)} in plan {plan.id} ({plan.optimizer}, {plan.execution})",
            f"  with {shown}" + (f" and {more} more" if more > 0 else ""),
            f"  why: {found['reason']}",
            f"  its edges: {_edges(tree)}, {plan.partials} fragments",
            f"  marginal cost   {found['marginal_cost']:.6g} operations per {plan.time_unit}",
            f"  cost alone      {found['alone_cost']:.6g}",
            f"  saved           {found['saved_by_sharing']:.6g}",
            "",
        ]
    )


def _calculator(plan: Plan, queries: Sequence[PlannedQuery]) -> Calculator:
    return Calculator(
        queries,
        rate=plan.rate / SECONDS[plan.time_unit],
        stream=plan.stream,
        technique=plan.technique,
        partials=plan.partials,
        execution=plan.execution,
    )


def _marginal(groups: list[set[Window]], tree: int, window: Window, calculator: Calculator) -> float:
    """The cost with the window in that tree minus the cost without it."""
    if window in groups[tree]:
        # It is computed once for both queries.
        return 0.0
    grown = [g | {window} if number == tree else g for number, g in enumerate(groups)]
    return calculator.total(grown) - calculator.total(groups)


def _reason(plan: Plan, query: PlannedQuery, others: list[PlannedQuery], twins: list[str]) -> str:
    if not others:
        return "it is the only query of its tree, so that there is nothing to share"
    if twins:
        return f"{len(twins)} other queries of the tree have the same window, so that it costs nothing more"
    if plan.optimizer == "shared":
        return "the optimizer puts all queries of a stream in one tree, so that each tuple is aggregated once"
    unit = "tuples" if query.window.unit is Unit.TUPLES else "time"
    return f"its edges weave with those of {len(others)} other queries by {unit} at a lower total cost"


def _edges(tree: Tree) -> str:
    if tree.edges is None:
        bound = f" within {tree.edge_rate_error:.2g}" if tree.edge_rate_error is not None else ""
        return f"{tree.edge_rate:.6g} per unit{bound}"
    return f"{tree.edges} per {tree.composite_slide} units"
