"""Jobs: each stream's Spark driver, in a process of its own, moved from what it is to what is wanted.

| module | owns |
|---|---|
| `state` | desired and observed states, and the one table of legal transitions |
| `home` | the folder of a generation and the files that the driver writes there |
| `process` | starting, finding and ending drivers |
| `workload` | the registered queries as a job specification |
| `generations` | whether a start resumes the checkpoint or begins a new generation |
| `activation` | from which event time on a query that joins is answered |
| `composition` | those three together, in one transaction |
| `automaton` | one stream's job: what to do next |
| `supervisor` | the loop over all streams, the lease, adoption and shutdown |
| `service`, `schemas`, `router` | the HTTP resource |
"""
