"""Slow and obvious: the papers' greedy as written, and every partition of a set."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction

from costmodel import Technique, TreeStats
from optimizer.edges.bitset import bitset_count
from optimizer.edges.classes import PartialsRule, classes_of
from optimizer.edges.f1 import f1_density
from optimizer.model.plan import PlannedQuery
from optimizer.model.window import Unit, Window

Shape = tuple[int, int]
Counter = Callable[[list[Shape]], float]


def query(id_: str, r: int, s: int, **rest) -> PlannedQuery:
    return PlannedQuery(id=id_, stream="s", window=Window(range=r, slide=s, unit=Unit.ABSTRACT), **rest)


def queries_of(shapes: list[Shape]) -> list[PlannedQuery]:
    return [query(f"q{number}", r, s) for number, (r, s) in enumerate(shapes)]


def by_f1(partials: PartialsRule) -> Counter:
    """Edge rates by the closed form."""

    def rate(shapes: list[Shape]) -> float:
        classes = list({c for s in shapes for c in classes_of(_window(s), partials=partials)})
        density = f1_density(classes, max_terms=10**6)
        return float(density) if isinstance(density, Fraction) else float("nan")

    return rate


def by_bitset(partials: PartialsRule) -> Counter:
    """Edge rates by marking."""

    def rate(shapes: list[Shape]) -> float:
        marked, length = bitset_count({c for s in shapes for c in classes_of(_window(s), partials=partials)})
        return marked / length

    return rate


def greedy_as_written(
    shapes: list[Shape], *, rate_of: Counter, technique: Technique, fixed: float, noise: float = 1e-12
) -> tuple[list[list[Shape]], list[float]]:
    """Alg. 1 of doc 000, with the best pair sought anew in each round (X-14); and the gain of each merge."""
    trees = [[shape] for shape in shapes]
    gains = []

    def cost(tree: list[Shape]) -> float:
        edge_rate = rate_of(tree)
        return fixed + edge_rate * technique(TreeStats.of(edge_rate=edge_rate, windows=tree))

    slack = noise * max(cost(tree) for tree in trees)
    while True:
        pairs = [
            (cost(trees[i]) + cost(trees[j]) - cost(trees[i] + trees[j]), i, j)
            for i in range(len(trees))
            for j in range(i + 1, len(trees))
        ]
        top = max((gain for gain, _, _ in pairs), default=0.0)
        if not top > slack:
            return trees, gains
        _, i, j = next(pair for pair in pairs if pair[0] >= top - slack)
        gains.append(top)
        trees[i] += trees.pop(j)


def partitions(items: list[int]) -> Iterator[list[list[int]]]:
    """Every partition of a list."""
    if not items:
        yield []
        return
    for rest in partitions(items[1:]):
        for number, part in enumerate(rest):
            yield [*rest[:number], [items[0], *part], *rest[number + 1 :]]
        yield [[items[0]], *rest]


def _window(shape: Shape) -> Window:
    return Window(range=shape[0], slide=shape[1], unit=Unit.ABSTRACT)
