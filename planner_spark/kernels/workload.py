"""What the kernels are told: the trees of the plan in force, their queries, and the partials that come in.

The trees are the group mapping of TriOps (doc 000 III-B, row T-11): which edges a tree has, which queries are its
finals, and by which technique each lane is evaluated.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from planner_spark.kernels.answers import Lowering
from planner_spark.kernels.lane import Lane
from planner_spark.kernels.over import Array

__all__ = ["WORD", "Block", "Query", "Tree", "ViewName", "Workload"]

WORD = 63
"""Bits of a signature per word: those of a long that are not its sign."""
ViewName = tuple[int | None, tuple[int, ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """A canonical ACQ as the kernels see it.

    ``bit`` is its predicate's bit in the signature, None for all tuples; ``columns`` are positions among the job's
    grouping attributes; ``active_from`` is the first window start that it is answered for; ``slots`` are the value
    slots of its canonical aggregates.
    """

    number: int
    window_range: int
    slide: int
    lowerings: tuple[Lowering, ...]
    bit: int | None
    columns: tuple[int, ...]
    active_from: int | None
    slots: tuple[str, ...]

    @property
    def view(self) -> ViewName:
        """What names the view that the query reads."""
        return self.bit, self.columns

    @property
    def lanes(self) -> frozenset[str]:
        """The names of the lanes that it is lowered from."""
        return frozenset(name for lowering in self.lowerings for name in lowering.lanes)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tree:
    """Queries that are answered from the same partials.

    ``tags`` name the sub-aggregations that the queries' tuples went through, now and under earlier plans; ``classes``
    are (residue, modulus) pairs whose union is the tree's edges; ``techniques`` go by the name of a lane.
    """

    number: int
    tags: frozenset[int]
    classes: tuple[tuple[int, int], ...]
    queries: tuple[Query, ...]
    techniques: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Workload:
    """The trees of a job, and the lanes that they need; ``lanes[0]`` counts tuples."""

    trees: tuple[Tree, ...]
    lanes: tuple[Lane, ...]

    @property
    def queries(self) -> tuple[Query, ...]:
        """All queries."""
        return tuple(query for tree in self.trees for query in tree.queries)

    def lanes_of(self, names: frozenset[str]) -> tuple[Lane, ...]:
        """Those lanes; tuples are always counted."""
        return (self.lanes[0], *(lane for lane in self.lanes[1:] if lane.name in names))

    @property
    def longest_range(self) -> int:
        """How long a fragment may be needed."""
        return max(query.window_range for query in self.queries)


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """Rows that sub-aggregation emitted together: tag, end, key, signature and decoded partials of each.

    Distinct ``keys`` (values of all grouping attributes, as the text of a JSON list) and distinct ``signatures`` (an
    array [signature, word] with 63 bits a word) are listed once; the codes say which one a row has.
    """

    tags: Array
    ends: Array
    keys: list[str]
    key_codes: Array
    signatures: Array
    signature_codes: Array
    partials: dict[str, Array]
