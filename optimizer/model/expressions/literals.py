"""Literals: numbers, strings, booleans, dates and timestamps.

A literal is checked and rewritten here, not by Spark, which would refuse a bad one only when the job starts.
"""

from __future__ import annotations

import math
import re
from datetime import UTC, date, datetime
from decimal import Decimal

from optimizer.model.expressions.terms import Refusal, Term
from optimizer.model.expressions.text import quote
from optimizer.model.expressions.types import BOOLEAN, DATE, DOUBLE, INT, LONG, STRING, TIMESTAMP, is_temporal
from optimizer.model.schema import MAX_PRECISION, ColumnType, Kind

__all__ = ["boolean", "exact_type", "fit", "null", "number", "plain_number", "sort_key", "string", "temporal"]

_NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(e[+-]?[0-9]{1,4})?", re.ASCII | re.IGNORECASE)
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", re.ASCII)
_TIMESTAMP = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}[ T][0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]{1,6})?)?(Z|[+-][0-9]{2}:[0-9]{2})?",
    re.ASCII,
)


def null() -> Term:
    """NULL, of every type."""
    return Term(sql="NULL", type=None)


def boolean(value: bool) -> Term:
    """TRUE or FALSE."""
    return Term(sql=str(value).upper(), type=BOOLEAN, value=value)


def string(value: str) -> Term:
    """A string."""
    return Term(sql=quote(value), type=STRING, value=value)


def number(text: str) -> Term:
    """A number with Spark's type for it: integral, decimal, or double when it has an exponent.

    >>> [str(number(t).type) for t in ("7", "3000000000", "-1.50", "1e3")]
    ['int', 'long', 'decimal(3,2)', 'double']
    """
    found = _NUMBER.fullmatch(text)
    if found is None:
        raise Refusal(f"{text[:40]!r} is not a number: write one such as 10, 2.5 or 1e3")
    if found[1]:
        return _double(float(text), text)
    exact = Decimal(text)
    digits, scale = len(exact.as_tuple().digits), -int(exact.as_tuple().exponent)
    if max(digits, scale) > MAX_PRECISION:
        raise Refusal(f"{text[:40]} has more than {MAX_PRECISION} digits")
    if "." not in text:
        return _integer(int(text))
    decimal = ColumnType(kind=Kind.DECIMAL, precision=max(digits, scale, 1), scale=scale)
    # Spark reads "1." and "1" as unlike types, so a decimal without a fraction keeps a point.
    return Term(sql=f"{exact:f}" if scale else f"{exact:f}.", type=decimal, value=exact)


def plain_number(literal: Term) -> Term:
    """The shortest exact literal of the same value, for places where only the value matters.

    >>> plain_number(number("10.00")).sql, plain_number(number("2.50")).sql
    ('10', '2.5')
    """
    if not isinstance(literal.value, Decimal):
        return literal
    if literal.value == literal.value.to_integral_value():
        return _integer(int(literal.value))
    return number(f"{literal.value.normalize():f}")


def temporal(text: str, type_: ColumnType) -> Term:
    """A date, or a timestamp in UTC unless it names an offset.

    >>> temporal("2024-05-01T12:00:00+02:00", TIMESTAMP).sql
    "TIMESTAMP '2024-05-01 10:00:00Z'"
    """
    trimmed = text.strip()
    wanted = "'2024-05-01'" if type_ == DATE else "'2024-05-01 12:30:00'"
    if not (_DATE.fullmatch(trimmed) or (type_ == TIMESTAMP and _TIMESTAMP.fullmatch(trimmed))):
        raise Refusal(f"{text[:40]!r} is not a {type_}: write {wanted}")
    try:
        if type_ == DATE:
            day = date.fromisoformat(trimmed)
            return Term(sql=f"DATE '{day.isoformat()}'", type=DATE, value=day)
        moment = datetime.fromisoformat(trimmed)
        moment = moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except (ValueError, OverflowError) as error:
        raise Refusal(f"{text[:40]!r} is not a {type_}: write {wanted}") from error
    written = moment.replace(tzinfo=None).isoformat(sep=" ")
    return Term(sql=f"TIMESTAMP '{written}Z'", type=TIMESTAMP, value=moment)


def fit(literal: Term, other: ColumnType | None) -> Term:
    """A literal as what it is compared with: a string may be a number, a date or a timestamp.

    >>> fit(string("10"), DOUBLE).sql, fit(string("2024-05-01"), DATE).sql
    ('10', "DATE '2024-05-01'")
    """
    if isinstance(literal.value, str) and other is not None:
        if other.is_numeric:
            return plain_number(number(literal.value.strip()))
        if other == DATE and _TIMESTAMP.fullmatch(literal.value.strip()):
            # Spark would take the date of it and forget the time, which is hardly what was meant.
            raise Refusal(
                f"{literal.value[:40]!r} has a time, and what it is compared with is a date: write '2024-05-01', "
                "or cast the date to a timestamp"
            )
        if is_temporal(other):
            return temporal(literal.value, other)
    return plain_number(literal)


def exact_type(term: Term, other: ColumnType | None) -> ColumnType | None:
    """The type of an operand beside a decimal: an integral literal takes only as many digits as it has."""
    if (
        isinstance(term.value, int)
        and not isinstance(term.value, bool)
        and other
        and other.kind is Kind.DECIMAL
    ):
        return ColumnType(kind=Kind.DECIMAL, precision=len(str(abs(term.value))), scale=0)
    return term.type


def sort_key(literal: Term) -> tuple[str, Decimal, str]:
    """An order of literals: numbers by value, everything else by text."""
    if isinstance(literal.value, int | float | Decimal):
        return "", Decimal(literal.value), literal.sql
    return literal.sql, Decimal(0), ""


def _integer(value: int) -> Term:
    size = len(str(abs(value)))
    if -(2**31) <= value < 2**31:
        type_ = INT
    elif -(2**63) <= value < 2**63:
        type_ = LONG
    else:
        type_ = ColumnType(kind=Kind.DECIMAL, precision=size, scale=0)
    return Term(sql=str(value), type=type_, value=value)


def _double(value: float, text: str) -> Term:
    if math.isinf(value):
        raise Refusal(f"{text[:40]} is too large for a double")
    mantissa, _, exponent = repr(value).partition("e")
    return Term(sql=f"{mantissa}E{int(exponent or 0)}", type=DOUBLE, value=value)
