"""What inverting kernels do where inverting is not exact: combine an answer afresh (row I-06, doc 001 2.2)."""

from __future__ import annotations

import numpy as np

from planner_spark.kernels.lane import Field, InvertibleLane, Parts

__all__ = ["combine_afresh", "lifted_fields"]


def lifted_fields(lane: InvertibleLane) -> tuple[Field, ...]:
    """The arrays of a lane's group form."""
    zero = lane.inverse.lift(lane.identity((1,)))
    return tuple(
        Field(name=f"{lane.name}:{i}", dtype=part.dtype, identity=part[0]) for i, part in enumerate(zero)
    )


def combine_afresh(lane: InvertibleLane, row: Parts, partials: Parts) -> float:
    """Overwrite what is not sound in a lifted row [key] by its partials [n, key] together; returns the operations.

    Only the keys that need it are combined: a whole row of n partials would be n operations, a share of it that share.
    """
    sound = lane.inverse.sound(row)
    if sound is None or sound.all():
        return 0.0
    keys = np.nonzero(~sound)[0]
    # The identity first, for windows without partials.
    begin = lane.identity((1, len(keys)))
    chain = tuple(np.concatenate([a, b[:, keys]]) for a, b in zip(begin, partials, strict=True))
    for part, sums in zip(row, lane.inverse.accumulate(lane.inverse.lift(chain)), strict=True):
        part[keys] = sums[-1]
    return len(partials[0]) * len(keys) / len(sound)
