"""Plans: how the queries of a stream are woven together, and what that costs.

| module | owns |
|---|---|
| `schemas` | what the endpoints take and answer |
| `options` | which optimizers, techniques and partials run today |
| `workload` | what plans are made for, and the last plans |
| `compare` | how one plan differs from another |
| `planning` | a workload as the optimizer's plan |
| `what_if` | plans of workloads that nobody has registered |
| `repository`, `service`, `router` | rows, rules, HTTP |
"""
