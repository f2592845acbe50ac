"""The schema comes from the migrations alone, and they may run again and at once."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
from alembic import command
from sqlalchemy import inspect, text

from app.persistence.database import Database
from app.persistence.migrate import MigrationError, alembic_config, migrate


def test_the_migrations_make_what_the_models_say(database):
    with database.engine.begin() as connection:
        command.check(alembic_config(connection))


def test_the_migrations_can_be_taken_back(database):
    with database.engine.begin() as connection:
        command.downgrade(alembic_config(connection), "base")
    with database.engine.connect() as connection:
        assert inspect(connection).get_table_names() == ["alembic_version"]
    migrate(database)
    with database.engine.begin() as connection:
        command.check(alembic_config(connection))


def test_several_services_may_start_at_once(database_url):
    def start(_: int) -> None:
        database = Database(database_url)
        migrate(database)
        database.close()

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(start, range(8)))


def test_a_newer_registry_is_refused_with_a_word(database):
    with database.engine.begin() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    with pytest.raises(MigrationError, match="newer version"):
        migrate(database)


def test_sqlite_keeps_what_it_acknowledged(tmp_path):
    database = Database(f"sqlite:///{tmp_path / 'weft.db'}")
    with database.engine.connect() as connection:
        values = [
            connection.exec_driver_sql(f"PRAGMA {name}").scalar()
            for name in ("journal_mode", "synchronous", "foreign_keys")
        ]
    database.close()
    assert values == ["wal", 2, 1]
