"""The papers' cost formulas against the vectors (rows T-12, T-13, T-14, I-24; V-06, V-10, V-11)."""

from __future__ import annotations

from fractions import Fraction
from itertools import chain

import pytest
from hypothesis import given
from hypothesis import strategies as st

from costmodel import EXECUTION_MODELS, TECHNIQUES, TRI_OPS, TWO_OPS, TreeStats, WeavedTree, find_technique
from costmodel.omega import PANES

TABLE_I = {"a": (8, 5), "b": (5, 4), "c": (10, 1), "d": (5, 4)}
"""The running example of doc 000."""


def edge_rate(windows, *, fragments: bool) -> float:
    """Edges per unit by marking one long stretch, independent of the code under test."""
    length = 20
    edges = {x for _, s in windows for x in range(0, length, s)}
    if fragments:
        edges |= {x % length for r, s in windows for x in range(r % s, length, s)}
    return float(Fraction(len(edges), length))


def costs(partition: list[str], rate: float, *, fragments: bool) -> tuple[float, float]:
    """TriOps and TwoOps cost of groups of Table I."""
    trees = []
    for group in partition:
        windows = [TABLE_I[q] for q in group]
        own = edge_rate(windows, fragments=fragments)
        trees.append(WeavedTree(edge_rate=own, omega=PANES(TreeStats.of(edge_rate=own, windows=windows))))
    whole = edge_rate([TABLE_I[q] for q in chain(*partition)], fragments=fragments)
    tri, two = (m.cost(rate=rate, edge_rate=whole, trees=trees).total for m in (TRI_OPS, TWO_OPS))
    return tri, two


def test_T_12_V_06_omega_of_table_i():
    found = {q: PANES(TreeStats.of(edge_rate=1.0, windows=[w])) for q, w in TABLE_I.items()}
    assert found == {"a": 1.6, "b": 1.25, "c": 10.0, "d": 1.25}


@pytest.mark.parametrize(
    ("partition", "slides_only", "with_fragments"),
    [
        (["ab", "c"], (13.14, 11.14), (13.995, 11.995)),
        (["a", "bc"], (13.57, 11.57), (13.89, 11.89)),
        (["a", "b", "c"], (13.6325, 10.6325), (14.265, 11.265)),
        (["abc"], (13.85, 12.85), (13.85, 12.85)),
        (["ac", "b"], (13.9125, 11.9125), (14.225, 12.225)),
    ],
)
def test_T_13_T_14_V_06_plan_costs_of_table_i(partition, slides_only, with_fragments):
    rate, m = 7.0, len(partition)
    for fragments, (tri, two) in ((False, slides_only), (True, with_fragments)):
        found = costs(partition, rate, fragments=fragments)
        assert found == (pytest.approx(rate + tri, abs=1e-9), pytest.approx(m * rate + two, abs=1e-9))


def test_T_13_V_10_merging_saves_half_an_operation():
    separate = [WeavedTree(edge_rate=0.5, omega=3.0), WeavedTree(edge_rate=0.25, omega=2.0)]
    merged = [WeavedTree(edge_rate=0.5, omega=5.0)]
    assert TWO_OPS.cost(rate=1.0, edge_rate=0.5, trees=separate).total == 4.0
    assert TWO_OPS.cost(rate=1.0, edge_rate=0.5, trees=merged).total == 3.5


@given(st.floats(0, 1e6), st.floats(0, 1), st.floats(0, 1e4))
def test_T_14_with_one_tree_triops_costs_exactly_the_edge_rate_more(rate, edges, omega):
    tree = [WeavedTree(edge_rate=edges, omega=omega)]
    two = TWO_OPS.cost(rate=rate, edge_rate=edges, trees=tree)
    tri = TRI_OPS.cost(rate=rate, edge_rate=edges, trees=tree)
    assert (tri.intercede, two.intercede) == (edges, 0.0)
    assert (tri.sub_aggregation, tri.final_aggregation) == (two.sub_aggregation, two.final_aggregation)


@pytest.mark.parametrize(
    ("windows", "edges", "omega"),
    [
        ([(6, 2), (8, 4)], 0.5, 5.0),
        ([(8, 5), (5, 4), (10, 1)], 1.0, 12.85),
        ([(8, 5), (5, 4)], 0.4, 2.85),
        ([(8, 5), (5, 4)], 0.7, 2.85),
        ([(100, 10)], 0.1, 10.0),
        ([(5, 5)], 0.2, 1.0),
        ([(60, 10), (3600, 10), (300, 20)], 0.1, 381.0),
    ],
)
def test_I_24_V_11_omega_panes(windows, edges, omega):
    assert PANES(TreeStats.of(edge_rate=edges, windows=windows)) == pytest.approx(omega, abs=1e-6)


def test_I_24_V_11_tree_cost_of_the_first_row():
    tree = WeavedTree(edge_rate=0.5, omega=5.0)
    assert TWO_OPS.cost(rate=1.0, edge_rate=0.5, trees=[tree]).total == 3.5


def test_X_13_identical_windows_count_once():
    assert PANES(TreeStats.of(edge_rate=1.0, windows=[(6, 2), (6, 2)])) == 3.0
    with pytest.raises(ValueError, match="distinct"):
        TreeStats(edge_rate=1.0, windows=((6, 2), (6, 2)))


def test_a_plan_without_trees_costs_nothing():
    assert [m.cost(rate=5.0, edge_rate=0.0, trees=[]).total for m in EXECUTION_MODELS] == [0.0, 0.0]


def test_techniques_are_found_by_name():
    assert [find_technique(t.name) for t in TECHNIQUES] == list(TECHNIQUES)
    assert find_technique("none") is None
