"""Predicates: what is accepted, in which form, and what is refused with which word (row T-01)."""

from __future__ import annotations

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from optimizer.errors import InvalidInput
from optimizer.model.expressions.terms import MAX_SQL
from optimizer.model.parse_predicate import parse_predicate
from tests.optimizer.strategies import SCHEMA, predicates


def canonical(text: str) -> str:
    predicate = parse_predicate(text, SCHEMA)
    assert predicate is not None
    return predicate.sql


@pytest.mark.parametrize("text", ["", "  \n", "TRUE", "(true)"])
def test_every_tuple_satisfies_an_empty_predicate(text):
    assert parse_predicate(text, SCHEMA) is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("10 < D", "`d` > 10"),
        ("d != 10.00", "`d` <> 10"),
        ("d == 2.50", "`d` = 2.5"),
        ("NOT (d < 1)", "`d` >= 1"),
        ("NOT NOT b", "`b`"),
        ("not (i in (3, 1, 2, 1))", "`i` NOT IN (1, 2, 3)"),
        ("i in (7)", "`i` = 7"),
        ("s in ('b', 'a')", "`s` IN ('a', 'b')"),
        ("i between 1 and 5", "`i` <= 5 AND `i` >= 1"),
        ("b and d > 1 and (i = 1 and b)", "`b` AND `d` > 1 AND `i` = 1"),
        ("i = 1 or (b and d > 1)", "(`b` AND `d` > 1) OR `i` = 1"),
        ("l > i", "`i` < `l`"),
        ("i + 1 > 2", "try_add(`i`, 1) > 2"),
        ("i / 0 = 1", "try_divide(`i`, 0) = 1"),
        ("-i > 2", "try_subtract(0, `i`) > 2"),
        ("i > - 5", "`i` > -5"),
        ("i % 2 = 0", "try_mod(`i`, 2) = 0"),
        ("abs(l) = 1", "try_cast(abs(try_cast(`l` AS decimal(20,0))) AS bigint) = 1"),
        ("abs(i) / 3 = 1", "try_divide(try_cast(abs(try_cast(`i` AS decimal(10,0))) AS int), 3) = 1"),
        (
            "floor(d) = 1",
            "floor(CASE WHEN abs(`d`) <= 9.223372036854776E18 OR isnan(`d`) THEN `d` END) = 1",
        ),
        ("-f = 1", "negative(`f`) = 1"),
        ("-(-m) = 1", "negative(negative(`m`)) = 1"),
        ("-big = 1", "try_cast(negative(try_cast(`big` AS decimal(34,10))) AS decimal(38,10)) = 1"),
        ("negative(l) = 1", "try_subtract(0, `l`) = 1"),
        ("cast(s as int) = 1", "try_cast(`s` AS int) = 1"),
        ("s is not null", "`s` IS NOT NULL"),
        ("isnotnull(s)", "`s` IS NOT NULL"),
        ("s not like '10!%%' escape '!'", r"`s` NOT LIKE '10\\%%'"),
        ("ts >= '2024-01-01'", "`ts` >= TIMESTAMP '2024-01-01 00:00:00Z'"),
        ("day = '2024-01-01'", "`day` = DATE '2024-01-01'"),
        ("d > '10'", "`d` > 10"),
        ("s = 'it''s'", r"`s` = 'it\'s'"),
        ('s = "${env:HOME}"', r"`s` = '\u0024{env:HOME}'"),
        ("b is distinct from true", "NOT (`b` <=> TRUE)"),
        ("nvl(s, 'x') = 'y'", "coalesce(`s`, 'x') = 'y'"),
        ("year(ts) = 2024", "year(`ts`) = 2024"),
    ],
)
def test_the_canonical_form(text, expected):
    assert canonical(text) == expected
    assert canonical(expected) == expected


def test_the_columns_are_named_once_each_in_the_spelling_of_the_schema():
    predicate = parse_predicate("NAME = s OR name = 'x' OR I > 1", SCHEMA)
    assert predicate is not None
    assert predicate.columns == ("Name", "i", "s")


