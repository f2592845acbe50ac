"""Alembic's environment; see `app.persistence.migrate`."""
