"""Plans: one shared tree with true edges and costs, its invariants, explanation and drawings."""

from __future__ import annotations

import json
import random

import networkx as nx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from optimizer.describe import explain_text
from optimizer.draw import DRAWINGS, plan_graph
from optimizer.errors import InvalidInput
from optimizer.explain import added_cost, explain_query
from optimizer.model.acq import Acq, AggregateCall
from optimizer.model.aggregates import find_aggregate
from optimizer.model.plan import Lane, PlannedQuery, check_plan
from optimizer.model.schema import Column, ColumnType
from optimizer.model.window import Unit, Window
from optimizer.no_share import no_share
from optimizer.registry import OPTIMIZERS
from optimizer.shared import shared

S = 1_000_000


def query(id_: str, r: float, s: float, stream: str = "trades") -> PlannedQuery:
    return PlannedQuery(id=id_, stream=stream, window=Window(range=int(r * S), slide=int(s * S)))


FIVE_TUPLES = Window(range=5, slide=5, unit=Unit.TUPLES)
TABLE_I = [query("a", 8, 5), query("b", 5, 4), query("c", 10, 1)]
workloads = st.lists(st.tuples(st.integers(1, 60), st.integers(1, 12)), min_size=1, max_size=6).map(
    lambda shapes: [query(f"q{n}", r, s) for n, (r, s) in enumerate(shapes)]
)


def test_T_05_shared_is_one_tree_with_the_edges_and_costs_of_V_04_and_V_06():
    plan = shared(TABLE_I[:2], rate=100.0, epoch=3)
    tree = plan.trees[0]
    assert (tree.queries, tree.edges, tree.composite_slide, tree.edge_rate) == (("a", "b"), 14, 20, 0.7)
    assert tree.omega == pytest.approx(2.85)
    assert (plan.execution, plan.technique, plan.partials, plan.time_unit) == (
        "twoops",
        "panes",
        "pairs",
        "1s",
    )
    assert plan.cost.total == pytest.approx(100 + 0.7 * 2.85)
    assert plan.baselines.shared == plan.cost.total
    assert plan.baselines.no_share == pytest.approx(200 + 0.4 * 1.6 + 0.5 * 1.25)
    assert (plan.baselines.weaveshare, plan.baselines.triweave) == (None, None)


@pytest.mark.parametrize(("execution", "extra"), [("twoops", 12.85), ("triops", 13.85)])
def test_T_13_T_14_V_06_table_i_in_one_group(execution, extra):
    plan = shared(TABLE_I, rate=7.0, execution=execution)
    assert plan.cost.total == pytest.approx(7.0 + extra)
    assert check_plan(plan, {"a", "b", "c"}) == []


def test_V_05_V_10_merging_two_nested_windows():
    plan = shared([query("x", 6, 2), query("y", 8, 4)], rate=1.0)
    assert (plan.trees[0].composite_slide, plan.trees[0].edge_rate) == (4, 0.5)
    assert (plan.cost.total, plan.baselines.no_share) == (3.5, 4.0)


@pytest.mark.parametrize("partials", ["pairs", "panes", "cutty"])
@given(workloads, st.floats(0, 1e5))
@settings(max_examples=40, deadline=None)
def test_every_plan_holds_its_invariants(partials, queries, rate):
    for name, optimize in OPTIMIZERS:
        plan = optimize(queries, rate, partials=partials)
        assert check_plan(plan, {q.id for q in queries}) == []
        assert plan.requested.optimizer == name
        assert name in (plan.optimizer, "auto")
    for baseline in (no_share, shared):
        for execution in ("twoops", "triops"):
            plan = baseline(queries, rate, partials=partials, execution=execution)
            assert check_plan(plan, {q.id for q in queries}) == []
            assert plan.execution == execution


def test_a_broken_plan_is_found_out():
    plan = shared(TABLE_I, rate=1.0)
    assert check_plan(plan, {"a", "b"}) == ["the trees do not hold exactly the queries"]


