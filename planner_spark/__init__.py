"""From a plan to one running Spark job; the only package that knows Spark.

| module | what it holds |
|---|---|
| spec | the job specification, all that passes from the service to a driver |
| home, shape, admission | where a generation's files are, and what its checkpoint is good for |
| sources | one file per kind of source, and the heartbeats |
| lanes | what a workload measures |
| fragments, signature, keys, lane_columns | tuples to native grouping and measuring columns |
| compile | the specification as one streaming DataFrame |
| blocks, final_aggregation | partials on their way, and the stateful operator around the kernels |
| kernels | numpy only: lanes, views, windows, answers |
| sinks | wide result rows to Parquet, manifest, compaction and retention |
| job, session, status, progress, heartbeat, idleness, lease, lock, checkpoint | the driver process |
"""
