"""The papers' experiments on plan costs, run again: ``make bench-plans``.

| module | what it holds |
|---|---|
| ``sample`` | plans of one setting, drawn several times, by their costs and numbers of trees |
| ``sweeps`` | doc 001 5.2, Fig. 17 to 21: one parameter of the workload at a time, all techniques |
| ``batches`` | how much the largest gains depend on the seeds |
| ``rates`` | doc 000 Fig. 10: TriWeave's cost over Weave Share's as the input rate grows |
| ``matrix`` | doc 000 Fig. 11 to 13: each optimizer's plan under each execution model |
| ``tables``, ``figures`` | the results as text and as PNG |
| ``headline`` | the few numbers that the papers give, beside those measured |

Nothing is executed: costs are those of the cost model, in aggregate operations per time unit, so that a run gives the
same numbers on every machine.
"""