def test_columns_may_be_qualified_by_the_stream_only():
    predicate = parse_predicate("trades.i > 1", SCHEMA, stream="Trades")
    assert predicate is not None
    assert predicate.sql == "`i` > 1"
    with pytest.raises(InvalidInput, match="name alone"):
        parse_predicate("other.i > 1", SCHEMA, stream="trades")


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("d > 'abc'", "not a number"),
        ("s > 5", "one type"),
        ("nope = 1", "unknown column 'nope'"),
        ("i", "condition"),
        ("NULL", "condition"),
        ("i + s > 1", "needs a number"),
        ("b > true", "booleans"),
        ("s = b", "one type"),
        ("ts > 'yesterday'", "not a timestamp"),
        ("day = DATE '2024-02-30'", "not a date"),
        ("day < '2024-01-01 10:00:00'", "has a time"),
        ("day IN ('2024-01-01', '2024-01-01T10:00:00Z')", "has a time"),
        ("day BETWEEN '2024-01-01' AND '2024-01-01 10:00'", "has a time"),
        ("s LIKE name", "string literal"),
        ("s LIKE 'a!b' ESCAPE '!'", "escape"),
        (r"s LIKE 'a\\'", "escape"),
        ("s LIKE '%a%b%c%d%e%f%g%h%i%'", "at most 8"),
        ("i IN (l)", "literals"),
        ("i IN (SELECT 1)", "in"),
        ("EXISTS (SELECT 1)", "exists"),
        ("(SELECT 1) = 1", "subquery"),
        ("reflect('java.lang.System', 'exit', '0') = 'x'", "reflect"),
        ("java_method('java.lang.System', 'exit') = 'x'", "java_method"),
        ("`reflect`('java.lang.System') = 'x'", "reflect"),
        ("rand() > 0.5", "rand"),
        ("current_date() = day", "current_date"),
        ("sum(i) OVER () > 1", "window"),
        ("s RLIKE '(a+)+'", "regexp_like"),
        ("s ILIKE 'a'", "ilike"),
        (":p = 1", "placeholder"),
        ("? = 1", "placeholder"),
        ("${x} = 1", "parameter"),
        ("i[0] = 1", "bracket"),
        ("* = 1", "star"),
        ("coalesce(x -> 1, 2) = 1", "lambda"),
        ("i = 1 -- and more", "comments"),
        ("i = 1 /* x */", "comments"),
        ("/* only */", "comments"),
        ("i = 1; DROP TABLE t", "semicolon"),
        ("'a' 'b' = s", "side by side"),
        ("s = 'unclosed", "unclosed"),
        ("i = ", "condition"),
        ("i = 1 i = 2", "condition"),
        ("r'a' = s", "rawstring"),
        ("i > 1e999", "too large"),
        ("m > 123456789012345678901234567890123456789", "38 digits"),
        ("big = 0.12345678901234567890123456789", "38 digits"),
        ("substring(s, l) = 'a'", "needs int"),
        ("cast(day as int) = 1", "cannot be cast"),
        ("cast(s as array<int>) = 1", "knows the types"),
        ("round(d, -1) = 1", "round"),
        ("case i when 1 then b end", "case"),
        ("lower(i) = 'a'", "needs string"),
        ("s = '\ud800'", "surrogate"),
        (r"s = '\ud800'", "not a character"),
    ],
)
def test_a_refusal_names_the_field_and_what_would_be_right(text, word):
    with pytest.raises(InvalidInput) as refused:
        parse_predicate(text, SCHEMA, field="queries.3.where")
    assert [e.field for e in refused.value.errors] == ["queries.3.where"]
    assert word in str(refused.value)
    assert len(str(refused.value)) < 600


@pytest.mark.parametrize(
    "text",
    [
        "(" * 5000 + "b" + ")" * 4000,
        "not " * 2000 + "b",
        "- " * 4000 + "i = 1",
        "case when " * 900 + "b",
        "abs(" * 1000 + "i",
        "i = " + "1 + " * 2000 + "1",
        "[" * 9000,
        "b and " * 2000,
        "i = 1" * 2000,
        "x" * 20_000,
        "if(b," * 30 + "b" + ",b)" * 30,
    ],
)
def test_nothing_hangs_or_runs_out_of_stack(text):
    with pytest.raises(InvalidInput):
        parse_predicate(text, SCHEMA)


def test_a_long_chain_is_no_deep_tree():
    text = " AND ".join(f"i <> {n}" for n in range(500))
    assert len(text) < MAX_SQL
    assert canonical(text).count(" AND ") == 499


@given(predicates)
@settings(max_examples=300, deadline=None)
def test_a_canonical_text_is_its_own_canonical_form(text):
    try:
        predicate = parse_predicate(text, SCHEMA)
    except InvalidInput:
        assume(False)
        return
    if predicate is not None:
        assert canonical(predicate.sql) == predicate.sql


@given(st.text(), st.text("ib()=<>'\\-+*/%;` 0123456789.,$?:[]{}@#&|^~!\"\n\tandortIN", max_size=40))
@settings(max_examples=300, deadline=None)
def test_any_text_gives_a_predicate_or_a_refusal(wild, likely):
    for text in (wild, likely, f"i = 1 AND {likely}"):
        try:
            parse_predicate(text, SCHEMA)
        except InvalidInput as refused:
            assert refused.errors[0].field == "where"
