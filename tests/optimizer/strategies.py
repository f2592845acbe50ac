"""Hypothesis strategies for the optimizer's tests."""

from __future__ import annotations

from hypothesis import strategies as st

from optimizer.model.schema import Column, ColumnType, Schema

SCHEMA = Schema(
    columns=tuple(
        Column(name=name, type=ColumnType.parse(type_))
        for name, type_ in (
            ("i", "int"), ("l", "long"), ("f", "float"), ("d", "double"), ("m", "decimal(10,2)"),
            ("big", "decimal(38,10)"), ("s", "string"), ("Name", "string"), ("b", "boolean"), ("day", "date"),
            ("ts", "timestamp"),
        )
    )
)  # fmt: skip

NUMBERS = ("i", "l", "f", "d", "m", "big")
TEXTS = st.text(st.characters(codec="utf-8"), max_size=8)


def literal_text(value: str) -> str:
    """A string literal as a careful author would write it."""
    return "'" + value.replace("\\", "\\\\").replace("'", "\\'") + "'"


number_literals = st.one_of(
    st.integers(-(2**63), 2**63 - 1).map(str),
    st.integers(-100, 100).map(str),
    st.decimals(-1000, 1000, places=2).map(lambda d: f"{d:f}"),
    st.floats(-1e30, 1e30).map(lambda x: f"{x:.3e}"),
)


def _combine_numbers(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    small = inner.filter(lambda text: len(text) < 200)
    return st.one_of(
        st.tuples(small, st.sampled_from("+-*/%"), small).map(lambda t: f"({t[0]} {t[1]} {t[2]})"),
        small.map(lambda t: f"-({t})"),
        small.map(lambda t: f"abs({t})"),
        small.map(lambda t: f"floor({t})"),
        small.map(lambda t: f"CEIL({t})"),
        small.map(lambda t: f"round({t}, 1)"),
        st.tuples(small, st.sampled_from(["int", "bigint", "double", "float", "decimal(12,3)"])).map(
            lambda t: f"CAST({t[0]} AS {t[1]})"
        ),
    )


numbers = st.recursive(
    st.one_of(
        st.sampled_from(NUMBERS),
        number_literals,
        st.sampled_from(["length(s)", "year(ts)", "day(day)", "hour(ts)", "`D`", "I"]),
    ),
    _combine_numbers,
    max_leaves=4,
)

strings = st.one_of(
    st.sampled_from(["s", "name", "lower(s)", "upper(Name)", "trim(s)", "substring(s, 2, 3)", "s || name",
                     "concat(s, 'x', name)", "coalesce(s, 'none')", "cast(i AS string)"]),
    TEXTS.map(literal_text),
)  # fmt: skip

_operators = st.sampled_from(["=", "==", "<>", "!=", "<", "<=", ">", ">=", "<=>"])

tests = st.one_of(
    st.tuples(numbers, _operators, numbers).map(" ".join),
    st.tuples(strings, _operators, strings).map(" ".join),
    st.tuples(numbers, number_literals, number_literals).map(lambda t: f"{t[0]} BETWEEN {t[1]} AND {t[2]}"),
    st.tuples(st.sampled_from(["i", "l", "d"]), st.lists(number_literals, min_size=1, max_size=4)).map(
        lambda t: f"{t[0]} NOT IN ({', '.join(t[1])})"
    ),
    st.lists(TEXTS.map(literal_text), min_size=1, max_size=4).map(lambda t: f"s IN ({', '.join(t)})"),
    st.tuples(strings, st.text("ab%_x", max_size=6)).map(lambda t: f"{t[0]} LIKE '{t[1]}'"),
    st.tuples(st.one_of(numbers, strings), st.sampled_from(["IS NULL", "IS NOT NULL"])).map(" ".join),
    st.sampled_from(["b", "NOT b", "b = true", "isnan(d)", "startswith(s, 'a')", "contains(name, s)",
                     "b IS NOT TRUE", "ts >= '2024-01-01'", "day < DATE '2024-02-29'", "day <> ts",
                     "ts < TIMESTAMP '2024-01-01 10:00:00.5+02:00'", "day IN ('2024-01-01', '2023-01-01')",
                     "CASE WHEN b THEN i > 1 ELSE l < 2 END", "if(b, i, 2.5) > 1"]),
)  # fmt: skip

predicates = st.recursive(
    tests,
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from(["AND", "OR"]), inner).map(lambda t: f"({t[0]}) {t[1]} ({t[2]})"),
        inner.map(lambda t: f"NOT ({t})"),
    ),
    max_leaves=5,
)
