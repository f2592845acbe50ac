"""What an optimizer is called with."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from optimizer.edges.classes import PartialsRule
from optimizer.model.plan import Plan, PlannedQuery
from optimizer.observer import Observer

__all__ = ["Optimizer"]


class Optimizer(Protocol):
    """A function from the queries of a stream and its rate in tuples per second to a plan."""

    def __call__(
        self,
        queries: Sequence[PlannedQuery],
        rate: float,
        *,
        stream: str | None = None,
        technique: str = "panes",
        partials: PartialsRule = "pairs",
        improve: bool = False,
        epoch: int = 1,
        observer: Observer | None = None,
    ) -> Plan:
        """A plan with every query in exactly one tree."""
