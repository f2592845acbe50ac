"""The optimizer: queries and a rate in, a plan out. Pure functions, no I/O, no Spark.

| module | what it holds |
|---|---|
| ``errors`` | what can be wrong with a workload |
| ``model`` | aggregate continuous queries and plans as frozen values |
| ``edges`` | where fragments end and how many edges there are |
| ``assemble`` | groups of queries to a plan with true edges and costs |
| ``no_share``, ``shared`` | the optimizers, one per file |
| ``registry`` | what an optimizer is called with, and the tuple of them all |
| ``explain`` | why a query is where it is |
| ``draw`` | the plan as graph, text, Mermaid and DOT |

Names are imported from their modules: a Spark executor that needs a window does not load a SQL parser.
"""

from __future__ import annotations

__all__: list[str] = []
