"""Databases to test on: SQLite and a real PostgreSQL server."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from app.persistence.database import Database
from app.persistence.migrate import migrate
from tests.app import postgres


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[str]:
    """A PostgreSQL server for all tests that need one."""
    with postgres.server() as url:
        yield url


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgres)])
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The URL of an empty database of each kind."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'weft.db'}"
    return postgres.new_database(request.getfixturevalue("postgres_server"))


@pytest.fixture
def database(database_url: str) -> Iterator[Database]:
    """A registry of each kind, with nothing in it."""
    opened = Database(database_url)
    migrate(opened)
    yield opened
    opened.close()
