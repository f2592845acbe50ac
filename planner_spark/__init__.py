"""From a plan to one running Spark job; the only package that knows Spark.

| module | what it holds |
|---|---|
| spec | the job specification, all that passes from the service to a driver |
| home, shape, admission | where a generation's files are, and what its checkpoint is good for |
| sources | one file per kind of source, and the heartbeats |
| plan, tags | the optimizer's plan as a job runs it, and which sub-aggregation a fragment came out of |
| lanes, workload | what a workload measures, and the job as the kernels see it |
| fragments, signature, keys, lane_columns | tuples to native grouping and measuring columns |
| compile, sub_aggregation | the specification as one streaming DataFrame |
| blocks, final_aggregation, pools | partials on their way, the stateful operator around the kernels, its workers |
| kernels | numpy only: one file per technique of incremental evaluation, and what they work on |
| calibrate | what an operation of each level costs on this machine |
| sinks | packed result rows to Parquet, manifest, compaction and retention |
| work | what the operators report of their work |
| job, session, status, progress, heartbeat, idleness, lease, lock, checkpoint | the driver process |
"""