def test_X_13_identical_windows_count_once_but_each_query_reads_alone_in_no_share():
    twice = [query("x", 6, 2), query("y", 6, 2)]
    assert shared(twice, rate=10.0).cost.total == 10 + 0.5 * 3
    assert no_share(twice, rate=10.0).cost.total == 2 * (10 + 0.5 * 3)


def test_the_time_unit_is_the_second_or_else_the_millisecond():
    plan = shared([query("x", 6, 2), query("y", 1.5, 0.5)], rate=1000.0)
    assert (plan.time_unit, plan.rate) == ("1ms", 1.0)
    assert plan.trees[0].composite_slide == 2000
    assert plan.cost.total == pytest.approx(1.0 + (4 / 2000) * 6)


def test_T_01_windows_by_tuples_are_planned_and_their_edges_scale_with_the_rate():
    windows = [Window(range=8, slide=5, unit=Unit.TUPLES), Window(range=5, slide=4, unit=Unit.TUPLES)]
    plan = shared([PlannedQuery(id=str(w), stream="s", window=w) for w in windows], rate=10.0)
    assert (plan.trees[0].edges, plan.trees[0].composite_slide) == (14, 20)
    assert plan.edge_rate == pytest.approx(7.0)


@pytest.mark.parametrize(
    ("queries", "rate", "field"),
    [
        ([query("a", 8, 5), query("b", 5, 4, stream="other")], 1.0, "stream"),
        ([query("a", 8, 5), query("a", 5, 4)], 1.0, "id"),
        ([query("a", 8, 5)], -1.0, "rate"),
        ([query("a", 8, 5)], float("nan"), "rate"),
        (
            [query("a", 8, 5), PlannedQuery(id="b", stream="trades", window=FIVE_TUPLES)],
            1.0,
            "window.unit",
        ),
    ],
)  # fmt: skip
def test_A_26_a_plan_is_for_the_queries_of_one_stream(queries, rate, field):
    with pytest.raises(InvalidInput) as refused:
        shared(queries, rate)
    assert refused.value.errors[0].field == field


@pytest.mark.parametrize("wrong", [{"technique": "magic"}, {"execution": "fourops"}])
def test_unknown_techniques_and_models_are_refused(wrong):
    with pytest.raises(InvalidInput, match="not known"):
        shared(TABLE_I, 1.0, **wrong)


def test_A_26_I_16_lanes_keep_columns_apart_and_share_sum_count_and_avg():
    columns = {n: Column(name=n, type=ColumnType.parse("double")) for n in ("price", "size")}

    def planned(id_: str, function: str, column: str) -> PlannedQuery:
        call = AggregateCall(function=find_aggregate(function), column=columns[column], alias="x")
        return PlannedQuery.of(id_, Acq(stream="t", window=TABLE_I[0].window, aggregates=(call,)))

    sums = shared([planned(f, f, "price") for f in ("sum", "count", "avg")], rate=1.0).trees[0]
    assert sums.lanes == (Lane(operation="count", column="price"), Lane(operation="sum", column="price"))
    mixed = shared([planned("1", "sum", "price"), planned("2", "sum", "size")], rate=1.0).trees[0]
    assert {lane.column for lane in mixed.lanes} == {"price", "size"}
    assert len(mixed.lanes) == 4


def test_a_stream_without_queries_has_an_empty_plan():
    plan = shared([], rate=5.0, stream="trades")
    assert (plan.stream, plan.trees, plan.cost.total, plan.edge_rate) == ("trades", (), 0.0, 0.0)


def test_the_document_has_the_fields_of_the_contract():
    document = shared(TABLE_I, rate=5.0, epoch=3).document()
    assert list(document) == [
        "id", "epoch", "stream", "optimizer", "technique", "partials", "execution", "time_unit", "rate",
        "edge_rate", "edge_rate_error", "cost", "trees", "baselines", "requested", "estimate",
    ]  # fmt: skip
    assert set(document["cost"]) == {"total", "sub_aggregation", "intercede", "final_aggregation"}
    assert document["trees"][0]["queries"] == ["a", "b", "c"]
    assert json.loads(json.dumps(document)) == document


