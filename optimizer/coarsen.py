"""Merging of more atoms than all pairs can be compared of, until few enough trees are left for that.

1. **Within a slide.** Windows of one slide differ in one offset each, so that a tree of k of them has k + 1 edges a
   slide. Sorted by Omega, best trees are neighbours: heavy ones in small trees, light ones in large trees. All slides
   merge their best neighbours at once, round after round.
2. **Matching.** The cheapest tree chooses the partner that gains most, then the next one of those that are left, until
   a quarter of the trees is merged; then all are weighed anew.

Edge rates here are estimates (`OverlapEdges`); those of the finished plan are counted.
"""

from __future__ import annotations

import numpy as np

from costmodel import Summaries
from costmodel.summaries import FloatArray, IntArray
from optimizer.overlaps import OverlapEdges, Progressions
from optimizer.problem import MANY, Partition, Problem
from optimizer.trees import Trees

__all__ = ["coarse_trees"]

MOST = 8_000
"""Trees of which all pairs are weighed at all; of more, the cheapest ones, which have most to gain."""
LEAST = 50
"""Matching ends when it would merge fewer than one in so many trees: weighing all of them is not worth it."""


def coarse_trees(problem: Problem) -> tuple[Trees | None, Partition]:
    """Trees few enough to merge greedily, if there are, and those that are finished."""
    atoms = problem.atoms
    label = np.arange(len(atoms))
    progressions = Progressions.of(atoms)
    summaries, scope = problem.summaries, problem.scope
    if len(atoms) > MOST:
        label, progressions, summaries, scope = _within_slides(problem, progressions)
    members = _members(label, len(scope))
    costs = problem.final(progressions.rates, summaries)
    order = np.argsort(costs, kind="stable")
    light, heavy = np.sort(order[:MOST]), np.sort(order[MOST:])
    own = [members[t] for t in light.tolist()]
    edges = OverlapEdges.of(progressions.take(light), atoms, own)
    trees = Trees(problem, edges, summaries=summaries.take(light), scope=scope[light], members=own)
    while len(trees) > MANY:
        pairs = _matching(trees)
        if not pairs:
            break
        trees, edges = _merged(trees, edges, pairs)
        if len(pairs) * LEAST < len(trees):
            break
    if len(trees) > MANY:
        return None, [*trees.partition(), *(np.array(members[t]) for t in heavy.tolist())]
    return trees, [np.array(members[t]) for t in heavy.tolist()]


def _within_slides(
    problem: Problem, progressions: Progressions
) -> tuple[IntArray, Progressions, Summaries, IntArray]:
    """Merge neighbours of one slide and scope until no pair of neighbours gains."""
    summaries, scope = problem.summaries, problem.scope
    weight = problem.technique.per_edge(summaries, progressions.rates)
    order = np.lexsort((weight, scope, progressions.modulus))
    label = np.empty(len(order), dtype=np.int64)
    label[order] = np.arange(len(order))
    progressions, summaries, scope = progressions.take(order), summaries.take(order), scope[order]
    while True:
        final = problem.final(progressions.rates, summaries)
        left, right = slice(0, -1), slice(1, None)
        joined = summaries.take(left).joined(summaries.take(right))
        together = progressions.take(left).joined(progressions.take(right))
        gains = problem.fixed + final[left] + final[right] - problem.final(together.rates, joined)
        apart = (progressions.modulus[left] != progressions.modulus[right]) | (scope[left] != scope[right])
        gains[apart] = -np.inf
        chosen = _peaks(gains)
        if not chosen.any():
            return label, progressions, summaries, scope
        kept = np.concatenate([[True], ~chosen])
        label = (np.cumsum(kept) - 1)[label]
        rows = np.flatnonzero(chosen)
        for mine, merged in zip(summaries.columns, joined.columns, strict=True):
            mine[rows] = merged[rows]
        progressions.residues[rows] = together.residues[rows]
        keep = np.flatnonzero(kept)
        progressions, summaries, scope = progressions.take(keep), summaries.take(keep), scope[keep]


def _peaks(gains: FloatArray) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
    """Gains that are positive and larger than those of both neighbours, so that no two of them meet."""
    padded = np.concatenate([[-np.inf], gains, [-np.inf]])
    peaks: np.ndarray[tuple[int, ...], np.dtype[np.bool_]] = (
        (gains > 0) & (gains >= padded[:-2]) & (gains > padded[2:])
    )
    return peaks


def _matching(trees: Trees) -> list[tuple[int, int]]:
    """Disjoint pairs that gain, at most a quarter of the trees: the cheapest trees choose first, of what is left."""
    free = np.ones(len(trees), dtype=np.bool_)
    pairs: list[tuple[int, int]] = []
    for row in np.argsort(trees.final, kind="stable").tolist():
        if not free[row]:
            continue
        gains = np.where(free, trees.gains(row), -np.inf)
        other = int(np.argmax(gains))
        if gains[other] > 0:
            free[[row, other]] = False
            pairs.append((min(row, other), max(row, other)))
            if len(pairs) >= max(len(trees) // 4, 1):
                break
    return pairs


def _merged(trees: Trees, edges: OverlapEdges, pairs: list[tuple[int, int]]) -> tuple[Trees, OverlapEdges]:
    """The trees with those pairs merged."""
    left, right = (np.array(side) for side in zip(*pairs, strict=True))
    keep = np.setdiff1d(np.arange(len(trees)), right)
    joined = trees.summaries.take(left).joined(trees.summaries.take(right))
    for mine, merged in zip(trees.summaries.columns, joined.columns, strict=True):
        mine[left] = merged
    trees.scope[left] = np.maximum(trees.scope[left], trees.scope[right])
    for row, other in pairs:
        trees.members[row] += trees.members[other]
    members = [trees.members[row] for row in keep.tolist()]
    edges = edges.matched(left, right, keep)
    merged_trees = Trees(
        trees.problem,
        edges,
        summaries=trees.summaries.take(keep),
        scope=trees.scope[keep],
        members=members,
    )
    return merged_trees, edges


def _members(label: IntArray, count: int) -> list[list[int]]:
    order = np.argsort(label, kind="stable")
    return [rows.tolist() for rows in np.split(order, np.cumsum(np.bincount(label, minlength=count))[:-1])]
