"""Queries: registering, replacing and listing aggregate continuous queries.

| module | owns |
|---|---|
| `schemas` | what the endpoints take and answer |
| `convert` | a spec as the ACQ that it means, with every error in it; an ACQ as its normalized spec |
| `prepare` | bodies, as specs or as SQL, as queries that are ready to be stored |
| `store` | storing prepared queries in one transaction |
| `repository`, `service`, `router` | rows, rules, HTTP |
"""
