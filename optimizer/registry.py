"""The tuple of all optimizers, in the order in which they are shown."""

from __future__ import annotations

from optimizer.auto import auto
from optimizer.base import Optimizer
from optimizer.exact import exact
from optimizer.no_share import no_share
from optimizer.shared import shared
from optimizer.triweave import triweave
from optimizer.weaveshare import weaveshare

__all__ = ["OPTIMIZERS", "find_optimizer"]

OPTIMIZERS: tuple[tuple[str, Optimizer], ...] = (
    ("auto", auto),
    ("no_share", no_share),
    ("shared", shared),
    ("weaveshare", weaveshare),
    ("triweave", triweave),
    ("exact", exact),
)


def find_optimizer(name: str) -> Optimizer | None:
    """The optimizer of that name.

    >>> find_optimizer("weaveshare").__name__
    'weaveshare'
    """
    return dict(OPTIMIZERS).get(name)
