"""The tables of the registry.

streams 1 ── n queries n ── 1 canonical_queries        equal queries share one canonical query
        1 ── 1 jobs                                     desired state and what was last started
        1 ── n plans                                    every plan that was ever in force
markers                                                 things that happen once, such as the demonstration
"""

from __future__ import annotations

from datetime import datetime
from typing import Any, ClassVar

from sqlalchemy import JSON, BigInteger, ForeignKey, Index, Integer, MetaData, String, Text, UniqueConstraint
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

from app.persistence.types import Instant, name_type

__all__ = ["Base", "CanonicalQuery", "Job", "Marker", "Plan", "Query", "Stream"]

NAME = 128
_ROW_NUMBER = BigInteger().with_variant(Integer, "sqlite")  # only INTEGER can be AUTOINCREMENT there


class Base(DeclarativeBase):
    """Base of the tables; constraints are named so that a migration can address them."""

    metadata = MetaData(
        naming_convention={
            "ix": "ix_%(table_name)s_%(column_0_N_name)s",
            "uq": "uq_%(table_name)s_%(column_0_N_name)s",
            "fk": "fk_%(table_name)s_%(column_0_N_name)s",
            "pk": "pk_%(table_name)s",
        }
    )
    type_annotation_map: ClassVar[dict[Any, Any]] = {datetime: Instant, dict[str, Any]: JSON}


def _stream_key(**options: Any) -> Mapped[str]:
    return mapped_column(name_type(NAME), ForeignKey("streams.name", ondelete="CASCADE"), **options)


class Stream(Base):
    """A stream. ``incarnation`` is new when a deleted name is taken again; ``version`` counts changes of its
    definition and of its workload, so that whoever computed something from them knows when it is old."""

    __tablename__ = "streams"

    name: Mapped[str] = mapped_column(name_type(NAME), primary_key=True)
    incarnation: Mapped[str] = mapped_column(String(36))
    definition: Mapped[dict[str, Any]]
    version: Mapped[int] = mapped_column(BigInteger, default=1)
    created: Mapped[datetime]
    updated: Mapped[datetime]


class CanonicalQuery(Base):
    """A distinct computation; results are stored under its number, which is never given twice."""

    __tablename__ = "canonical_queries"
    __table_args__ = (UniqueConstraint("stream", "hash"), {"sqlite_autoincrement": True})

    number: Mapped[int] = mapped_column(_ROW_NUMBER, primary_key=True, autoincrement=True)
    stream: Mapped[str] = _stream_key()
    hash: Mapped[str] = mapped_column(String(64))
    text: Mapped[str] = mapped_column(Text)


class Query(Base):
    """A registered query.

    ``active_from`` is an event time in microseconds, NULL for minus infinity. ``activated`` is false from a
    registration on a stream whose job has started before until the job's plan answers the query; whoever
    changes the plan then sets both.
    """

    __tablename__ = "queries"
    __table_args__ = (Index(None, "stream", "id"),)

    id: Mapped[str] = mapped_column(name_type(NAME), primary_key=True)
    stream: Mapped[str] = _stream_key()
    incarnation: Mapped[str] = mapped_column(String(36))
    spec: Mapped[dict[str, Any]]
    canonical_hash: Mapped[str] = mapped_column(String(64))
    canonical_number: Mapped[int] = mapped_column(ForeignKey("canonical_queries.number"), index=True)
    active_from: Mapped[int | None] = mapped_column(BigInteger)
    activated: Mapped[bool] = mapped_column(default=True)
    created: Mapped[datetime]


class Job(Base):
    """The job of a stream: what is wanted, and the specification that was last started.

    ``request`` is "resume" or "fresh" from the call that asks for a start until the supervisor has made the
    new specification: that needs the last words of the driver before, which may still be stopping.
    """

    __tablename__ = "jobs"

    stream: Mapped[str] = _stream_key(primary_key=True)
    desired: Mapped[str] = mapped_column(String(16))
    request: Mapped[str | None] = mapped_column(String(16))
    generation: Mapped[int] = mapped_column(default=0)
    epoch: Mapped[int] = mapped_column(default=0)
    spec: Mapped[dict[str, Any] | None]
    since: Mapped[datetime]
    error: Mapped[str | None] = mapped_column(Text)
    restarts: Mapped[int] = mapped_column(default=0)


class Plan(Base):
    """A plan as it was answered, kept for comparison."""

    __tablename__ = "plans"
    __table_args__ = (Index(None, "stream", "created"),)

    id: Mapped[str] = mapped_column(String(36), primary_key=True)
    stream: Mapped[str] = _stream_key()
    epoch: Mapped[int]
    plan: Mapped[dict[str, Any]]
    created: Mapped[datetime]


class Marker(Base):
    """Something that has happened and must not happen again."""

    __tablename__ = "markers"

    name: Mapped[str] = mapped_column(String(64), primary_key=True)
    created: Mapped[datetime]
