"""Results: pages of answers from the Parquet files that a job's driver writes.

| module | owns |
|---|---|
| `layout` | which columns of the wide result rows are a query's answer, and their types |
| `values` | stored values as JSON and as cursor keys, by type |
| `cursor` | the place after which a page begins |
| `reader` | one page, with DuckDB over the files that the manifest lists |
| `service`, `schemas`, `router` | the HTTP resource |
"""