def test_large_integers_are_strings_and_estimates_have_an_error():
    primes = [10_007, 10_009, 10_037, 10_039, 10_061]
    tree = shared([query(str(p), p, p) for p in primes], rate=1.0).document()["trees"][0]
    assert tree["composite_slide"] == str(10_007 * 10_009 * 10_037 * 10_039 * 10_061)
    chosen = random.Random(5)
    unrelated = [query(str(n), chosen.randrange(1, 9999), chosen.randrange(100, 99999)) for n in range(300)]
    tree = shared(unrelated, rate=1.0).document()["trees"][0]
    assert (tree["edges"], tree["composite_slide"]) == (None, None)
    assert tree["edge_rate_error"] > 0


def test_equal_plans_have_equal_ids():
    assert shared(TABLE_I, 1.0).id == shared(TABLE_I, 1.0).id
    assert len({shared(TABLE_I, 1.0).id, shared(TABLE_I, 2.0).id, shared(TABLE_I[:2], 1.0).id}) == 3


@given(workloads, st.floats(0, 1000))
@settings(max_examples=50, deadline=None)
def test_a_marginal_cost_is_the_cost_with_minus_the_cost_without(queries, rate):
    plan = shared(queries, rate)
    last, rest = queries[-1], queries[:-1]
    without = shared(rest, rate).cost.total
    found = explain_query(plan, last.id)
    assert found["marginal_cost"] == pytest.approx(plan.cost.total - without, abs=1e-6)
    assert found["alone_cost"] == pytest.approx(shared([last], rate).cost.total)
    assert found["saved_by_sharing"] == pytest.approx(found["alone_cost"] - found["marginal_cost"])
    assert added_cost(shared(rest, rate, stream="trades"), last) == pytest.approx(
        found["marginal_cost"], abs=1e-6
    )


def test_an_added_cost_is_in_the_unit_of_the_plan():
    plan = shared([query("x", 6, 2)], rate=1000.0)
    finer = shared([query("x", 6, 2), query("y", 1.5, 0.5)], rate=1000.0)
    assert added_cost(plan, query("y", 1.5, 0.5)) == pytest.approx(finer.cost.total * 1000 - plan.cost.total)


def test_an_explanation_names_tree_company_and_reason():
    plan = shared([*TABLE_I, query("d", 5, 4)], rate=10.0)
    found = explain_query(plan, "d")
    assert (found["tree"], found["co_members"], found["same_window"]) == (1, ["a", "b", "c"], ["b"])
    assert found["marginal_cost"] == 0.0
    assert "same window" in found["reason"]
    text = explain_text(explain_query(plan, "a"))
    assert "with b, c, d" in text
    assert "marginal cost" in text
    with pytest.raises(InvalidInput, match="not in the plan"):
        explain_query(plan, "nope")


def test_an_explanation_of_a_query_alone():
    assert "only query" in explain_query(no_share(TABLE_I, 1.0), "a")["reason"]


def test_the_graph_of_a_plan_is_a_tree_from_stream_to_queries():
    graph = plan_graph(no_share(TABLE_I, 1.0))
    assert nx.is_arborescence(graph)
    assert [n for n in graph if graph.out_degree(n) == 0] == ["query a", "query b", "query c"]


@pytest.mark.parametrize("kind", DRAWINGS)
def test_drawings_name_every_query_and_escape_labels(kind):
    odd = 'a"b\\c#'
    drawn = DRAWINGS[kind](shared([*TABLE_I, query(odd, 9, 3)], rate=1.0))
    assert all(f"{q.id}: " in drawn for q in TABLE_I)
    assert drawn.endswith("\n")
    if kind == "dot":
        assert 'a\\"b\\\\c#' in drawn
    if kind == "mermaid":
        assert "a#quot;b" in drawn
