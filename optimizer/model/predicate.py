"""The WHERE predicate of an ACQ, as canonical Spark SQL built from an allow-listed tree, never pasted."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Predicate"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Predicate:
    """A boolean expression over the stream's columns.

    ``sql`` is generated from a parsed and checked tree (see ``optimizer.model.parse_predicate``), so it is
    safe to hand to Spark; a tuple satisfies the predicate when it is true, not when it is NULL.
    """

    sql: str
    columns: tuple[str, ...]
