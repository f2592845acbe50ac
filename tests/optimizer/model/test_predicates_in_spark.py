"""Canonical predicates in real Spark: read back exactly, true of the same tuples, and never raising."""

from __future__ import annotations

import datetime as dt
import os
import sys
from contextlib import suppress
from decimal import Decimal

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from pyspark.sql import SparkSession

from optimizer.errors import InvalidInput
from optimizer.model.expressions.text import quote, tokenize
from optimizer.model.parse_predicate import parse_predicate
from tests.optimizer.strategies import SCHEMA, predicates

pytestmark = pytest.mark.spark

NASTY = [
    "", "'", "''", '"', "\\", "\\\\", "\\'", "'\\", "a\\nb", "\n", "\r\n", "\t", "\0", "\x1a", "\x7f",
    "%_\\%\\_",
    "${env:HOME}", "${spark.app.name}", "$", "`", "; DROP TABLE x", "-- x", "/* x */", "\u2028", "é", "日本",
    "😀",
    "\\u0041", "\\101", "\\0", "\\x41", "it's", "  ", "{{x}}", "\x85", "\ufeff", ":p", "?",
]  # fmt: skip

ROWS = [
    (None,) * 11,
    (2**31 - 1, 2**63 - 1, 3.4e38, 1.7e308, Decimal("99999999.99"), Decimal("9" * 28 + "." + "9" * 10),
     "a%_\\", "Ab", True, dt.date(9999, 12, 31), dt.datetime(2100, 1, 1)),
    (-(2**31), -(2**63), -3.4e38, -1.7e308, Decimal("-99999999.99"), Decimal("-" + "9" * 28 + ".5"), "", "-1",
     False, dt.date(1, 1, 1), dt.datetime(1970, 1, 1)),
    (0, 0, 0.0, -0.0, Decimal("0.00"), Decimal(0), " 7 ", "x", True, dt.date(2024, 2, 29),
     dt.datetime(2024, 1, 1)),
    (1, -1, float("nan"), float("nan"), Decimal("0.01"), Decimal("1e-10"), "1e999", "99999999999", False,
     dt.date(2024, 1, 1), dt.datetime(2024, 1, 1, 8)),
    (-1, 1, float("inf"), float("-inf"), Decimal("-0.01"), Decimal("-1e-10"), "NaN", "2024-01-01", None,
     dt.date(2023, 1, 1), dt.datetime(1999, 12, 31, 23, 59, 59, 999999)),
]  # fmt: skip


@pytest.fixture(scope="module")
def spark():
    os.environ["PYSPARK_PYTHON"] = sys.executable
    session = (
        SparkSession.builder.master("local[1]")
        .config("spark.ui.enabled", "false")
        .config("spark.sql.session.timeZone", "UTC")
        .config("spark.sql.shuffle.partitions", "1")
        .getOrCreate()
    )
    session.sparkContext.setLogLevel("OFF")
    yield session
    session.stop()


@pytest.fixture(scope="module")
def extremes(spark):
    columns = ", ".join(f"`{c.name}` {'bigint' if str(c.type) == 'long' else c.type}" for c in SCHEMA)
    frame = spark.createDataFrame(ROWS, columns).coalesce(1).cache()
    frame.count()
    return frame


