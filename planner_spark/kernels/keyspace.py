"""The group keys of one grouping, numbered: a key's number is its column in every array of that grouping.

Keys come with their first tuple, and go when they have been silent for the longest range: memory follows the keys
that can still be part of an answer, not those that ever were. Arrays have some columns to spare, so that keys that
come one by one do not move everything each time.
"""

from __future__ import annotations

import json

import numpy as np

from planner_spark.kernels.over import Array

__all__ = ["KeySpace"]

_FEW = 64
"""Idle keys that are not worth moving the others for."""


class KeySpace:
    """Numbers of keys; ``columns`` are the positions of its attributes among all grouping attributes of the job."""

    def __init__(self, columns: tuple[int, ...]) -> None:
        self.columns = columns
        self.capacity = 0
        self.version = 0
        """Changes whenever a key's number or the number of keys does."""
        self._by_text: dict[str, int] = {}
        self._numbers: dict[tuple[str | None, ...], int] = {}
        self._last_ends: Array = np.empty(0, dtype=np.int64)

    def __len__(self) -> int:
        return len(self._numbers)

    def values(self, position: int) -> list[str | None]:
        """The values of one of its attributes, by the keys' numbers."""
        return [key[position] for key in self._numbers]

    def number(self, texts: list[str]) -> Array:
        """The keys' numbers, given the texts of full keys; new ones are numbered behind the others."""
        known = self._by_text
        found = [known.get(text, -1) for text in texts]
        for place, number in enumerate(found):
            if number < 0:
                full = json.loads(texts[place])
                own = tuple(full[column] for column in self.columns)
                found[place] = known[texts[place]] = self._numbers.setdefault(own, len(self._numbers))
                self.version += 1
        return np.array(found, dtype=np.int64)

    def grown(self) -> Array | None:
        """The columns of before among those of now, -1 for new ones; None as long as there is room."""
        need, have = len(self._numbers), self.capacity
        if need <= have:
            return None
        self.capacity = max(need, have + have // 8)
        self._last_ends = np.concatenate(
            [self._last_ends, np.full(self.capacity - have, np.iinfo(np.int64).min)]
        )
        return np.concatenate([np.arange(have), np.full(self.capacity - have, -1)])

    def touch(self, numbers: Array, ends: Array) -> None:
        """Note when keys had tuples last."""
        np.maximum.at(self._last_ends, numbers, ends)

    def without_idle(self, until: int) -> Array | None:
        """The columns that are kept once more than half of the keys had no tuple after ``until``; None to keep all."""
        alive = np.nonzero(self._last_ends[: len(self)] > until)[0]
        if len(self) - len(alive) <= max(_FEW, len(self) // 2):
            return None
        renumbered = np.full(len(self), -1)
        renumbered[alive] = np.arange(len(alive))
        keys = list(self._numbers)
        self._numbers = {keys[old]: new for new, old in enumerate(alive.tolist())}
        self._by_text = {
            text: int(renumbered[number]) for text, number in self._by_text.items() if renumbered[number] >= 0
        }
        self._last_ends = self._last_ends[alive]
        self.capacity = len(alive)
        self.version += 1
        return np.asarray(alive)
