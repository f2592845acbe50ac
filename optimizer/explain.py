"""Why a query is where it is: its tree, its company, what it adds, what sharing saves, and what else was possible."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from costmodel import running_aggregates
from costmodel.summaries import IntArray
from optimizer.assemble import Calculator
from optimizer.edges.space import atom_of
from optimizer.errors import InvalidInput
from optimizer.model.plan import Plan, PlannedQuery, Tree
from optimizer.task import Task
from optimizer.workload import ANY_SCOPE, Workload

__all__ = ["added_cost", "explain_query", "task_of"]

WEIGHED = 200
"""Other trees that a query is weighed against; of more, those of the most similar edge rate."""
SHOWN = 5
"""Alternatives that are named."""
COUNTED = 100
"""Windows of a tree up to which its running aggregates are counted, by walking through the composite slide."""
SECONDS = {"1s": 1.0, "1ms": 0.001, "1": 1.0}
"""The length of each time unit; an abstract one is what rates are per."""


def task_of(plan: Plan, more: Sequence[PlannedQuery] = ()) -> Task:
    """The task that a plan is for, perhaps with more queries."""
    members = [m for tree in plan.trees for m in tree.members]
    return Task.of(
        [*members, *more],
        plan.rate / SECONDS[plan.time_unit],
        stream=plan.stream,
        technique=plan.requested.technique,
        partials=plan.partials,
        execution=plan.execution,
    )


def added_cost(plan: Plan, query: PlannedQuery) -> float:
    """What the plan would cost more, per its time unit, with one more query where that costs least."""
    task = task_of(plan, [query])
    workload, calculator = task.workload, task.calculator
    trees = _trees(plan, workload)
    item = int(workload.item_of[-1])
    before = calculator.total(trees)
    # A query with a finer window is counted in a finer unit than the plan.
    scale = SECONDS[plan.time_unit] / SECONDS[workload.units.name]
    if any(item in tree for tree in trees):
        return 0.0
    grown = [np.append(trees[other], item) for other in _others(workload, trees, item, None)]
    if plan.requested.optimizer == "shared" and trees:
        grown = [np.append(trees[0], item)]
    if plan.requested.optimizer != "shared" or not trees:
        grown.append(np.array([item]))
    weaved = [calculator.weave(tree) for tree in trees]
    everything = np.append(np.concatenate(trees), item) if trees else np.array([item])
    totals = []
    for tree in grown:
        kept = [w for w, old in zip(weaved, trees, strict=True) if not (len(tree) > 1 and tree[0] == old[0])]
        totals.append(calculator.total_of(everything, [*kept, calculator.weave(tree)]))
    return (min(totals) - before) * scale


def explain_query(plan: Plan, query_id: str) -> dict[str, Any]:
    """A query's place in the plan, in operations per time unit of the plan.

    ``marginal_cost`` is the cost with the query minus the cost without it, ``alone_cost`` what it would cost
    in a tree of its own, ``saved_by_sharing`` their difference. ``alternatives`` are other trees, and what the plan
    would cost more with the query in them.
    """
    tree = plan.tree_of(query_id)
    if tree is None:
        raise InvalidInput.at("id", f"{query_id[:100]!r} is not in the plan")
    query = next(m for m in tree.members if m.id == query_id)
    others = [m for m in tree.members if m.id != query_id]
    twins = [m.id for m in others if m.window == query.window]
    task = task_of(plan)
    calculator, workload = task.calculator, task.workload
    trees = _trees(plan, workload)
    item = int(workload.item_of[[q.id for q in workload.queries].index(query_id)])
    rest = [items[items != item] if number == tree.id - 1 else items for number, items in enumerate(trees)]
    # A window that another query has, too, is computed once for both.
    marginal = 0.0 if twins else calculator.total(trees) - calculator.total(rest)
    alone = float(calculator.alone()[item])
    alternatives = _alternatives(plan, calculator, trees, tree.id - 1, item)
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
        "reason": _reason(plan, query, others, twins, alternatives),
        "marginal_cost": marginal,
        "alone_cost": alone,
        "saved_by_sharing": alone - marginal,
        "tree_edge_rate": tree.edge_rate,
        "tree_edges": _edges(tree),
        "tree_cost": tree.cost,
        "tree_technique": tree.technique,
        "tree_running_aggregates": _running_aggregates(calculator, trees[tree.id - 1]),
        "alternatives": alternatives,
    }


def _trees(plan: Plan, workload: Workload) -> list[IntArray]:
    """The items of each tree."""
    item_of = dict(zip((q.id for q in workload.queries), workload.item_of.tolist(), strict=True))
    return [np.unique([item_of[m.id] for m in tree.members]) for tree in plan.trees]


def _others(workload: Workload, trees: Sequence[IntArray], item: int, here: int | None) -> list[int]:
    """Trees that a query may join: those that measure the same columns, or none."""
    scope = workload.items.scope
    found = []
    for number, items in enumerate(trees):
        named = scope[items][scope[items] > ANY_SCOPE]
        if number != here and (scope[item] == ANY_SCOPE or (named == scope[item]).all()):
            found.append(number)
    return found


def _alternatives(
    plan: Plan, calculator: Calculator, trees: Sequence[IntArray], here: int, item: int
) -> list[dict[str, Any]]:
    """The best other places of a query: trees by number, None for a tree of its own."""
    others = _others(calculator.workload, trees, item, here)
    own = plan.trees[here].edge_rate
    others = sorted(others, key=lambda number: abs(plan.trees[number].edge_rate - own))[:WEIGHED]
    weaved = [calculator.weave(tree) for tree in trees]
    everything = np.concatenate(trees)
    now = calculator.total_of(everything, weaved)
    rest = trees[here][trees[here] != item]
    left = [calculator.weave(rest)] if len(rest) else []
    places: list[int | None] = [*others, None] if len(rest) else [*others]
    found = []
    for place in places:
        kept = [w for number, w in enumerate(weaved) if number not in (here, place)]
        grown = np.append(trees[place], item) if place is not None else np.array([item])
        total = calculator.total_of(everything, [*kept, *left, calculator.weave(np.unique(grown))])
        found.append({"tree": None if place is None else place + 1, "added_cost": total - now})
    return sorted(found, key=lambda each: (each["added_cost"], each["tree"] or 0))[:SHOWN]


def _reason(
    plan: Plan,
    query: PlannedQuery,
    others: list[PlannedQuery],
    twins: list[str],
    alternatives: list[dict[str, Any]],
) -> str:
    best = alternatives[0] if alternatives else None
    per = f"operations per {plan.time_unit}"
    if not others:
        alone = "it is the only query of its tree"
        if plan.optimizer == "no_share":
            return f"{alone}, as the optimizer shares nothing"
        if best is None:
            return f"{alone}: no other query measures the same columns, so that there is nothing to share"
        place = f"the best other one, tree {best['tree']}"
        return f"{alone}: in {place}, the plan would cost {best['added_cost']:.6g} {per} more"
    if twins:
        return f"{len(twins)} other queries of the tree have the same window, so that it costs nothing more"
    if plan.optimizer == "shared":
        return "the optimizer puts all queries of a stream in one tree, so that each tuple is aggregated once"
    weaves = f"its edges weave with those of {len(others)} other queries"
    if best is None:
        return f"{weaves}, all that there are"
    place = "a tree of its own" if best["tree"] is None else f"tree {best['tree']}"
    return (
        f"{weaves}: in {place}, the next best place, the plan would cost {best['added_cost']:.6g} {per} more"
    )


def _running_aggregates(calculator: Calculator, tree: IntArray) -> int | None:
    """How many running aggregates SlickDeque (Inv) really keeps, which its formula takes to be the distinct ranges."""
    items = calculator.workload.items
    if len(tree) > COUNTED:
        return None
    ranges, slides = items.ranges[tree], items.slides[tree]
    classes = set(atom_of(ranges, slides, calculator.partials).all_classes())
    windows = zip(ranges.tolist(), slides.tolist(), strict=True)
    return running_aggregates(windows, [(c.residue, c.modulus) for c in classes])


def _edges(tree: Tree) -> str:
    if tree.edges is None:
        bound = f" within {tree.edge_rate_error:.2g}" if tree.edge_rate_error is not None else ""
        return f"{tree.edge_rate:.6g} per unit{bound}"
    return f"{tree.edges} per {tree.composite_slide} units"
