"""The work of a job as it is shown: operations by level and tree."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["limit", "shown_work"]

_LEVELS = ("tuples", "partials", "intercede")
_EDGES = "edges"


def shown_work(work: Mapping[str, float]) -> dict[str, Any]:
    """Operations by level, and for each tree by lane, in total and for each of its edges (row I-15).

    >>> shown_work({"tuples": 9, "2:edges": 4, "2:sum:price": 8})["trees"]
    [{'tree': 2, 'edges': 4, 'operations': {'sum:price': 8}, 'operations_per_edge': {'sum:price': 2.0}}]
    """
    trees: dict[int, dict[str, float]] = {}
    for name, count in work.items():
        number, _, rest = name.partition(":")
        if number.isdecimal():
            trees.setdefault(int(number), {})[rest] = count
    return {
        **{level: int(work.get(level, 0)) for level in _LEVELS},
        "trees": [_tree(number, counts) for number, counts in sorted(trees.items())],
    }


def _tree(number: int, counts: dict[str, float]) -> dict[str, Any]:
    edges = int(counts.get(_EDGES, 0))
    operations = {lane: count for lane, count in counts.items() if lane != _EDGES}
    return {
        "tree": number,
        "edges": edges,
        "operations": operations,
        "operations_per_edge": {lane: count / edges for lane, count in operations.items()} if edges else {},
    }


def limit(output_share: float | None) -> str | None:
    """What takes most of a batch's time.

    >>> limit(0.8), limit(0.1), limit(None)
    ('output', 'aggregation', None)
    """
    if output_share is None:
        return None
    return "output" if output_share > 0.5 else "aggregation"
