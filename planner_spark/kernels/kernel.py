"""What an incremental-evaluation technique is: partials of one lane go in, in the order of their ends, and the
answers of windows over them come out.

A kernel works on whole rows, one element per group key: one *operation* is one combination of two rows, and
`operations` counts them, so that the measured number per edge stands beside the technique's Omega (row I-15).

Windows are told by positions: partials ``[low, high)``, counted from the first one ever inserted. They come in the
order of their highs, none ends before a partial that was inserted earlier, and the lows of one *slot*, a distinct
range, never go back. So a window is always "the last ones" at the moment when its last partial has just come.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from planner_spark.kernels.history import History
from planner_spark.kernels.lane import Lane, Parts
from planner_spark.kernels.over import Array

__all__ = ["Kernel", "Sequential", "Windows"]


@dataclass(frozen=True, slots=True)
class Windows:
    """Due windows by ascending high; ``slots`` number the distinct ranges of the queries."""

    lows: Array
    highs: Array
    slots: Array

    def __len__(self) -> int:
        return len(self.lows)


class Kernel(ABC):
    """One technique, over the partials of one lane."""

    name: ClassVar[str]
    takes: ClassVar[type[Lane]] = Lane  # type: ignore[type-abstract]
    """What it asks of a lane; its ``__init__`` says the same to the type checker (row I-14)."""
    multi_query: ClassVar[bool] = True
    """Whether it answers windows of several ranges."""
    slot_per_query: ClassVar[bool] = False
    """Whether a slot is one query's (range, slide) rather than a range that queries share."""
    any_order: ClassVar[bool] = False
    """Whether due windows may come in any order, not only by ascending high."""

    def __init__(self, lane: Lane, *, slots: int, keys: int = 0) -> None:
        if not isinstance(lane, self.takes):
            raise TypeError(f"{self.name} takes an {self.takes.__name__}, and {lane.name} is none")
        if slots > 1 and not self.multi_query:
            raise ValueError(f"{self.name} answers windows of one range only, not of {slots}")
        self.lane = lane
        self.slots = slots
        self.operations = 0.0

    @abstractmethod
    def advance(self, partials: Parts, windows: Windows) -> Parts:
        """Insert rows [n, key], and answer the windows: rows [window, key]."""

    @abstractmethod
    def evict(self, first: int) -> None:
        """No window that is still to come begins before this position."""

    @abstractmethod
    def arrange(self, columns: Array) -> None:
        """Other keys: the new column j is the old one ``columns[j]``, or a key without values for -1."""


class Sequential(Kernel):
    """A technique that takes one partial at a time; the windows that end with it are answered at once."""

    def __init__(self, lane: Lane, *, slots: int, keys: int = 0) -> None:
        super().__init__(lane, slots=slots, keys=keys)
        self.end = 0

    def advance(self, partials: Parts, windows: Windows) -> Parts:
        """Step by step."""
        count = len(partials[0])
        answers = History(self.lane.parts, keys=partials[0].shape[1])
        due = np.searchsorted(windows.highs, np.arange(self.end, self.end + count + 1), side="right").tolist()
        lows, slots = windows.lows.tolist(), windows.slots.tolist()
        place = 0
        for step in range(count + 1):
            if step:
                self.insert(tuple(part[step - 1] for part in partials))
                self.end += 1
            for window in range(place, due[step]):
                found = self.answer(lows[window], slots[window])
                answers.append(tuple(part[np.newaxis] for part in found))
            place = due[step]
        return answers.rows(0, len(windows))

    @abstractmethod
    def insert(self, partial: Parts) -> None:
        """Take in one row [key]."""

    @abstractmethod
    def answer(self, low: int, slot: int) -> Parts:
        """The row [key] of all partials from ``low`` on."""
