"""What a kernel is given to do: partials at the edges of a tree, and windows that end at some of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from costmodel.partials import partials_of
from costmodel.summaries import FloatArray

__all__ = ["TreeWork"]


@dataclass(frozen=True, kw_only=True)
class TreeWork:
    """A tree's distinct windows (range, slide), its edge rate per time unit, and how many partials come together.

    ``partials`` is the mean number in each window, ``least`` and ``most`` what it varies between; ``exact`` says
    whether what is added can be taken out without any error, which it cannot of sums of floats.
    """

    edge_rate: float
    windows: tuple[tuple[int, int], ...]
    least: FloatArray
    partials: FloatArray
    most: FloatArray
    together: float = 1.0
    exact: bool = True
    scale: float = 1.0
    """How many of the windows' units one unit of time is."""

    @classmethod
    def of(
        cls,
        *,
        edge_rate: float,
        windows: Iterable[tuple[int, int]],
        edges: Sequence[tuple[int, int]] | None = None,
        together: float = 1.0,
        exact: bool = True,
    ) -> TreeWork:
        """The work of these windows; ``edges`` are residue classes (residue, modulus), where they are known."""
        distinct = tuple(sorted(set(windows)))
        least, mean, most = partials_of(distinct, edge_rate, None if edges is None else tuple(edges))
        return cls(
            edge_rate=edge_rate,
            windows=distinct,
            least=least,
            partials=mean,
            most=most,
            together=max(together, 1.0),
            exact=exact,
        )

    @cached_property
    def due(self) -> FloatArray:
        """How many windows of each query end per time unit."""
        return np.array([self.scale / s for _, s in self.windows])

    @cached_property
    def answers(self) -> float:
        """How many windows end per time unit."""
        return float(self.due.sum())

    @cached_property
    def longest(self) -> float:
        """The most partials that a window holds."""
        return float(self.partials.max(initial=0.0))

    def by_range(self) -> dict[int, list[int]]:
        """The places of the windows of each range."""
        found: dict[int, list[int]] = {}
        for place, (span, _) in enumerate(self.windows):
            found.setdefault(span, []).append(place)
        return found

    def per(self, units: float) -> TreeWork:
        """The same work per so many time units; windows are still told in the old ones."""
        return replace(self, edge_rate=self.edge_rate * units, scale=self.scale * units)
