"""What one operation of each level takes on one machine, in nanoseconds (doc 001 5.3-5.4, row I-37).

The papers count operations and take all of them to be equal. They are not: a tuple that is read costs more than a
combination, and a combination of whole rows costs a fixed part and a part for each group key.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import Any, Self

__all__ = ["VERSION", "Calibration", "KernelCost", "Line", "kernel_key"]

VERSION = 1
"""Of the JSON form and of what the numbers mean; another one is measured anew."""


def kernel_key(technique: str, kind: str) -> str:
    """The name of a technique over one kind of lane: count, sum, extreme or moments.

    >>> kernel_key("r_int", "sum")
    'r_int/sum'
    """
    return f"{technique}/{kind}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """Nanoseconds of something that has a fixed part and a part for each key, or row.

    >>> Line(fixed=1000.0, per_key=2.0).at(500)
    2000.0
    """

    fixed: float
    per_key: float

    def at(self, keys: float) -> float:
        """With so many keys."""
        return self.fixed + self.per_key * keys


@dataclass(frozen=True, slots=True, kw_only=True)
class KernelCost:
    """A technique over one kind of lane: per call, and per partial taken in, answer given and combination made.

    A call takes in what one micro-batch brought. What comes together is often combined in one step of numpy, so
    that the number of combinations alone does not tell the time.
    """

    call: Line
    partial: Line
    answer: Line
    operation: Line


@dataclass(frozen=True, kw_only=True)
class Calibration:
    """Measured or assumed costs; those of Spark's part are wall-clock time with all ``cores`` at work."""

    measured: bool
    cores: int
    tuple: float
    """Per tuple read and sub-aggregated under one class of edges."""
    edge: float
    """Per tuple and further class of edges in the expression of its fragment."""
    tree: float
    """Per tuple and further tree that aggregates it (TwoOps)."""
    partial: float
    """Per entry [fragment, key]: shuffle, Spark's state, ingest."""
    roll_up: float
    """Per entry and view (predicate, grouping) that takes it in; on one core, as all that follows but the batch."""
    intercede: Line
    """Per fragment that is coalesced for a tree, and lane."""
    window: float
    """Per distinct window of a tree and micro-batch: to find those that are due."""
    result: Line
    """Per query and micro-batch that answers it, and per row."""
    batch: float
    """Per micro-batch; wall-clock time."""
    kernels: Mapping[str, KernelCost] = field(default_factory=dict)
    """By `kernel_key`."""

    def kernel(self, technique: str, kind: str) -> KernelCost | None:
        """The technique over that kind of lane; over another kind where only that was measured."""
        own = self.kernels.get(kernel_key(technique, kind))
        return own if own is not None else self._any_kind.get(technique)

    def techniques(self, kind: str) -> Iterable[str]:
        """The techniques that were measured over that kind of lane."""
        return [key.split("/")[0] for key in self.kernels if key.split("/")[1] == kind]

    @cached_property
    def _any_kind(self) -> dict[str, KernelCost]:
        return {key.split("/")[0]: cost for key, cost in self.kernels.items()}

    def document(self) -> dict[str, Any]:
        """As JSON."""
        return {"version": VERSION, **asdict(self)}

    @classmethod
    def parse(cls, raw: Mapping[str, Any] | None) -> Self | None:
        """What `document` made; None for what is of another version, or damaged."""
        if raw is None or raw.get("version") != VERSION:
            return None
        try:
            plain = {k: v for k, v in raw.items() if k not in ("version", "intercede", "result", "kernels")}
            kernels = {
                key: KernelCost(**{part: Line(**line) for part, line in cost.items()})
                for key, cost in raw["kernels"].items()
            }
            return cls(
                **plain, intercede=Line(**raw["intercede"]), result=Line(**raw["result"]), kernels=kernels
            )
        except (AttributeError, KeyError, TypeError):
            return None
