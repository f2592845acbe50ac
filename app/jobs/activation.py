"""From which event time on a query that joins a running stream is answered.

A query that is there when a generation first starts is answered from the first tuple on. One that joins a
generation that has read tuples already must not see half a window: fragments that are open at the switch
keep the bounds of the old plan, and may reach across the new query's edges. All of them end at or before
the next multiple of any of the old plan's slides, because every such multiple is an edge. From there on the
windows of the new query are whole.
"""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["active_from"]


def active_from(slides: Iterable[int], read_until: int | None) -> int | None:
    """The first event time at which no fragment of the old plan is open; None when no tuple was read.

    ``slides`` are those of the old plan, ``read_until`` an event time that no tuple it has read is later
    than.

    >>> active_from([30, 20], 95)
    100
    >>> active_from([30, 20], 100)
    120
    >>> active_from([30, 20], None) is None
    True
    """
    if read_until is None:
        return None
    slide = min(slides)
    return (read_until // slide + 1) * slide
