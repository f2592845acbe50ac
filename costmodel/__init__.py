"""The papers' cost model: plain numbers in, aggregate operations per time unit out. Imports nothing of ours.

| module | what it holds |
|---|---|
| ``base`` | what a formula gets to know of a tree, the cost of a plan, and what a technique must offer |
| ``omega`` | final-aggregation work per edge, one technique per file, and the tuple of them all |
| ``plan_cost`` | the cost of a plan under TwoOps (doc 000 Eq. 3) and TriOps (Eq. 4) |
"""

from __future__ import annotations

from costmodel.base import Cost, Omega, TreeStats
from costmodel.omega import TECHNIQUES, find_technique
from costmodel.plan_cost import EXECUTION_MODELS, TRI_OPS, TWO_OPS, ExecutionModel, WeavedTree

__all__ = [
    "EXECUTION_MODELS", "TECHNIQUES", "TRI_OPS", "TWO_OPS", "Cost", "ExecutionModel", "Omega", "TreeStats",
    "WeavedTree", "find_technique",
]  # fmt: skip
