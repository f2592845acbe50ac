"""What happens to a request before a router sees it.

| module | owns |
|---|---|
| `body` | the limit on the size of bodies |
| `strict_json` | JSON without NaN, endless numbers, NUL and lone surrogates |
| `keys` | API keys |
| `hosts` | without keys: no request to another name, no change that another site's page asks for |
| `metrics` | counting requests for Prometheus |
| `pages`, `times`, `accept` | cursors, times and representations that a client asks for |
| `dependencies` | what routers are handed: database, settings |
"""