@pytest.fixture(scope="module")
def moderate(spark, extremes):
    """Tuples on which Spark's own functions do not raise."""
    rows = [
        (None,) * 11,
        *[
            (n, 10**9 * n + 1, n / 3, n / 7 * 1e6, Decimal(n // 100) / 4, Decimal(n), "s", "n", True,
             dt.date(2024, 1, 1), dt.datetime(2024, 1, 1))
            for n in (-2_000_000_000, -100, -7, -1, 0, 1, 2, 50, 1_999_999_999)
        ],
        (0, 0, -0.0, -0.0, Decimal(0), Decimal(0), "", "", False, dt.date(1, 1, 1), dt.datetime(1970, 1, 1)),
        (1, 2**63 - 1, float("nan"), float("nan"), Decimal("0.01"), Decimal(1), "", "", None, None, None),
        (1, -(2**63) + 1, 1e-30, -9.2e18, Decimal("-0.01"), Decimal(1), "", "", None, None, None),
    ]  # fmt: skip
    frame = spark.createDataFrame(rows, extremes.schema).coalesce(1).cache()
    frame.count()
    return frame


def test_string_literals_are_read_back_exactly(spark):
    read = spark.range(1).selectExpr(*(quote(value) for value in NASTY)).first()
    assert list(read) == NASTY


def test_our_reading_of_string_literals_is_sparks(spark):
    texts = [
        r"'a\nb'",
        r"'\u0041\U0001F600'",
        r"'\101\7\0'",
        r"'\q\%\_'",
        "'it''s'",
        '"a""b\'"',
        r"'\u00zz'",
        r"'\Z\b'",
    ]
    read = spark.range(1).selectExpr(*texts).first()
    assert list(read) == [tokenize(text, longest=100)[0].text for text in texts]


@given(st.lists(predicates, min_size=25, max_size=25))
@settings(
    max_examples=10,
    deadline=None,
    derandomize=True,
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
)
def test_no_predicate_raises_on_extreme_tuples(extremes, texts):
    accepted = ["true"]
    for text in texts:
        with suppress(InvalidInput):
            predicate = parse_predicate(text, SCHEMA)
            accepted += [predicate.sql] if predicate else []
    extremes.selectExpr(*accepted).collect()


@pytest.mark.parametrize(
    "text",
    [
        "i > 0", "NOT (i > 0)", "d <> 'NaN'::double", "d > 5", "NOT (d > 5)", "s LIKE '%!%%' ESCAPE '!'", "b",
        "NOT NOT b", "i BETWEEN -1 AND 1", "NOT (i IN (1, 0, NULL))", "b IS DISTINCT FROM true", "10 > l",
        "ts >= '2024-01-01' AND day <> '2024-02-29'", "m = 0.010", "NOT (b AND i > 0)",
        "s || Name = 'a%_\\\\Ab'", "floor(m) = -1", "ceil(i / 2) = 1", "floor(i / 2) = -1",
        "year(ts) = 2024 OR hour(ts) = 23", "CASE WHEN b THEN 'y' ELSE 'n' END = 'y'", "coalesce(b, true)",
        "length(trim(s)) = 1", "round(m, 1) = 0", "day < ts", "f = d", "i IN (0.0, 1.00)", "isnan(f)",
        "i <=> NULL", "day < CAST('2024-01-01 10:00:00' AS timestamp)",
        "CAST(-f AS STRING) = '-0.0'", "CAST(-d AS STRING) = '0.0'", "CAST(-CAST(m AS float) AS string) = '0.01'",
        "CAST(-m AS string) = '0.01'",
    ],
)  # fmt: skip
def test_a_canonical_predicate_is_true_of_the_tuples_that_its_text_is_true_of(extremes, text):
    predicate = parse_predicate(text, SCHEMA)
    kept = extremes.selectExpr(f"({text}) AS given", f"({predicate.sql}) AS canonical").collect()
    assert [row.given for row in kept] == [row.canonical for row in kept]


VALUES = [
    *[f"{call}({column})" for call in ("abs", "floor", "ceil", "-") for column in ("i", "l", "f", "d", "m")],
    "abs(i) / 3", "abs(l) / 7", "abs(i) % 3", "abs(l % 1000) * 7", "floor(d) / 3", "ceil(f) / 3", "floor(m) / 3",
    "floor(i) / 3", "-f / 3", "-m / 3", "-abs(i)", "abs(-l)", "floor(abs(d) / 7)", "ceil(-d)", "floor(f * 1e-30)",
    "ceil(d * 1e-25)", "coalesce(-f, 1)", "-big", "-big / 3",
]  # fmt: skip


@pytest.mark.parametrize("value", VALUES)
def test_a_value_has_the_type_and_the_digits_that_spark_gives_it(moderate, value):
    """As a string a value shows both: 2.3333333333333335 is a double and 2.333333 is a decimal."""
    # The predicate is true of every tuple; what matters is the value inside it.
    written = parse_predicate(f"CAST({value} AS STRING) <> ''", SCHEMA).sql.removesuffix(" <> ''")
    kept = moderate.selectExpr(f"CAST({value} AS STRING) AS given", f"{written} AS canonical").collect()
    assert [row.given for row in kept] == [row.canonical for row in kept]
