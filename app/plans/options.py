"""The ways to plan: what a caller asks for, with its defaults filled in, and what a job can run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from app.plans.schemas import OptimizeIn, WhatIfIn
from costmodel import AUTO, TECHNIQUES
from optimizer.edges.classes import PartialsRule
from optimizer.errors import FieldError, Unsupported
from optimizer.registry import OPTIMIZERS

__all__ = ["DEFAULT", "Choice", "choose", "last_choice"]

RUNNING: tuple[PartialsRule, ...] = ("pairs", "panes")
"""The partials that jobs cut; Cutty reads open fragments, which Spark does not show."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """A way to plan."""

    optimizer: str = "auto"
    technique: str = AUTO.name
    partials: PartialsRule = RUNNING[0]
    improve: bool = True


DEFAULT = Choice()
"""How a stream is planned unless somebody asked for another way."""


def choose(options: OptimizeIn | WhatIfIn) -> Choice:
    """The way to plan that is asked for, or an error that says which there are.

    What is put into force must be what jobs run; more can be estimated.
    """
    estimate = isinstance(options, WhatIfIn) or options.dry_run
    optimizers = tuple(name for name, _ in OPTIMIZERS)
    partials = (*RUNNING, "cutty") if estimate else RUNNING
    errors = [
        FieldError(field=field, message=f"{value!r} does not run yet: use one of {', '.join(known)}")
        for field, value, known in (
            ("optimizer", options.optimizer, optimizers),
            ("technique", options.technique, (AUTO.name, *(t.name for t in TECHNIQUES))),
            ("partials", options.partials, partials),
        )
        if value not in known
    ]
    if errors:
        raise Unsupported(errors)
    return Choice(
        optimizer=options.optimizer,
        technique=options.technique,
        partials=options.partials,
        improve=options.optimizer == "auto" if options.improve is None else options.improve,
    )


def last_choice(document: dict[str, Any] | None) -> Choice:
    """The way in which a stream's last plan was made; plans that do not say are of another time."""
    if document is None or "requested" not in document:
        return DEFAULT
    return Choice(**document["requested"], partials=document["partials"])
