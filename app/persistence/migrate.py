"""Bring the registry's schema up to date; safe to run by several services at once and again."""

from __future__ import annotations

from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.util import CommandError
from sqlalchemy import Connection, text

from app.persistence.database import Database

__all__ = ["MigrationError", "alembic_config", "migrate"]

_LOCK = 7_733_817_001  # any number that no other user of the same PostgreSQL database takes


class MigrationError(Exception):
    """The database's schema cannot be brought to what this version needs."""


def alembic_config(connection: Connection) -> Config:
    """Alembic's configuration over an open connection."""
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations").replace("%", "%%"))
    config.attributes["connection"] = connection
    return config


def migrate(database: Database) -> None:
    """Run every migration that has not run yet, in one transaction."""
    with database.engine.begin() as connection:
        if connection.dialect.name == "postgresql":
            connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _LOCK})
        try:
            command.upgrade(alembic_config(connection), "head")
        except CommandError as error:
            raise MigrationError(
                f"the registry was written by a newer version of Weft, or is not a registry: {error}"
            ) from error
