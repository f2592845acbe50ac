"""What an optimizer is called with, and the tuple of them all in the order in which they are shown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from optimizer.edges.classes import PartialsRule
from optimizer.model.plan import Plan, PlannedQuery
from optimizer.no_share import no_share
from optimizer.shared import shared

__all__ = ["OPTIMIZERS", "Optimizer"]


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
        execution: str = "twoops",
        epoch: int = 1,
    ) -> Plan:
        """A plan with every query in exactly one tree."""


OPTIMIZERS: tuple[tuple[str, Optimizer], ...] = (("no_share", no_share), ("shared", shared))
