"""ACQs, windows, durations and schemas: valid when they exist, refused by field (row T-01; X-21)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from optimizer.errors import InvalidInput
from optimizer.model.acq import Acq, AggregateCall
from optimizer.model.aggregates import find_aggregate
from optimizer.model.durations import format_duration, parse_duration
from optimizer.model.parse_predicate import parse_predicate
from optimizer.model.schema import Column, ColumnType, Schema
from optimizer.model.window import MAX_RANGE, Unit, Window

DOUBLE = ColumnType.parse("double")
SCHEMA = Schema(
    columns=(
        Column(name="symbol", type=ColumnType.parse("string")),
        Column(name="price", type=DOUBLE),
    )
)


def call(function: str, column: str | None, alias: str) -> AggregateCall:
    found = find_aggregate(function)
    assert found is not None
    return AggregateCall(function=found, column=SCHEMA.find(column) if column else None, alias=alias)


def acq(**changes) -> Acq:
    given_ = {
        "stream": "trades",
        "window": Window(range=300_000_000, slide=30_000_000),
        "aggregates": (call("max", "price", "hi"),),
        "group_by": (SCHEMA.columns[0],),
    }
    return Acq(**{**given_, **changes})


def fields(refused) -> list[str]:
    return [e.field for e in refused.value.errors]


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("90s", 90), ("5m", 300), ("1h", 3600), ("250ms", 0.25), ("1 minute", 60), ("PT5M", 300), ("0s", 0),
        ("P1DT1S", 86401), ("2 minutes 30 seconds", 150), ("1.5s", 1.5), ("INTERVAL 5 MINUTES", 300),
        ("1 week", 604800),
    ],
)  # fmt: skip
def test_durations_are_read(text, seconds):
    assert parse_duration(text) == seconds * 1_000_000


@pytest.mark.parametrize(
    "text",
    [
        "", "5", "m", "5 fortnights", "1 month", "P1Y", "1us", "0.0001s", "-5s", "5m garbage", "x" * 200,
        "PT", None,
    ],
)  # fmt: skip
def test_a_bad_duration_names_its_field(text):
    with pytest.raises(InvalidInput) as refused:
        parse_duration(text, field="window.range")
    assert fields(refused) == ["window.range"]


@given(st.integers(0, 10**12).map(lambda ms: ms * 1000))
def test_a_canonical_duration_is_read_back(micros):
    assert parse_duration(format_duration(micros)) == micros


@pytest.mark.parametrize(
    ("r", "s", "unit", "expected"),
    [
        (0, 1000, Unit.TIME, ["range"]),
        (1000, 0, Unit.TIME, ["slide"]),
        (-1000, -5, Unit.TIME, ["range", "slide"]),
        (1500, 1000, Unit.TIME, ["range"]),
        (MAX_RANGE + 1000, MAX_RANGE, Unit.TIME, ["range"]),
        (MAX_RANGE, 1000, Unit.TIME, ["slide"]),
        (True, 1000, Unit.TIME, ["range"]),
        (1.5, 1000, Unit.TIME, ["range"]),
        (2**41, 2**40, Unit.TUPLES, ["range"]),
        (0, 5, Unit.TUPLES, ["range"]),
    ],
)
def test_T_01_a_bad_window_names_the_offending_fields(r, s, unit, expected):
    with pytest.raises(InvalidInput) as refused:
        Window(range=r, slide=s, unit=unit)
    assert fields(refused) == expected


@pytest.mark.parametrize(
    ("window", "shown"),
    [
        (Window(range=300_000_000, slide=30_000_000), "5m every 30s"),
        (Window(range=1_000_000, slide=5_000_000), "1s every 5s"),
        (Window(range=1000, slide=100, unit=Unit.TUPLES), "1000 every 100 tuples"),
    ],
)
def test_T_01_any_ratio_of_range_and_slide_in_either_unit(window, shown):
    assert str(window) == shown


def test_T_01_an_acq_has_predicate_and_grouping_and_an_echoable_canonical_form():
    query = acq(predicate=parse_predicate("price > 10", SCHEMA))
    assert '"where":"`price` > 10"' in query.canonical
    assert '"group_by":["symbol"]' in query.canonical


def test_equal_computations_have_equal_canonical_forms():
    one = acq(
        aggregates=(call("max", "price", "hi"), call("count", None, "n")),
        predicate=parse_predicate("price > 10 AND symbol = 'A'", SCHEMA),
    )
    two = acq(
        aggregates=(call("count", None, "c"), call("max", "price", "top"), call("max", "price", "again")),
        predicate=parse_predicate("'A' = symbol and 10 < PRICE", SCHEMA),
    )
    assert one.canonical == two.canonical
    assert one.canonical != acq().canonical


@pytest.mark.parametrize(
    ("make", "expected"),
    [
        (lambda: call("sum", "symbol", "x"), ["column"]),
        (lambda: call("sum", None, "x"), ["column"]),
        (lambda: call("max", "price", "a b"), ["as"]),
        (lambda: call("max", "price", "x" * 10_000), ["as"]),
        (lambda: call("max", "price", "window_start"), ["as"]),
        (lambda: acq(aggregates=()), ["aggregates"]),
        (lambda: acq(aggregates=(call("max", "price", "x"), call("min", "price", "X"))), ["aggregates.1.as"]),
        (lambda: acq(aggregates=(call("max", "price", "symbol"),)), ["aggregates.0.as"]),
        (lambda: acq(group_by=(SCHEMA.columns[0],) * 2), ["group_by.1"]),
        (lambda: SCHEMA.column("nope", field="group_by.0"), ["group_by.0"]),
        (lambda: Column(name="a b", type=ColumnType.parse("int")), ["name"]),
        (lambda: Column(name="window", type=ColumnType.parse("int")), ["name"]),
        (lambda: Schema(columns=()), ["schema"]),
        (lambda: Schema(columns=(*SCHEMA.columns, Column(name="PRICE", type=DOUBLE))), ["schema.2.name"]),
        (lambda: ColumnType.parse("varchar", field="schema.0.type"), ["schema.0.type"]),
        (lambda: ColumnType.parse("decimal(39,2)"), ["type"]),
        (lambda: ColumnType.parse("decimal"), ["type"]),
    ],
)  # fmt: skip
def test_T_01_what_is_wrong_is_refused_by_field(make, expected):
    with pytest.raises(InvalidInput) as refused:
        make()
    assert fields(refused) == expected


def test_columns_are_found_in_any_case():
    assert SCHEMA.column("PRICE", field="x").name == "price"


def test_errors_are_seen_from_an_enclosing_object():
    error = InvalidInput.at("slide", "must be positive").under("window").under("queries.3")
    assert [e.field for e in error.errors] == ["queries.3.window.slide"]
