"""Omega of SlickDeque (Non-Inv): a monotonic deque (doc 001 Eq. 7, row I-28; X-11, X-12).

``2 - 2/Pmax`` comparisons keep the deque, and one traversal answers the Q queries of the tree: Q, and the average
length of the deque. The paper prints that length as the sum of 1/i!; what a simulation measures is the harmonic
number, which is offered beside it. A window holds at least one partial, so that Pmax is at least 1.
"""

from __future__ import annotations

import math

import numpy as np

from costmodel.base import Need, Technique, WindowGroups
from costmodel.summaries import FloatArray, Summaries

__all__ = ["SLICKDEQUE_NONINV", "SLICKDEQUE_NONINV_HARMONIC", "SlickDequeNonInv", "SlickDequeNonInvHarmonic"]

_INVERSE_FACTORIALS = np.cumsum([0.0] + [1 / math.factorial(i) for i in range(1, 21)])
_HARMONIC = np.cumsum([0.0] + [1 / i for i in range(1, 1001)])


class SlickDequeNonInv(Technique):
    """A deque of partials that may still be an answer.

    >>> from costmodel.base import TreeStats
    >>> round(SLICKDEQUE_NONINV(TreeStats.of(edge_rate=0.5, windows=[(6, 2), (8, 4)])), 6)
    5.208333
    """

    name = "slickdeque_noninv"
    formula = "2 - 2/Pmax + Q + sum_{i<=Pmax} 1/i!, Pmax = max r_i E"
    capability = "a selective aggregate: min, max"
    serves = frozenset({Need.SELECTIVE})
    width = 2

    def summarise(self, windows: WindowGroups, *, coarse: bool = False) -> Summaries:
        """The number of distinct windows, and the longest range."""
        longest = np.zeros(windows.count)
        np.maximum.at(longest, windows.group, windows.ranges.astype(np.float64))
        return Summaries((windows.total(np.ones(len(windows.group))), longest), (np.add, np.maximum))

    def per_edge(self, trees: Summaries, edge_rates: FloatArray) -> FloatArray:
        """The formula; without windows there is no deque."""
        queries, longest = trees.columns
        most = np.maximum(np.round(longest * edge_rates, 9), 1.0)
        omega: FloatArray = 2 - 2 / most + queries + self.length(np.floor(most))
        return np.where(queries > 0, omega, 0.0)

    def length(self, partials: FloatArray) -> FloatArray:
        """The average length of the deque."""
        return _INVERSE_FACTORIALS[np.minimum(partials, 20).astype(np.int64)]


class SlickDequeNonInvHarmonic(SlickDequeNonInv):
    """The same with the deque's measured length, H_n.

    >>> from costmodel.base import TreeStats
    >>> round(SLICKDEQUE_NONINV_HARMONIC(TreeStats.of(edge_rate=0.5, windows=[(6, 2), (8, 4)])), 6)
    5.583333
    """

    name = "slickdeque_noninv_harmonic"
    formula = "2 - 2/Pmax + Q + sum_{i<=Pmax} 1/i, Pmax = max r_i E"

    def length(self, partials: FloatArray) -> FloatArray:
        """The harmonic number: looked up, or from its expansion where that is exact to 15 digits."""
        n = np.maximum(partials, 1.0)
        far = np.log(n) + np.euler_gamma + 1 / (2 * n) - 1 / (12 * n**2)
        return np.where(n <= 1000, _HARMONIC[np.minimum(n, 1000).astype(np.int64)], far)


SLICKDEQUE_NONINV = SlickDequeNonInv()
SLICKDEQUE_NONINV_HARMONIC = SlickDequeNonInvHarmonic()
