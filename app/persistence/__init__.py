"""The registry: what is registered is durable.

| module | owns |
|---|---|
| `models` | the tables |
| `types` | column types that are the same on SQLite and PostgreSQL |
| `database` | engine, transactions with retry, health |
| `migrate` | bringing the schema up to date at start-up |
| `migrations/` | one Alembic revision per change of the schema |
"""
