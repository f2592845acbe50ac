"""Weft beside Spark's own queries and Flink: the same data, in the same run, each side in a process of its own.

| module | what it holds |
|---|---|
| ``workload``, ``data`` | distinct windows, and the stream as Parquet files |
| ``expected`` | how many results there must be, counted from the data |
| ``config`` | what a side is told and what it answers |
| ``side``, ``sides`` | the process of a side, and one module for each of them |
| ``streams``, ``watch`` | how a side that is on Spark is run and timed |
| ``launch``, ``memory`` | starting a side, bounding it, and the memory of its processes |
| ``scale`` | how much data a run has: quick, usual or full |
| ``rounds``, ``runs`` | sides in turn, ratios with their spread, and a run's book-keeping |
| ``experiments`` | one module for each question |
| ``estimate`` | the cost model's forecast, and how far it is off |
| ``headline``, ``tables``, ``figures`` | what a run prints and draws |
"""
