"""An explanation in plain words."""

from __future__ import annotations

from typing import Any

__all__ = ["explain_text"]

SHOWN = 20
"""Co-members that the text names; the rest is counted."""


def explain_text(found: dict[str, Any]) -> str:
    """The words for what `explain_query` found, with the merges of `merges_of` where they are in it."""
    per = f"operations per {found['time_unit']}"
    lines = [
        f"Query {found['query']}: window {found['window']}",
        f"  tree {found['tree']} in plan {found['plan']} ({found['optimizer']}, {found['execution']})",
        f"  with {_named(found['co_members'])}",
        f"  why: {found['reason']}",
        f"  its edges: {found['tree_edges']}; technique {found['tree_technique']}",
        f"  marginal cost   {found['marginal_cost']:.6g} {per}",
        f"  cost alone      {found['alone_cost']:.6g}",
        f"  saved           {found['saved_by_sharing']:.6g}",
    ]
    for place in found["alternatives"]:
        name = "a tree of its own" if place["tree"] is None else f"tree {place['tree']}"
        lines.append(f"  in {name} the plan would cost {place['added_cost']:.6g} more")
    for number, merge in enumerate(found.get("merges", ()), start=1):
        lines.append(f"  merge {number} gained {merge['gain']:.6g}: {_named(merge['joined'])} joined")
    return "\n".join([*lines, ""])


def _named(ids: list[str]) -> str:
    more = len(ids) - SHOWN
    return (", ".join(ids[:SHOWN]) or "no other query") + (f" and {more} more" if more > 0 else "")
