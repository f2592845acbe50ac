"""The algebra of aggregates (rows T-03, G-05, I-14, I-16; X-23)."""

from __future__ import annotations

import math
import statistics
from functools import reduce

import pytest
from hypothesis import given
from hypothesis import strategies as st

from optimizer.model.aggregates import (
    AGGREGATES,
    Algebraic,
    Distributive,
    Invertible,
    Selective,
    find_aggregate,
)
from optimizer.model.schema import ColumnType

INTEGERS = st.integers(-(10**6), 10**6)
NAMES = [a.name for a in AGGREGATES]


def aggregate(name):
    found = find_aggregate(name)
    assert found is not None
    return found


def folded(name, values):
    function = aggregate(name)
    return reduce(function.combine, map(function.lift, values))


def close(one, two):
    if one is None or two is None:
        return one is two
    return one == two or one == pytest.approx(two, rel=1e-9, abs=1e-6)


@pytest.mark.parametrize("name", NAMES)
@given(st.lists(INTEGERS, min_size=3, max_size=12), st.data())
def test_T_03_combine_is_associative_and_commutative(name, values, data):
    function = aggregate(name)
    cut, other = sorted(
        data.draw(st.tuples(st.integers(1, len(values) - 1), st.integers(1, len(values) - 1)))
    )
    whole = function.lower(folded(name, values))
    left, right = folded(name, values[:cut]), folded(name, values[cut:])
    assert close(function.lower(function.combine(left, right)), whole)
    assert close(function.lower(function.combine(right, left)), whole)
    assert close(function.lower(folded(name, values[other:] + values[:other])), whole)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("count", len),
        ("sum", sum),
        ("min", min),
        ("max", max),
        ("avg", statistics.fmean),
        ("var_pop", statistics.pvariance),
        ("var_samp", statistics.variance),
        ("stddev_pop", statistics.pstdev),
        ("stddev_samp", statistics.stdev),
    ],
)
@given(st.lists(INTEGERS, min_size=2, max_size=20))
def test_T_03_lowering_the_combined_partials_gives_the_answer(name, expected, values):
    assert aggregate(name).lower(folded(name, values)) == pytest.approx(expected(values), rel=1e-9, abs=1e-6)


@pytest.mark.parametrize(
    "function", [a for a in AGGREGATES if isinstance(a, Invertible)], ids=lambda a: a.name
)
@given(st.lists(INTEGERS, min_size=1, max_size=9), st.lists(INTEGERS, min_size=1, max_size=9))
def test_G_05_I_14_invert_undoes_combine(function, stay, leave):
    kept, gone = folded(function.name, stay), folded(function.name, leave)
    assert function.invert(function.combine(kept, gone), gone) == kept


@pytest.mark.parametrize(
    "function", [a for a in AGGREGATES if isinstance(a, Selective)], ids=lambda a: a.name
)
@given(st.floats(), st.floats())
def test_I_14_a_selective_aggregate_combines_to_one_of_its_operands(function, one, two):
    assert function.combine(one, two) in (one, two) or math.isnan(function.combine(one, two))


def test_G_05_I_14_each_aggregate_has_its_class():
    classes = {
        a.name: (
            isinstance(a, Distributive),
            isinstance(a, Algebraic),
            isinstance(a, Invertible),
            isinstance(a, Selective),
        )
        for a in AGGREGATES
    }
    assert classes == {
        "count": (True, False, True, False),
        "sum": (True, False, True, False),
        "avg": (False, True, True, False),
        "min": (True, False, False, True),
        "max": (True, False, False, True),
        "var_samp": (False, True, False, False),
        "var_pop": (False, True, False, False),
        "stddev_samp": (False, True, False, False),
        "stddev_pop": (False, True, False, False),
    }


@pytest.mark.parametrize("name", ["count_distinct", "quantile", "percentile", "top_k", "median", ""])
def test_G_05_holistic_aggregates_are_not_offered(name):
    assert find_aggregate(name) is None


def test_X_23_averages_are_weighted():
    avg = aggregate("avg")
    assert avg.lower(avg.combine((10, 1), (60, 3))) == 17.5


def test_I_16_sum_count_and_avg_need_the_same_partials():
    assert set(aggregate("sum").partials) == set(aggregate("avg").partials) > set(aggregate("count").partials)


def test_nan_is_the_largest_number_as_in_spark():
    nan = float("nan")
    assert math.isnan(aggregate("max").combine(math.inf, nan))
    assert aggregate("min").combine(nan, math.inf) == math.inf


def test_a_sample_variance_of_one_value_is_null():
    assert aggregate("var_samp").lower(folded("var_samp", [3])) is None
    assert aggregate("var_pop").lower(folded("var_pop", [3])) == 0.0


@pytest.mark.parametrize(
    ("function", "column", "expected"),
    [
        ("sum", "int", "long"), ("sum", "float", "double"), ("sum", "decimal(10,2)", "decimal(20,2)"),
        ("sum", "decimal(35,2)", "decimal(38,2)"), ("avg", "long", "double"),
        ("avg", "decimal(10,2)", "decimal(14,6)"), ("min", "string", "string"), ("max", "date", "date"),
        ("count", "boolean", "long"), ("stddev", "int", "double"),
    ],
)  # fmt: skip
def test_the_answers_type_is_sparks(function, column, expected):
    assert str(aggregate(function).result_type(ColumnType.parse(column))) == expected


@pytest.mark.parametrize("name", ["sum", "avg", "variance", "stddev_pop"])
def test_arithmetic_over_text_is_refused(name):
    assert "needs a numeric column, not string" in aggregate(name).refusal(ColumnType.parse("string"))
    assert aggregate(name).refusal(ColumnType.parse("decimal(5,1)")) is None
