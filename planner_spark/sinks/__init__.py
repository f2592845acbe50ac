"""Where results go.

| module | what it holds |
|---|---|
| rows | the wide row that answers of unlike queries share |
| manifest | which files are visible |
| parquet | writes a batch exactly once |
| describe | what the manifest says of a file |
| housekeeping | compaction and retention |
"""
