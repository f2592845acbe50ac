"""The optimizer: queries and a rate in, a plan out. Pure functions, no I/O, no Spark.

| module | what it holds |
|---|---|
| ``errors`` | what can be wrong with a workload |
| ``model`` | aggregate continuous queries and plans as frozen values |
| ``edges`` | where fragments end and how many edges there are |
| ``workload`` | the queries of a stream in columns, each distinct window once |
| ``problem`` | atoms to be put into trees, and what a tree of them costs |
| ``trees``, ``overlaps``, ``greedy``, ``coarsen`` | merging of trees: exact, estimated, and of very many |
| ``search``, ``improve``, ``tabled``, ``best_partition`` | small changes, and the best of all partitions |
| ``follow``, ``live``, ``known``, ``reoptimize`` | plans that follow their workload |
| ``no_share``, ``shared``, ``weaveshare``, ``triweave``, ``exact``, ``auto`` | the optimizers, one per file |
| ``base``, ``registry`` | what an optimizer is called with, and the tuple of them all |
| ``task``, ``assemble``, ``baselines`` | from queries to a problem, and from trees to a plan with counted edges |
| ``observer``, ``replay``, ``explain``, ``describe`` | what an optimizer did, and why a query is where it is |
| ``draw``, ``draw_svg`` | the plan as graph, text, Mermaid, DOT and SVG |
| ``generate`` | seeded workloads of the papers |

Names are imported from their modules: a Spark executor that needs a window does not load a SQL parser.
"""

from __future__ import annotations

__all__: list[str] = []
