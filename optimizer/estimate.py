"""What a plan takes on a measured machine: from trees and keys to seconds (doc 001 5.3-5.4, row I-37).

Trees are looked at as jobs run them: queries of one predicate and grouping are a view, the windows of a tree over a
view are answered by a kernel for each lane, and tuples are counted in a lane of their own.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from costmodel import TRI_OPS
from costmodel.calibration import Calibration
from costmodel.estimate import FinalWork, LaneWork, PlanWork, distinct_keys, estimate, lane_seconds
from costmodel.tree_work import TreeWork
from optimizer.edges.classes import PartialsRule, ResidueClass, classes_of, reduce_classes
from optimizer.model.durations import MICROS
from optimizer.model.plan import EVERY_COLUMN, Lane, Plan, PlannedQuery, Tree
from optimizer.model.window import Unit

__all__ = ["UNKNOWN_CARDINALITY", "Estimator"]

UNKNOWN_CARDINALITY = 100
"""Distinct values that a column is taken to have where nobody said."""
COUNTS = Lane(operation="count", column=EVERY_COLUMN)
"""Tuples are counted under every tree, to know which keys are part of an answer."""
WALKED = 200
"""Distinct windows of a tree up to which partials are counted by a walk along its composite slide."""
MIXED = "mixed"
View = tuple[str | None, tuple[str, ...]]
_SECOND = MICROS["s"]


@dataclass(frozen=True, kw_only=True)
class Estimator:
    """Estimates plans of one stream; ``batches`` are micro-batches per second."""

    calibration: Calibration
    cardinalities: Mapping[str, int] = field(default_factory=dict)
    shards: int = 2
    batches: float = 1.0

    def of(self, plan: Plan) -> Plan:
        """The plan with its estimate; as it is where its windows are not by time."""
        if not plan.trees or any(m.window.unit is not Unit.TIME for t in plan.trees for m in t.members):
            return plan
        rate = plan.rate * _SECOND / _length(plan)
        work = self._work(plan, rate)
        whole, own = estimate(work, self.calibration)
        if not math.isfinite(whole.seconds_per_second):
            return plan
        trees = tuple(replace(tree, seconds_per_second=own.get(tree.id, 0.0)) for tree in plan.trees)
        return replace(plan, trees=trees, estimate=whole)

    def tuned(self, plan: Plan) -> Plan:
        """The plan with the technique for each lane that takes least time, and its estimate."""
        if not plan.trees or any(m.window.unit is not Unit.TIME for t in plan.trees for m in t.members):
            return plan
        rate = plan.rate * _SECOND / _length(plan)
        trees = tuple(self._tuned_tree(tree, plan, rate) for tree in plan.trees)
        used = {tree.technique for tree in trees}
        technique = used.pop() if len(used) == 1 else MIXED
        return self.of(replace(plan, trees=trees, technique=technique))

    def _tuned_tree(self, tree: Tree, plan: Plan, rate: float) -> Tree:
        techniques = dict(tree.lane_techniques)
        shards = self._shards(plan)
        for lane, current in techniques.items():
            seconds: dict[str, float] = {}
            for view, members in _views(tree).items():
                needed = _lanes(members)
                if lane not in needed:
                    continue
                keys = self._keys(view, rate, members)
                for name in self.calibration.techniques(_kind(lane)):
                    work = self._lane_work(lane, name, tree, members, plan)
                    took = (
                        lane_seconds(work, keys, self.calibration, batches=self.batches, shards=shards)
                        if work.technique == name
                        else math.inf
                    )
                    seconds[name] = seconds.get(name, 0.0) + took
            least = min(seconds, key=seconds.__getitem__, default=current)
            if math.isfinite(seconds.get(least, math.inf)):
                techniques[lane] = least
        names = set(techniques.values()) or {tree.technique}
        return replace(
            tree,
            lane_techniques=tuple(techniques.items()),
            technique=names.pop() if len(names) == 1 else MIXED,
        )

    def _work(self, plan: Plan, rate: float) -> PlanWork:
        shards = self._shards(plan)
        shared = plan.execution == TRI_OPS.name
        seconds = _SECOND / _length(plan)
        finals, results, answers, classes, readers = [], 0.0, 0.0, 0, 0
        entries, roll_ups = 0.0, 0.0
        views: dict[View, float] = {}
        groups = sorted({name for tree in plan.trees for m in tree.members for name in m.group_by})
        everybody = self._product(groups)
        whole = plan.edge_rate * seconds
        for tree in plan.trees:
            fragments = whole if shared else tree.edge_rate * seconds
            own = fragments * distinct_keys(everybody, rate / fragments) if fragments else 0.0
            if not shared:
                entries += own
                readers += 1
                classes += len(_classes(tree.members, plan.partials))
            for view, members in _views(tree).items():
                if shared:
                    views[view] = own
                else:
                    roll_ups += own
                finals.append(self._final(tree, view, members, plan, rate, fragments))
                for member in _distinct(members):
                    slide = member.window.slide / _SECOND
                    tuples = rate * member.window.range / _SECOND
                    results += distinct_keys(self._product(view[1]), tuples) / slide
                    answers += min(1 / slide, self.batches)
        if shared:
            entries = whole * distinct_keys(everybody, rate / whole) if whole else 0.0
            roll_ups = math.fsum(views.values())
            readers = 1
            classes = len(_classes([m for tree in plan.trees for m in tree.members], plan.partials))
        return PlanWork(
            rate=rate,
            classes=classes,
            readers=readers,
            entries=entries,
            roll_ups=roll_ups,
            finals=tuple(finals),
            answers=answers,
            results=results,
            batches=self.batches,
            shards=shards,
        )

    def _final(
        self,
        tree: Tree,
        view: View,
        members: Sequence[PlannedQuery],
        plan: Plan,
        rate: float,
        fragments: float,
    ) -> FinalWork:
        named = dict(tree.lane_techniques)
        lanes = tuple(
            self._lane_work(
                lane, named.get(lane, "r_int" if lane == COUNTS else tree.technique), tree, members, plan
            )
            for lane in _lanes(members)
        )
        return FinalWork(
            tree=tree.id,
            keys=self._keys(view, rate, members),
            fragments=fragments,
            windows=len({m.window for m in members}),
            lanes=lanes,
        )

    def _lane_work(
        self, lane: Lane, technique: str, tree: Tree, members: Sequence[PlannedQuery], plan: Plan
    ) -> LaneWork:
        """A lane answers the windows of the queries that are lowered from it."""
        asking = [m for m in members if lane == COUNTS or lane in m.lanes]
        kind = _kind(lane)
        single = len({m.window.range for m in asking}) == 1
        ran = _ran(technique, kind, single)
        windows = {(m.window.range, m.window.slide) for m in asking}
        scale = math.gcd(*(length for window in windows for length in window))
        edges = None
        if len({m.window for m in tree.members}) <= WALKED:
            found = _classes(tree.members, plan.partials)
            scale = math.gcd(scale, *(n for c in found for n in (c.modulus, c.residue)))
            edges = [(c.residue // scale, c.modulus // scale) for c in found]
        work = TreeWork.of(
            edge_rate=tree.edge_rate / _length(plan) * scale,
            windows=((r // scale, s // scale) for r, s in windows),
            edges=edges,
            together=tree.edge_rate * _SECOND / _length(plan) / self.batches,
            exact=kind != "sum",
        )
        return LaneWork(kind=kind, technique=ran, work=work.per(_SECOND / scale))

    def _keys(self, view: View, rate: float, members: Sequence[PlannedQuery]) -> float:
        """Keys of a view, at most as many as there are tuples in its longest range."""
        longest = max(m.window.range for m in members) / _SECOND
        return max(min(self._product(view[1]), rate * longest), 1.0)

    def _product(self, columns: Sequence[str]) -> float:
        return float(math.prod(self.cardinalities.get(name, UNKNOWN_CARDINALITY) for name in columns))

    def _shards(self, plan: Plan) -> int:
        """Keys meet in one shard by the attributes that all queries have in common: without any there is one."""
        groupings = [set(m.group_by) for tree in plan.trees for m in tree.members]
        common = set.intersection(*groupings) if groupings else set()
        return max(int(min(self.shards, self._product(sorted(common)))), 1)


def _length(plan: Plan) -> float:
    """Microseconds in the plan's unit of time."""
    return float(MICROS[plan.time_unit.removeprefix("1")])


