"""The queries of a run: distinct windows, drawn once and for all, and what is asked of each.

Slides are 10 s to 5 min, ranges 1 to 20 slides: whole multiples, because Flink refuses others. The twelve usual slides
give 240 distinct windows. A workload of more queries goes on with all multiples of five seconds, 1,180 windows in all.
"""

from __future__ import annotations

import math
import random
from dataclasses import dataclass

__all__ = ["AGGREGATES", "DELAY", "HOUR_BY_SECOND", "TEN_SECONDS", "Window", "grain", "windows"]

SLIDES = (10, 15, 20, 30, 45, 60, 90, 120, 150, 180, 240, 300)
MORE_SLIDES = tuple(slide for slide in range(10, 301, 5) if slide not in SLIDES)
OVERLAPS = range(1, 21)
SEED = 1
DELAY = 10
"""Seconds that a tuple may be late: the watermark's delay on every side. None is late."""
AGGREGATES = (("sum", "size"), ("max", "price"))
"""Every query asks for the sum of sizes and the highest price by key."""


@dataclass(frozen=True, slots=True, order=True)
class Window:
    """A sliding window in seconds."""

    range: int
    slide: int

    @property
    def overlap(self) -> int:
        """In how many windows a tuple is."""
        return self.range // self.slide


TEN_SECONDS = Window(10, 10)
"""The floor: one tumbling query."""
HOUR_BY_SECOND = Window(3600, 1)
"""A range of 3,600 slides."""


def windows(queries: int) -> tuple[Window, ...]:
    """The first so many windows of a fixed order, so that a smaller workload is a part of a larger one.

    >>> len(set(windows(1_000)))
    1000
    >>> windows(100)[:10] == windows(10)
    True
    """
    chance = random.Random(SEED)
    drawn: list[Window] = []
    for slides in (SLIDES, MORE_SLIDES):
        pool = [Window(slide * overlap, slide) for slide in slides for overlap in OVERLAPS]
        chance.shuffle(pool)
        drawn.extend(pool)
    if not 1 <= queries <= len(drawn):
        raise ValueError(f"there are 1 to {len(drawn)} distinct windows, not {queries}")
    return tuple(drawn[:queries])


def grain(asked: tuple[Window, ...]) -> int:
    """The longest time, in seconds, of which all slides and ranges are multiples.

    >>> grain((Window(30, 10), Window(45, 15)))
    5
    """
    return math.gcd(*(length for window in asked for length in (window.range, window.slide)))
