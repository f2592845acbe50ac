"""A plan that follows its workload: one query more or less, or another rate, without planning anew.

A query whose window is there already costs nothing. One whose edges are there goes to the tree that has them. Only new
edges are weighed against every tree. With few queries, and after every hundredth part of many has changed, small
changes are made while they gain (`optimizer.follow`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from costmodel import NEEDS, TRI_OPS, WindowGroups
from costmodel.summaries import FloatArray, IntArray
from optimizer.edges.classes import PartialsRule
from optimizer.edges.space import Atoms, atom_of
from optimizer.errors import InvalidInput
from optimizer.follow import follow
from optimizer.known import Known
from optimizer.model.plan import Plan, PlannedQuery
from optimizer.problem import FEW, MANY, Partition, edge_space
from optimizer.task import Task
from optimizer.trees import BoundEdges, MaskEdges, TreeEdges, Trees
from optimizer.weaveshare import weave
from optimizer.workload import ANY_SCOPE, Workload

__all__ = ["LivePlan"]


class LivePlan:
    """Trees for the queries of now."""

    def __init__(
        self,
        queries: Sequence[PlannedQuery],
        rate: float,
        *,
        stream: str | None = None,
        technique: str = "auto",
        partials: PartialsRule = "pairs",
        execution: str = "triops",
        last: Plan | None = None,
    ) -> None:
        """Plan from the trees of the last plan, or from scratch where there is none."""
        task = Task.of(
            queries, rate, stream=stream, technique=technique, partials=partials, execution=execution
        )
        self._rate = rate
        tree_of = {m.id: tree.id for tree in last.trees for m in tree.members} if last else {}
        known = _item_trees(task.workload, [tree_of.get(q.id, -1) for q in task.workload.queries])
        trees = follow(task, known) if last else weave(task, improve=True)
        self._adopt(task, trees)

    @property
    def total(self) -> float:
        """What the plan costs."""
        once = self._task.workload.units.rate if self._task.execution is TRI_OPS else 0.0
        if self._trees is None:
            return self.plan().cost.total
        return self._trees.total + (once if self._trees.alive.any() else 0.0)

    def add(self, query: PlannedQuery) -> None:
        """Take in one query more."""
        if query.id in self._place:
            raise InvalidInput.at("id", f"{query.id[:100]!r} is in the plan already")
        tree = self._tree_for(query)
        self._added[query.id] = query
        self._place[query.id] = -1 if tree is None else tree
        if tree is None or self._is_stale():
            self._follow()

    def remove(self, query_id: str) -> None:
        """Let one query go."""
        if query_id not in self._place:
            raise InvalidInput.at("id", f"{query_id[:100]!r} is not in the plan")
        self._removed.add(query_id)
        self._changes += 1
        if self._trees is None or self._is_stale():
            self._follow()

    def set_rate(self, rate: float) -> None:
        """Follow another input rate, in tuples per second."""
        self._rate = rate
        self._follow()

    def plan(self, *, optimizer: str | None = None, epoch: int = 1) -> Plan:
        """The plan of now, with counted edges and costs."""
        task, trees = self._settled()
        name = optimizer or ("triweave" if task.execution is TRI_OPS else "weaveshare")
        return task.calculator.plan(trees, optimizer=name, improve=True, epoch=epoch)

    def _adopt(self, task: Task, trees: Partition) -> None:
        """Begin with these trees of items."""
        self._task = task
        self._items = trees
        self._added: dict[str, PlannedQuery] = {}
        self._removed: set[str] = set()
        self._changes = 0
        workload = task.workload
        tree_of_item = np.full(len(workload.items), -1, dtype=np.int64)
        for tree, items in enumerate(trees):
            tree_of_item[items] = tree
        ids = (q.id for q in workload.queries)
        self._place = dict(zip(ids, tree_of_item[workload.item_of].tolist(), strict=True))
        self._trees = None
        if len(workload.items) > FEW:
            self._trees = _live_trees(task, tree_of_item, len(trees))
            self._known = Known(workload, trees, self._trees)

    def _is_stale(self) -> bool:
        return self._changes * 100 > len(self._task.workload.items)

    def _tree_for(self, query: PlannedQuery) -> int | None:
        """The tree that a query joins; None where the workload has to be looked at as a whole."""
        trees = self._trees
        window = self._window(query) if trees is not None else None
        if trees is None or window is None:
            return None
        length, slide, scope = window
        held = self._known.item(length, slide, scope)
        if held is not None:
            return held
        self._changes += 1
        edges = atom_of(np.array([length]), np.array([slide]), self._task.partials)
        tree = self._known.atoms.get((int(edges.modulus[0]), int(edges.offset[0]), scope))
        tree = self._join(trees, query, window, edges, tree)
        if tree is not None:
            self._known.note(length, slide, scope, tree, edges)
        return tree

    def _window(self, query: PlannedQuery) -> tuple[int, int, int] | None:
        """Range and slide in the plan's unit, and the scope; None where the plan has no word for them."""
        units, first = self._task.workload.units, self._task.workload.queries[0]
        if query.stream != self._task.workload.stream or query.window.unit is not first.window.unit:
            return None
        lengths = query.window.range, query.window.slide
        scope = self._known.scopes.get(query.columns)
        if scope is None or any(length % units.length for length in lengths):
            return None
        return lengths[0] // units.length, lengths[1] // units.length, scope

    def _join(
        self,
        trees: Trees,
        query: PlannedQuery,
        window: tuple[int, int, int],
        edges: Atoms,
        tree: int | None,
    ) -> int | None:
        """Put a window into the tree of its edges, or where new edges cost least."""
        length, slide, scope = window
        group = WindowGroups(
            ranges=np.array([length]),
            slides=np.array([slide]),
            needs=np.array([sum(NEEDS[need] for need in query.needs)]),
            group=np.zeros(1, dtype=np.int64),
            count=1,
        )
        if tree is None:
            grown = _grown(trees, edges, scope)
            if grown is None:
                return None
            self._trees = trees = grown
        own, same = (trees.problem.technique.joining(group, same_range=known) for known in (False, True))
        rates = trees.edges.rates if tree is not None else trees.edges.with_row(len(trees) - 1)
        known = self._known.ranges_in(length, len(trees))
        joined = [trees.problem.final(rates, trees.summaries.with_row(part, 0)) for part in (own, same)]
        final: FloatArray = np.where(known, joined[1], joined[0])
        if tree is None:
            tree = self._place_new(trees, final, scope)
        part = same if known[tree] else own
        row = slice(tree, tree + 1)
        trees.summaries.put(tree, trees.summaries.take(row).joined(part))
        trees.final[tree] = trees.problem.final(trees.edges.rates[row], trees.summaries.take(row))[0]
        return tree

    def _place_new(self, trees: Trees, final: FloatArray, scope: int) -> int:
        """The tree where the edges of the last row cost least; the row is alive only as a tree of its own."""
        last = len(trees) - 1
        more = final - trees.final
        more[last] = trees.problem.fixed + final[last]
        apart = ~trees.alive | ((trees.scope != scope) & (trees.scope > ANY_SCOPE) & (scope > ANY_SCOPE))
        apart[last] = False
        more[apart] = np.inf
        tree = int(np.argmin(more))
        if tree != last:
            trees.edges.merge(tree, last)
            trees.scope[tree] = max(trees.scope[tree], scope)
            trees.members[tree] += trees.members[last]
            trees.members[last] = []
        trees.alive[last] = tree == last
        return tree

    def _follow(self) -> None:
        """Make small changes to the trees of now while they gain."""
        task, trees = self._settled(follows=True)
        self._adopt(task, trees)

    def _settled(self, *, follows: bool = False) -> tuple[Task, Partition]:
        """The workload of now and its trees of items."""
        task = self._task
        if not (self._added or self._removed or follows):
            return task, self._items
        queries = [q for q in (*task.workload.queries, *self._added.values()) if q.id not in self._removed]
        workload = Workload.of(queries, rate=self._rate, stream=task.workload.stream)
        now = replace(task, workload=workload)
        tree_of_item = _item_trees(workload, [self._place[q.id] for q in queries])
        if follows:
            return now, follow(now, tree_of_item)
        return now, [np.flatnonzero(tree_of_item == tree) for tree in np.unique(tree_of_item)]


