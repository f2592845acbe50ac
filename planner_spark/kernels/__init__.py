"""Incremental evaluation over whole columns of group keys; numpy only, no JVM.

| module | what it holds |
|---|---|
| over | what a combination runs over: a window's fragments, or runs of equal keys |
| lane, lanes, inverse | the measured operations, how they combine, and how they are taken out again |
| history | rows of partials at running positions |
| kernel | the contract of a technique |
| panes, panes_inv, flatfat, flatfit, two_stacks, daba | techniques of doc 001 |
| slickdeque_inv, slickdeque_noninv | the deques of doc 001 |
| b_int, l_int, r_int | the interval techniques of doc 004 |
| running, afresh | what inverting techniques share |
| techniques, choose | the techniques by name, and which one serves a lane |
| workload | trees, queries, and the partials that come in |
| keyspace | group keys as columns |
| intercede | fragments of one view, coalesced at each tree's edges |
| windows, final | which windows are due; one tree's queries, answered by a kernel for each lane |
| answers | combined partials to the value slots of result rows |
| shard | all views and trees of a block of keys |
"""
