"""Edges: where fragments end, as residue classes, and how many there are per time unit.

| module | what it holds |
|---|---|
| ``classes`` | residue classes of a window under Pairs, Panes or Cutty; dropping contained ones |
| ``partials`` | how many partials a window is combined from |
| ``f1`` | exact density by inclusion-exclusion with CRT (formula F1 with offsets) |
| ``bitset`` | exact count by marking one composite slide: the oracle, and fast where it is short |
| ``lattice`` | exact count over cells of residues by prime powers, whatever the composite slide |
| ``estimate``, ``sample`` | certain bounds and sampled ones where none is tractable |
| ``count`` | the entry: exact where possible, else an interval |
| ``space``, ``lattice_space``, ``subset_space``, ``bitset_space`` | many trees as masks, merged by OR |
"""

from __future__ import annotations

from optimizer.edges.classes import PartialsRule, ResidueClass, classes_of, reduce_classes
from optimizer.edges.count import EdgeCount, edge_count
from optimizer.edges.partials import partials_per_window

__all__ = [
    "EdgeCount", "PartialsRule", "ResidueClass", "classes_of", "edge_count", "partials_per_window",
    "reduce_classes",
]  # fmt: skip
