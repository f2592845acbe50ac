"""Incremental evaluation over whole columns of group keys; numpy only, no JVM.

| module | what it holds |
|---|---|
| over | what a combination runs over: a window's fragments, or runs of equal keys |
| lanes | the measured operations and how their partials combine |
| view | partials of one predicate and grouping as arrays [fragment, key] |
| windows | which windows are due, and what they contain |
| answers | combined partials to the value slots of result rows |
| shard | a shard's fragments and all queries over them |
"""
