"""Run the migrations on the connection that `app.persistence.migrate` hands over."""

from __future__ import annotations

from alembic import context

from app.persistence.models import Base

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=Base.metadata,
    render_as_batch=True,
    transactional_ddl=True,
    compare_server_default=False,
)
with context.begin_transaction():
    context.run_migrations()
