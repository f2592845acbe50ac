"""More queries and more keys: Weft everywhere, the peers as far as they can be afforded."""

from __future__ import annotations

from benchmarks.spark.rounds import Comparison
from benchmarks.spark.runs import Contender, Run
from benchmarks.spark.workload import TEN_SECONDS, windows

__all__ = ["run"]


def run(run: Run) -> list[Comparison]:
    """A comparison for each number of queries and keys."""
    return [
        run.compare(f"{queries:,} queries, {keys:,} keys", keys, contenders(run, queries, keys))
        for keys in run.scale.keys
        for queries in run.scale.queries
    ]


def contenders(run: Run, queries: int, keys: int) -> list[Contender]:
    """Weft, and the peers that are tried with so many."""
    asked = windows(queries)
    found = [Contender(name="weft", side="weft", windows=asked, size=run.scale.scaling)]
    if keys in run.scale.peer_keys:
        found += [
            Contender(
                name=side, side=side, windows=(TEN_SECONDS,) if side == "tumbling" else asked, size=size
            )
            for side, (size, most) in run.scale.peers.items()
            if queries <= most
        ]
    return found
