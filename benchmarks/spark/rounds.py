"""Sides in turn, so that a machine that is slow for a while is slow for all; and the ratios of what they did.

A ratio is taken within a round and told as the median of all rounds with the least and the most: it says more than the
ratio of two means of runs that lie apart.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from benchmarks.spark.config import Result
from benchmarks.spark.launch import Outcome

__all__ = ["Comparison", "Ratio", "alternate", "ratio_of"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Ratio:
    """The median of the rounds' ratios and its spread."""

    median: float
    least: float
    most: float
    rounds: int

    @classmethod
    def of(cls, ratios: Sequence[float]) -> Ratio | None:
        """Over the rounds; None without any.

        >>> Ratio.of([2.0, 4.0, 3.0])
        Ratio(median=3.0, least=2.0, most=4.0, rounds=3)
        """
        if not ratios:
            return None
        return cls(median=statistics.median(ratios), least=min(ratios), most=max(ratios), rounds=len(ratios))


def ratio_of(one: Sequence[float | None], other: Sequence[float | None]) -> Ratio | None:
    """Round by round, one over the other; rounds that miss a figure are left out.

    >>> ratio_of([10.0, 20.0, None], [5.0, 5.0, 5.0])
    Ratio(median=3.0, least=2.0, most=4.0, rounds=2)
    """
    pairs = zip(one, other, strict=False)
    return Ratio.of([a / b for a, b in pairs if a is not None and b is not None and b > 0])


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """What came of one workload, by contender and round."""

    title: str
    queries: int
    keys: int
    outcomes: Mapping[str, Sequence[Outcome]] = field(default_factory=dict)

    def results(self, name: str) -> list[Result | None]:
        """A contender's results, None for a round that failed."""
        return [outcome.result for outcome in self.outcomes.get(name, ())]

    def median(self, name: str, figure: Callable[[Result], float | None]) -> float | None:
        """A figure of a contender, the median of its rounds."""
        figures = [figure(result) for result in self.results(name) if result is not None]
        known = [each for each in figures if each is not None]
        return statistics.median(known) if known else None

    def throughput(self, name: str) -> float | None:
        """Tuples per second."""
        return self.median(name, lambda result: result.throughput)

    def ratio(self, one: str, other: str) -> Ratio | None:
        """How many times the throughput of the other contender the one has."""
        speeds = [
            [None if result is None else result.throughput for result in self.results(name)]
            for name in (one, other)
        ]
        return ratio_of(*speeds)

    def fraction(self, name: str, whole: str = "weft") -> float | None:
        """The tuples that a contender was measured on, over those of another one."""
        tuples = [self.median(each, lambda result: result.tuples) for each in (name, whole)]
        return tuples[0] / tuples[1] if tuples[0] and tuples[1] else None

    def reason(self, name: str) -> str:
        """Why a contender has no result; empty if it has one."""
        outcomes = self.outcomes.get(name, ())
        if any(outcome.result is not None for outcome in outcomes):
            return ""
        return next((outcome.reason for outcome in outcomes if outcome.reason), "not run")


def alternate(
    contenders: Mapping[str, Callable[[], Outcome]], rounds: Mapping[str, int]
) -> dict[str, list[Outcome]]:
    """Let all run in turn, every other round backwards; who has had its rounds sits out.

    >>> seen = []
    >>> runs = {name: lambda name=name: seen.append(name) for name in "abc"}
    >>> _ = alternate(runs, {"a": 2, "b": 2, "c": 1})
    >>> seen
    ['a', 'b', 'c', 'b', 'a']
    """
    outcomes: dict[str, list[Outcome]] = {name: [] for name in contenders}
    for number in range(max(rounds.values(), default=0)):
        playing = [name for name in contenders if number < rounds[name]]
        for name in playing if number % 2 == 0 else reversed(playing):
            outcomes[name].append(contenders[name]())
    return outcomes
