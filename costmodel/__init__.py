"""The papers' cost model: plain numbers in, aggregate operations per time unit out. Imports nothing of ours.

| module | what it holds |
|---|---|
| ``base`` | what a formula gets to know of a tree, the cost of a plan, and what a technique must offer |
| ``summaries`` | many trees in columns, which can be taken together |
| ``omega`` | final-aggregation work per edge, one technique per file, and the tuple of them all |
| ``running_aggregates`` | how many running aggregates a tree really needs |
| ``calibration``, ``defaults`` | measured nanoseconds per operation, and what is assumed until then |
| ``operations`` | the combinations that kernels are expected to make; ``tree_work`` is what they are given to do |
| ``partials``, ``schedule`` | how many partials windows hold, and the order in which they end |
| ``covers``, ``pointers``, ``landmarks`` | what dyadic intervals, FlatFIT and L-INT take |
| ``estimate`` | seconds of work per second of the stream |
| ``plan_cost`` | the cost of a plan under TwoOps (doc 000 Eq. 3) and TriOps (Eq. 4) |
"""

from __future__ import annotations

from costmodel.base import NEEDS, Cost, Need, Technique, TreeStats, WindowGroups
from costmodel.omega import AUTO, TECHNIQUES, find_technique
from costmodel.plan_cost import EXECUTION_MODELS, TRI_OPS, TWO_OPS, ExecutionModel, WeavedTree
from costmodel.running_aggregates import running_aggregates
from costmodel.summaries import Summaries

__all__ = [
    "AUTO", "EXECUTION_MODELS", "NEEDS", "TECHNIQUES", "TRI_OPS", "TWO_OPS", "Cost", "ExecutionModel", "Need",
    "Summaries", "Technique", "TreeStats", "WeavedTree", "WindowGroups", "find_technique", "running_aggregates",
]  # fmt: skip
