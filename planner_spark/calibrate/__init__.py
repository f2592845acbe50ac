"""Self-measurement: nanoseconds per operation of each level on this machine (doc 001 5.3-5.4, row I-37).

| module | what it holds |
|---|---|
| ``fit`` | costs that are never negative, from times |
| ``kernels`` | every technique over every kind of lane that it may serve, in numpy alone |
| ``shards`` | roll-up, intercede-aggregation, due windows and rows of results, in numpy alone |
| ``jobs`` | Spark's part: tuples, edges, trees, partials and micro-batches, by small streaming jobs |
| ``measure`` | all of it |
| ``file`` | where it is kept |
"""