def _views(tree: Tree) -> dict[View, list[PlannedQuery]]:
    found: dict[View, list[PlannedQuery]] = {}
    for member in tree.members:
        found.setdefault((member.where, tuple(sorted(member.group_by))), []).append(member)
    return found


def _distinct(members: Sequence[PlannedQuery]) -> list[PlannedQuery]:
    """Queries that are the same are answered once."""
    return list({(m.window, m.calls): m for m in members}.values())


def _lanes(members: Sequence[PlannedQuery]) -> tuple[Lane, ...]:
    return (COUNTS, *sorted({lane for m in members for lane in m.lanes} - {COUNTS}))


def _classes(members: Sequence[PlannedQuery], partials: PartialsRule) -> tuple[ResidueClass, ...]:
    windows = {m.window for m in members}
    return reduce_classes([c for window in windows for c in classes_of(window, partials=partials)])


def _kind(lane: Lane) -> str:
    return "extreme" if lane.operation in ("min", "max") else lane.operation


def _ran(technique: str, kind: str, single: bool) -> str:
    """What a job runs instead of a technique that cannot answer several ranges."""
    own = technique.removesuffix("_harmonic")
    if own in ("two_stacks", "daba") and not single:
        return "r_int" if kind in ("count", "sum") else "b_int"
    return own
