"""Bit Set as an edge space: every position of the composite slide is a bit (doc 001 3.1, row I-17)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from costmodel.summaries import BitArray, FloatArray
from optimizer.edges.space import Atoms, EdgeSpace

__all__ = ["BitSetSpace", "pack_bits"]


class BitSetSpace(EdgeSpace):
    """Rows of bits.

    >>> from optimizer.edges.space import Atoms
    >>> space = BitSetSpace(Atoms(np.array([5, 4]), np.array([3, 1])))
    >>> space.rate(np.array([0, 1]))
    0.7
    """

    def __init__(self, atoms: Atoms) -> None:
        unit = atoms.unit
        scaled = atoms.scaled(unit)
        length = math.lcm(*scaled.modulus.tolist())
        rows = np.zeros((len(atoms), length), dtype=np.bool_)
        for row, modulus, offset in zip(rows, scaled.modulus, scaled.offset, strict=True):
            row[::modulus] = True
            row[offset::modulus] = True
        self.masks = pack_bits(rows)
        self.length = length * unit
        self._whole = float(self.length)

    def rates(self, masks: NDArray[Any]) -> FloatArray:
        """The bits that are set."""
        rates: FloatArray = np.bitwise_count(masks).sum(axis=1) / self._whole
        return rates


def pack_bits(rows: NDArray[np.bool_]) -> BitArray:
    """Rows of truth values as rows of 64-bit words.

    >>> pack_bits(np.array([[True, False, True]])).shape
    (1, 1)
    """
    short = -rows.shape[1] % 64
    padded = np.pad(rows, ((0, 0), (0, short))) if short else rows
    return np.packbits(padded, axis=1).view(np.uint64)
