"""The sides of the comparison, one file each: every one has ``run(config) -> Result``.

| module | what it runs |
|---|---|
| ``tumbling`` | Spark: one query with a tumbling window, the floor |
| ``spark_windows`` | Spark: a query for each window, all started in one session |
| ``spark_exploded`` | Spark: one query that copies a tuple to every window it is in |
| ``flink`` | Flink SQL: all windows in one statement set |
| ``weft`` | Weft: one job |
"""

from __future__ import annotations

__all__ = ["SIDES"]

SIDES = ("weft", "tumbling", "spark_windows", "spark_exploded", "flink")
