"""Which of the contract's optimizers, techniques and partials run today."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from app.plans.schemas import OptimizeIn, WhatIfIn
from costmodel import TECHNIQUES
from optimizer.errors import FieldError, Unsupported
from optimizer.registry import OPTIMIZERS

__all__ = ["CAPABILITIES", "IN_FORCE", "Choice", "choose"]

CAPABILITIES = {"panes": "any aggregate"}
"""What an aggregate must be capable of for each technique."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """A way to plan, with ``auto`` resolved."""

    optimizer: str = "shared"
    technique: str = "panes"
    partials: Literal["pairs", "panes", "cutty"] = "pairs"


IN_FORCE = Choice()
"""How jobs are planned."""


def choose(options: OptimizeIn | WhatIfIn) -> Choice:
    """The way to plan that is asked for, or an error that says which there are.

    What is put into force must be what jobs run; more can be estimated.
    """
    estimate = isinstance(options, WhatIfIn) or options.dry_run
    optimizers = tuple(name for name, _ in OPTIMIZERS) if estimate else (IN_FORCE.optimizer,)
    partials = ("pairs", "panes", "cutty") if estimate else (IN_FORCE.partials,)
    errors = [
        FieldError(field=field, message=f"{value!r} does not run yet: use one of {', '.join(known)}")
        for field, value, known in (
            ("optimizer", options.optimizer, ("auto", *optimizers)),
            ("technique", options.technique, ("auto", *(t.name for t in TECHNIQUES))),
            ("partials", options.partials, partials),
        )
        if value not in known
    ]
    if options.improve and options.optimizer != "auto":
        errors.append(
            FieldError(field="improve", message="no improvement pass runs yet: leave it out, or say false")
        )
    if errors:
        raise Unsupported(errors)
    return Choice(
        optimizer=IN_FORCE.optimizer if options.optimizer == "auto" else options.optimizer,
        technique=IN_FORCE.technique if options.technique == "auto" else options.technique,
        partials=options.partials,
    )
