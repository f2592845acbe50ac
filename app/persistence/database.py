"""The engine and its transactions, on SQLite and on PostgreSQL.

One request is one transaction: `Database.write` runs a function in a transaction and commits before it
returns, so what a client is told is on disk. Two writers that collide (the same id at once, a deadlock) are
run again, and the second one then sees what the first one did.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, TypeVar

from sqlalchemy import Connection, Engine, create_engine, event, text
from sqlalchemy.engine import make_url
from sqlalchemy.exc import DBAPIError, IntegrityError, OperationalError, SQLAlchemyError
from sqlalchemy.orm import Session, sessionmaker

__all__ = ["Database"]

T = TypeVar("T")

ATTEMPTS = 6
_BUSY_TIMEOUT_MS = 5_000
_POOL: dict[str, Any] = {"pool_size": 10, "max_overflow": 40}
_READ_ONLY = "weft_read_only"


class Database:
    """The registry's database.

    ``sessions`` makes sessions that may write; on SQLite their transactions take the write lock at their
    begin, as one that reads first and writes later fails when another wrote in between.
    """

    def __init__(self, url: str) -> None:
        self.engine = _engine(url)
        self.sessions = sessionmaker(self.engine, expire_on_commit=False)
        readers = self.engine.execution_options(**{_READ_ONLY: True})
        if self.engine.dialect.name == "postgresql":
            # SQLite shows a transaction one view of the data anyway; PostgreSQL has to be asked for it.
            readers = readers.execution_options(isolation_level="REPEATABLE READ")
        self._readers = sessionmaker(readers, expire_on_commit=False)

    def read(self, work: Callable[[Session], T]) -> T:
        """Run ``work`` on one consistent view of the registry."""
        with self._readers() as session:
            return work(session)

    def write(self, work: Callable[[Session], T]) -> T:
        """Run ``work`` in a transaction and commit it; again, from the start, if it collides with another."""
        for attempt in range(1, ATTEMPTS + 1):
            try:
                with self.sessions.begin() as session:
                    return work(session)
            except DBAPIError as error:
                if attempt == ATTEMPTS or not _is_collision(error):
                    raise
                time.sleep(0.01 * 2**attempt)
        raise AssertionError("the last attempt returns or raises")

    def reachable(self) -> bool:
        """Whether the database answers."""
        try:
            with self.engine.connect() as connection:
                connection.execute(text("SELECT 1"))
        except SQLAlchemyError:
            return False
        return True

    def close(self) -> None:
        """Give all connections back."""
        self.engine.dispose()


def _is_collision(error: DBAPIError) -> bool:
    if isinstance(error, IntegrityError):
        return True
    code = getattr(error.orig, "sqlstate", None)
    locked = isinstance(error, OperationalError) and "locked" in str(error.orig)
    return code in {"40001", "40P01"} or locked


def _engine(url: str) -> Engine:
    parsed = make_url(url)
    if parsed.get_backend_name() == "postgresql":
        # psycopg 3 is the driver we ship, whatever the short form of the URL would mean.
        engine = create_engine(parsed.set(drivername="postgresql+psycopg"), pool_pre_ping=True, **_POOL)
    else:
        engine = create_engine(parsed, connect_args={"timeout": _BUSY_TIMEOUT_MS / 1000}, **_POOL)
        event.listen(engine, "connect", _configure_sqlite)
        event.listen(engine, "begin", _begin_sqlite)
    return engine


def _configure_sqlite(connection: Any, _record: Any) -> None:
    # The driver must not begin transactions by itself: `_begin_sqlite` does, with the right lock.
    connection.isolation_level = None
    for pragma in (
        f"busy_timeout={_BUSY_TIMEOUT_MS}",
        "journal_mode=WAL",
        "synchronous=FULL",  # in WAL mode NORMAL may lose acknowledged commits when the power fails
        "foreign_keys=ON",
    ):
        connection.execute(f"PRAGMA {pragma}").close()


def _begin_sqlite(connection: Connection) -> None:
    read_only = connection.get_execution_options().get(_READ_ONLY, False)
    connection.exec_driver_sql("BEGIN" if read_only else "BEGIN IMMEDIATE")
