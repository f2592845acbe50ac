"""Streams: where tuples come from and what they look like.

| module | owns |
|---|---|
| `sources` | the kinds of sources, as API schemas |
| `schemas` | a stream's definition and the answers, as API schemas |
| `paths` | which folders may be read |
| `definition` | the normalized definition that is stored, and what the planner makes of it |
| `repository`, `service`, `router` | rows, rules, HTTP |
"""
