"""The states of a job: what is wanted, what is seen, and how the one may follow the other.

    stopped ──▶ starting ──▶ running ◀──▶ switching
       ▲           │            │  │
       │           │   crash    │  └──▶ finished     the source is bounded and every result is out
       │           ├────────────┤
       │           ▼            ▼
       │       recovering ◀─────┘       waits, starts again, and is running once more
       │           │
       │           ├──────────▶ failed  another start would fail in the same way
       └── stopping ◀── any state with a living driver

How one leaves a state: ``stopped``, ``finished`` and ``failed`` by a request to start; ``starting``,
``switching`` and ``recovering`` by themselves; ``running`` by a request to stop, a crash, or the end of the
data; ``stopping`` when the driver is gone.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

__all__ = ["TRANSITIONS", "Desired", "IllegalTransitionError", "Observed", "check_transition"]


class Desired(StrEnum):
    """What the last call asked for."""

    RUNNING = "running"
    STOPPED = "stopped"


class Observed(StrEnum):
    """What is the case."""

    STOPPED = "stopped"
    STARTING = "starting"
    RUNNING = "running"
    SWITCHING = "switching"
    STOPPING = "stopping"
    RECOVERING = "recovering"
    FINISHED = "finished"
    FAILED = "failed"


_O = Observed
TRANSITIONS: Mapping[Observed, frozenset[Observed]] = {
    # A start that finds the stream finished already, or refuses it, starts no driver.
    _O.STOPPED: frozenset({_O.STARTING, _O.FINISHED, _O.FAILED}),
    _O.STARTING: frozenset({_O.RUNNING, _O.STOPPING, _O.STOPPED, _O.RECOVERING, _O.FINISHED, _O.FAILED}),
    _O.RUNNING: frozenset({_O.SWITCHING, _O.STOPPING, _O.STOPPED, _O.RECOVERING, _O.FINISHED, _O.FAILED}),
    _O.SWITCHING: frozenset({_O.RUNNING, _O.STOPPING, _O.STOPPED, _O.RECOVERING, _O.FINISHED, _O.FAILED}),
    # A driver may reach the end of its data, and another request to start may come, before it has stopped.
    _O.STOPPING: frozenset({_O.STOPPED, _O.STARTING, _O.FINISHED, _O.FAILED}),
    _O.RECOVERING: frozenset({_O.STARTING, _O.RUNNING, _O.STOPPING, _O.STOPPED, _O.FINISHED, _O.FAILED}),
    _O.FINISHED: frozenset({_O.STARTING, _O.STOPPED, _O.FAILED}),
    _O.FAILED: frozenset({_O.STARTING, _O.STOPPED, _O.FINISHED}),
}
"""From each state, the states that may come next; staying is always legal."""


class IllegalTransitionError(Exception):
    """A state was followed by one that cannot follow it: a mistake in the supervisor."""


def check_transition(before: Observed, after: Observed) -> None:
    """Raise unless ``after`` may follow ``before``.

    >>> check_transition(Observed.STOPPED, Observed.STARTING)
    >>> check_transition(Observed.STOPPED, Observed.RUNNING)
    Traceback (most recent call last):
    app.jobs.state.IllegalTransitionError: stopped cannot become running
    """
    if after is not before and after not in TRANSITIONS[before]:
        raise IllegalTransitionError(f"{before} cannot become {after}")
