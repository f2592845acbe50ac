"""Plans that follow their workload: cost within 1% of planning anew, and nothing forgotten."""

from __future__ import annotations

import random

import pytest

from optimizer.auto import auto
from optimizer.errors import InvalidInput
from optimizer.generate import draw, draw_free, planned
from optimizer.live import LivePlan
from optimizer.model.plan import PlannedQuery, check_plan
from optimizer.model.window import Unit, Window
from optimizer.reoptimize import reoptimize
from optimizer.shared import shared
from optimizer.triweave import triweave
from optimizer.weaveshare import weaveshare
from tests.optimizer.reference import query

FULL = {"twoops": weaveshare, "triops": triweave}
SLIDES = (1, 2, 4, 5, 8, 10, 20, 25, 40, 50, 100, 125, 200, 250, 500, 1000)


def newcomer(chance: random.Random, number: int) -> PlannedQuery:
    slide = chance.choice(SLIDES) if chance.random() < 0.9 else chance.randint(1, 30)
    length = slide * chance.randint(1, 60) if chance.random() < 0.7 else chance.randint(1, 40 * slide)
    return query(f"n{number}", length, slide)


@pytest.mark.parametrize("execution", ["twoops", "triops"])
@pytest.mark.parametrize(
    "technique", ["panes", "flatfat", "flatfit", "slickdeque_inv", "slickdeque_noninv", "auto"]
)
def test_a_plan_follows_queries_that_come_and_go_and_rates_that_change(technique, execution):
    chance = random.Random(31)
    now = {q.id: q for q in (newcomer(chance, n) for n in range(12))}
    rate = 2.0
    live = LivePlan(list(now.values()), rate, technique=technique, execution=execution)
    for number in range(100, 116):
        step = chance.random()
        if step < 0.5 or len(now) < 3:
            new = newcomer(chance, number)
            now[new.id] = new
            live.add(new)
        elif step < 0.8:
            gone = chance.choice(sorted(now))
            del now[gone]
            live.remove(gone)
        else:
            rate = 10 ** chance.uniform(-1, 2)
            live.set_rate(rate)
        plan = live.plan()
        assert check_plan(plan, set(now)) == []
        assert live.total == pytest.approx(plan.cost.total)
        full = FULL[execution](list(now.values()), rate, technique=technique, improve=True)
        assert plan.cost.total <= full.cost.total * 1.01


@pytest.mark.parametrize("execution", ["twoops", "triops"])
@pytest.mark.parametrize("technique", ["panes", "slickdeque_inv", "auto"])
def test_many_queries_take_in_more_without_being_planned_anew(technique, execution):
    """Five thousand windows on the factors of 1,000, free ranges among them, and slides that were not there."""
    base = planned(draw(queries=5_000, max_slide=100, max_overlap=200, seed=5))
    live = LivePlan(base, 50.0, technique=technique, execution=execution)
    chance = random.Random(6)
    ids = {q.id for q in base}
    for number in range(40):
        new = newcomer(chance, number)
        live.add(new)
        ids.add(new.id)
        if number % 7 == 0:
            live.remove(f"q{number}")
            ids.remove(f"q{number}")
        if number % 20 == 0:
            plan = live.plan()
            assert check_plan(plan, ids) == []
            assert live.total == pytest.approx(plan.cost.total, rel=0.002)
    everyone = [m for tree in live.plan().trees for m in tree.members]
    full = FULL[execution](everyone, 50.0, technique=technique, improve=True)
    assert live.plan().cost.total <= full.cost.total * 1.01


def test_unrelated_windows_are_taken_in_by_a_bound_of_their_edges():
    base = planned(draw_free(queries=450, max_slide=5_000, max_overlap=20, seed=3, free_ranges=True))
    live = LivePlan(base, 20.0, technique="panes", execution="twoops")
    before = live.total
    live.add(query("new", 4_321, 977))
    assert check_plan(live.plan(), {q.id for q in base} | {"new"}) == []
    assert before < live.total < before + 25


def test_queries_the_plan_has_no_word_for_are_planned_with_all_others():
    base = planned(draw(queries=1_000, max_slide=100, max_overlap=50, seed=5))
    live = LivePlan(base, 1.0, technique="panes", execution="twoops")
    window = Window(range=10, slide=5, unit=Unit.ABSTRACT)
    live.add(PlannedQuery.named("sum", "s", window, (("sum", "price"),)))
    assert check_plan(live.plan(), {q.id for q in base} | {"sum"}) == []


def test_what_is_there_is_not_added_and_what_is_not_is_not_removed():
    live = LivePlan([query("a", 6, 2)], 1.0)
    with pytest.raises(InvalidInput, match="in the plan already"):
        live.add(query("a", 8, 4))
    with pytest.raises(InvalidInput, match="not in the plan"):
        live.remove("b")
    live.remove("a")
    assert live.plan().trees == ()
    live.add(query("b", 8, 4))
    assert live.plan().trees[0].queries == ("b",)


@pytest.mark.parametrize("optimizer", ["auto", "weaveshare", "triweave"])
def test_the_next_plan_follows_the_last_one(optimizer):
    chance = random.Random(9)
    queries = [newcomer(chance, n) for n in range(15)]
    way = {"optimizer": optimizer, "technique": "auto", "improve": True}
    last = reoptimize(queries, 3.0, **way)
    for number in range(8):
        queries = [*queries[1:], newcomer(chance, 100 + number)]
        rate = 10 ** chance.uniform(-1, 2)
        last = reoptimize(queries, rate, last=last, **way)
        full = reoptimize(queries, rate, **way)
        assert check_plan(last, {q.id for q in queries}) == []
        assert last.requested == full.requested
        assert last.cost.total <= full.cost.total * 1.01


def test_a_plan_made_in_another_way_is_not_followed():
    queries = [query("a", 6, 2), query("b", 8, 4)]
    last = shared(queries, 0.001)
    found = reoptimize(queries, 0.001, optimizer="auto", technique="auto", improve=True, last=last)
    assert found == auto(queries, 0.001)