def _item_trees(workload: Workload, tree_of_query: Sequence[int]) -> IntArray:
    """The tree of each item: that of any of its queries that has one."""
    found = np.full(len(workload.items), -1, dtype=np.int64)
    np.maximum.at(found, workload.item_of, np.array(tree_of_query, dtype=np.int64))
    return found


def _live_trees(task: Task, tree_of_item: IntArray, count: int) -> Trees:
    """The trees of a partition of items, in rows."""
    problem = task.problem()
    items = task.workload.items
    tree_of_atom = np.zeros(len(problem.atoms), dtype=np.int64)
    tree_of_atom[problem.atom_of] = tree_of_item
    order = np.argsort(tree_of_atom, kind="stable")
    members = np.split(order, np.cumsum(np.bincount(tree_of_atom, minlength=count))[:-1])
    scope = np.zeros(count, dtype=np.int64)
    np.maximum.at(scope, tree_of_atom, problem.scope)
    edges: TreeEdges
    if problem.space is not None:
        edges = MaskEdges(problem.space, members)
    else:
        rates = [task.calculator.edges(np.flatnonzero(tree_of_item == t), trees=count) for t in range(count)]
        edges = BoundEdges(np.array([found.edge_rate for found in rates]))
    return Trees(
        problem,
        edges,
        summaries=problem.technique.summarise(items.groups(tree_of_item, count), coarse=True),
        scope=scope,
        members=[atoms.tolist() for atoms in members],
    )


def _grown(trees: Trees, new: Atoms, scope: int) -> Trees | None:
    """The same trees with a row more for new edges, which is no tree yet; None where the edges do not fit in."""
    problem = trees.problem
    atoms = Atoms(np.append(problem.atoms.modulus, new.modulus), np.append(problem.atoms.offset, new.offset))
    members = [*trees.members, [len(atoms) - 1]]
    edges: TreeEdges
    fixed = problem.fixed
    if isinstance(trees.edges, MaskEdges):
        space = edge_space(atoms) if len(atoms) <= MANY else None
        if space is None:
            return None
        masks = [np.array(rows, dtype=np.int64) for rows in members]
        edges = MaskEdges(space, masks)
        if problem.is_shared:
            fixed = problem.edges_per_unit * space.rate(np.arange(len(atoms)))
    else:
        space = None
        edges = BoundEdges(np.append(trees.edges.rates, new.rates))
    grown = Trees(
        replace(problem, atoms=atoms, scope=np.append(problem.scope, scope), space=space, fixed=fixed),
        edges,
        summaries=trees.summaries.followed_by(trees.summaries.take(slice(0, 1)).emptied()),
        scope=np.append(trees.scope, scope),
        members=members,
    )
    grown.alive[:-1] = trees.alive
    grown.alive[-1] = False
    return grown
