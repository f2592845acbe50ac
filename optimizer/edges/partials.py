"""Partials per window (doc 001 Table 1, rows I-01..I-04): what a window's answer is combined from."""

from __future__ import annotations

import math

from optimizer.edges.classes import PartialsRule
from optimizer.model.window import Window

__all__ = ["partials_per_window"]


def partials_per_window(window: Window, *, partials: PartialsRule) -> int:
    """How many partials cover one window of a query that runs alone.

    >>> window = Window(range=14_000, slide=8_000)
    >>> [partials_per_window(window, partials=rule) for rule in ("panes", "pairs", "cutty")]
    [7, 3, 2]
    """
    slides, rest = divmod(window.range, window.slide)
    match partials:
        case "panes":
            return window.range // math.gcd(window.range, window.slide)
        case "pairs":
            # Each slide is cut in two where a window ends inside it; the window's own end adds the last one.
            return 2 * slides + 1 if rest else slides
        case "cutty":
            return slides + bool(rest)
