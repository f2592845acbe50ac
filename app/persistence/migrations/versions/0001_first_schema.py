"""The first schema: streams, queries, canonical queries, jobs, plans, markers."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from app.persistence.types import Instant, name_type

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

_NUMBER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def _of_stream(table: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint(
        ["stream"], ["streams.name"], name=f"fk_{table}_stream", ondelete="CASCADE"
    )


def upgrade() -> None:
    op.create_table(
        "streams",
        sa.Column("name", name_type(128), nullable=False),
        sa.Column("incarnation", sa.String(36), nullable=False),
        sa.Column("definition", sa.JSON(), nullable=False),
        sa.Column("version", sa.BigInteger(), nullable=False),
        sa.Column("created", Instant(), nullable=False),
        sa.Column("updated", Instant(), nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_streams"),
    )
    op.create_table(
        "canonical_queries",
        sa.Column("number", _NUMBER, autoincrement=True, nullable=False),
        sa.Column("stream", name_type(128), nullable=False),
        sa.Column("hash", sa.String(64), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("number", name="pk_canonical_queries"),
        _of_stream("canonical_queries"),
        sa.UniqueConstraint("stream", "hash", name="uq_canonical_queries_stream_hash"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "queries",
        sa.Column("id", name_type(128), nullable=False),
        sa.Column("stream", name_type(128), nullable=False),
        sa.Column("incarnation", sa.String(36), nullable=False),
        sa.Column("spec", sa.JSON(), nullable=False),
        sa.Column("canonical_hash", sa.String(64), nullable=False),
        sa.Column("canonical_number", _NUMBER, nullable=False),
        sa.Column("active_from", sa.BigInteger()),
        sa.Column("activated", sa.Boolean(), nullable=False),
        sa.Column("created", Instant(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_queries"),
        _of_stream("queries"),
        sa.ForeignKeyConstraint(
            ["canonical_number"], ["canonical_queries.number"], name="fk_queries_canonical_number"
        ),
    )
    op.create_index("ix_queries_stream_id", "queries", ["stream", "id"])
    op.create_index("ix_queries_canonical_number", "queries", ["canonical_number"])
    op.create_table(
        "jobs",
        sa.Column("stream", name_type(128), nullable=False),
        sa.Column("desired", sa.String(16), nullable=False),
        sa.Column("generation", sa.Integer(), nullable=False),
        sa.Column("epoch", sa.Integer(), nullable=False),
        sa.Column("spec", sa.JSON()),
        sa.Column("since", Instant(), nullable=False),
        sa.Column("error", sa.Text()),
        sa.Column("restarts", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("stream", name="pk_jobs"),
        _of_stream("jobs"),
    )
    op.create_table(
        "plans",
        sa.Column("id", sa.String(36), nullable=False),
        sa.Column("stream", name_type(128), nullable=False),
        sa.Column("epoch", sa.Integer(), nullable=False),
        sa.Column("plan", sa.JSON(), nullable=False),
        sa.Column("created", Instant(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_plans"),
        _of_stream("plans"),
    )
    op.create_index("ix_plans_stream_created", "plans", ["stream", "created"])
    op.create_table(
        "markers",
        sa.Column("name", sa.String(64), nullable=False),
        sa.Column("created", Instant(), nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_markers"),
    )


def downgrade() -> None:
    for table in ("markers", "plans", "jobs", "queries", "canonical_queries", "streams"):
        op.drop_table(table)
