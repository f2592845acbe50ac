"""How one plan differs from another, as JSON documents."""

from __future__ import annotations

from collections import Counter
from typing import Any

__all__ = ["difference", "is_changed", "reason"]


def is_changed(before: dict[str, Any] | None, after: dict[str, Any]) -> bool:
    """Whether it is another plan, costs left aside."""
    return before is None or _shape(before) != _shape(after)


def reason(before: dict[str, Any] | None, after: dict[str, Any]) -> str:
    """Why the plan is another one, or is not."""
    if not after["trees"]:
        return "the stream has no queries"
    if before is None:
        return "it is the first plan of the stream"
    if not is_changed(before, after):
        return "the same queries share the same trees, which are the cheapest at this rate, too"
    if _places(before).keys() != _places(after).keys():
        return "queries came or went"
    if before.get("requested") != after["requested"]:
        return "it was asked for in another way"
    if before["rate"] != after["rate"]:
        return f"at a rate of {after['rate']:g} per {after['time_unit']} other trees are cheaper"
    return "cheaper trees were found"


def difference(before: dict[str, Any] | None, after: dict[str, Any]) -> dict[str, Any]:
    """Queries that came, went, or share with others of the common queries than before.

    >>> tree = {"id": 1, "queries": ["a", "b"]}
    >>> apart = [{"id": 1, "queries": ["a"]}, {"id": 2, "queries": ["b", "c"]}]
    >>> cost = {"total": 1.0}
    >>> difference({"trees": [tree], "cost": cost}, {"trees": apart, "cost": cost})["moved"]
    ['a', 'b']
    """
    old, new = _places(before) if before else {}, _places(after)
    common = old.keys() & new.keys()
    # A company stays together when it goes from one tree to one tree, and fills it: counted once per tree,
    # as a tree may have ten thousand queries.
    left = Counter(old[key] for key in common)
    arrived = Counter(new[key] for key in common)
    went = Counter((old[key], new[key]) for key in common)
    together = {pair for pair, count in went.items() if count == left[pair[0]] == arrived[pair[1]]}
    return {
        "added": sorted(new.keys() - old.keys()),
        "removed": sorted(old.keys() - new.keys()),
        "moved": sorted(key for key in common if (old[key], new[key]) not in together),
        "cost_before": before["cost"]["total"] if before else None,
        "cost_after": after["cost"]["total"],
    }


def _shape(plan: dict[str, Any]) -> tuple[object, ...]:
    trees = frozenset(frozenset(tree["queries"]) for tree in plan["trees"])
    return plan["optimizer"], plan["technique"], plan["partials"], plan["execution"], trees


def _places(plan: dict[str, Any]) -> dict[str, int]:
    """Each query with the number of its tree."""
    return {key: tree["id"] for tree in plan["trees"] for key in tree["queries"]}
