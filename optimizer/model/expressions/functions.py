"""The allow-list of functions: pure, total, and cheap for every tuple.

Each entry names sqlglot's node, its arguments in order, and a rule that checks the arguments' types and gives
the call. A function that may raise in ANSI mode is written so that it cannot.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from sqlglot import exp

from optimizer.model.expressions import literals
from optimizer.model.expressions.terms import Form, Refusal, Term, call, choose, compare, compose, join
from optimizer.model.expressions.types import (
    BOOLEAN,
    DATE,
    DOUBLE,
    FLOAT,
    INT,
    LONG,
    STRING,
    TIMESTAMP,
    arithmetic_type,
    as_decimal,
    common_type,
    spark_name,
)
from optimizer.model.schema import MAX_PRECISION, ColumnType, Kind

__all__ = ["ARITHMETIC", "BY_NODE", "FUNCTIONS", "Function", "arithmetic", "cast", "minus", "same_type"]

Rule = Callable[[str, tuple[Term, ...]], Term]
MAX_ROUND = 18
_NEGATED = 34
_LARGEST = literals.number("9.223372036854775807e18")

ARITHMETIC = {"+": "try_add", "-": "try_subtract", "*": "try_multiply", "/": "try_divide", "%": "try_mod"}
"""Operators and the functions that give NULL where the operators raise: overflow and division by zero."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Function:
    """An allowed function; ``arguments`` are the keys of the node's arguments; the last may be absent."""

    name: str
    node: type[exp.Expr]
    rule: Rule
    arguments: tuple[str, ...] = ("this",)
    ignored: tuple[str, ...] = ()
    """Keys that sqlglot sets by itself and that say nothing here."""


def arithmetic(operator: str, left: Term, right: Term) -> Term:
    """``left operator right``, NULL where it overflows or divides by zero."""
    result = arithmetic_type(operator, numeric(operator, left), numeric(operator, right))
    return call(ARITHMETIC[operator], (left, right), result)


def cast(term: Term, to: ColumnType) -> Term:
    """``try_cast``: NULL where the value does not fit; refused where Spark knows no such cast."""
    if term.type == to:
        return term
    plain = (term.type is not None and term.type.is_numeric) or term.type == BOOLEAN
    allowed = (
        term.type in (None, STRING)
        or to == STRING
        or (plain and (to.is_numeric or to == BOOLEAN))
        or (term.type in (DATE, TIMESTAMP) and to in (DATE, TIMESTAMP))
    )
    if not allowed:
        raise Refusal(f"{term.sql[:60]} is {_named(term)} and cannot be cast to {to}")
    return compose(f"try_cast({term.sql} AS {spark_name(to)})", (term,), to)


def same_type(name: str, terms: tuple[Term, ...]) -> ColumnType:
    """The common type of terms that are alternatives of each other."""
    found: ColumnType | None = None
    for term in terms:
        wider = common_type(found, term.type)
        if wider is None and (found or term.type):
            raise Refusal(f"{name} needs values of one type: {term.sql[:60]} is {_named(term)}, not {found}")
        found = wider
    if found is None:
        raise Refusal(f"{name} needs a value that is not NULL")
    return found


def _named(term: Term) -> str:
    return str(term.type or "NULL")


def _typed(name: str, term: Term, *types: ColumnType) -> None:
    if term.type not in types:
        raise Refusal(f"{name} needs {' or '.join(map(str, types))}: {term.sql[:60]} is {_named(term)}")


def _simple(result: ColumnType, *types: ColumnType) -> Rule:
    """A rule for arguments that are all of one of the types."""

    def rule(name: str, given: tuple[Term, ...]) -> Term:
        for term in given:
            _typed(name, term, *types)
        return call(name, given, result)

    return rule


def _substring(name: str, given: tuple[Term, ...]) -> Term:
    _typed(name, given[0], STRING)
    for position in given[1:]:
        # A long would be cast to int by Spark, which raises when it does not fit.
        _typed(name, position, INT)
    if len(given) < 2:
        raise Refusal("substring needs a position: substring(text, 1) or substring(text, 1, 3)")
    return call(name, given, STRING)


def numeric(name: str, term: Term) -> ColumnType:
    """The type of a numeric operand."""
    if term.type is None or not term.type.is_numeric:
        raise Refusal(f"{name} needs a number: {term.sql[:60]} is {_named(term)}")
    return term.type


def minus(value: Term) -> Term:
    """The value with the other sign, of the same type; NULL where there is none, as for the smallest long."""
    type_ = numeric("-", value)
    if type_.is_integral:
        return arithmetic("-", literals.number("0"), value)
    # Nothing is taken from 0: that would be a double for a float, a digit less for a long decimal, and 0 for -0.
    if type_.kind is Kind.DECIMAL and type_.precision > _NEGATED:
        # Spark rounds to so many digits, and raises when the last of them is carried over.
        narrow = replace(type_, precision=_NEGATED, scale=min(type_.scale, _NEGATED))
        return cast(call("negative", (cast(value, narrow),), narrow), type_)
    return call("negative", (value,), type_)


def _negative(_: str, given: tuple[Term, ...]) -> Term:
    return minus(given[0])


def _abs(name: str, given: tuple[Term, ...]) -> Term:
    type_ = numeric(name, given[0])
    if not type_.is_integral:
        return call(name, given, type_)
    # The smallest int and long have no positive counterpart of their type; as decimals they do, and back again
    # it is NULL. What goes on from there must have Spark's type, or 7 / 2 would be that of decimals.
    exact = cast(given[0], as_decimal(type_))
    return cast(call(name, (exact,), as_decimal(type_)), type_)


def _whole(name: str, given: tuple[Term, ...]) -> Term:
    """Floor and ceil: a long, or a decimal with room for a carry."""
    type_ = numeric(name, given[0])
    if type_.kind is Kind.DECIMAL:
        whole = min(MAX_PRECISION, type_.precision - type_.scale + 1)
        return call(name, given, ColumnType(kind=Kind.DECIMAL, precision=whole, scale=0))
    return call(name, (_within_longs(given[0]),) if type_.is_fractional else given, LONG)


def _within_longs(value: Term) -> Term:
    """A float or double that is a long or nearly so, or NaN, whose floor Spark takes to be 0; NULL beyond."""
    if len(value.parts) == 1 and _guarded(value.parts[0]).sql == value.sql:
        return value
    return _guarded(value)


def _guarded(value: Term) -> Term:
    type_ = value.type or DOUBLE
    small = compare("<=", call("abs", (value,), type_), _LARGEST)
    return choose([join(Form.OR, (small, call("isnan", (value,), BOOLEAN)))], [value], None, type_)


def _round(name: str, given: tuple[Term, ...]) -> Term:
    type_ = numeric(name, given[0])
    digits = given[1].value if len(given) > 1 else 0
    if not isinstance(digits, int) or isinstance(digits, bool) or not 0 <= digits <= MAX_ROUND:
        raise Refusal(f"round needs a literal number of digits from 0 to {MAX_ROUND}")
    if type_.kind is Kind.DECIMAL:
        scale = min(type_.scale, digits)
        precision = min(MAX_PRECISION, type_.precision - type_.scale + 1 + scale)
        type_ = ColumnType(kind=Kind.DECIMAL, precision=precision, scale=scale)
    return call(name, given, type_)


def _coalesce(name: str, given: tuple[Term, ...]) -> Term:
    return call(name, given, same_type(name, given))


def _concat(name: str, given: tuple[Term, ...]) -> Term:
    if len(given) < 2:
        raise Refusal("concat needs two or more strings")
    return _TEXT(name, given)


_TEXT = _simple(STRING, STRING)
_TEXT_TEST = _simple(BOOLEAN, STRING)
_DAY_PART = _simple(INT, DATE, TIMESTAMP)
_TIME_PART = _simple(INT, TIMESTAMP)

FUNCTIONS: tuple[Function, ...] = (
    Function(name="abs", node=exp.Abs, rule=_abs),
    Function(name="ceil", node=exp.Ceil, rule=_whole),
    Function(name="coalesce", node=exp.Coalesce, rule=_coalesce, arguments=("this", "expressions"),
             ignored=("is_nvl", "is_null")),
    Function(name="concat", node=exp.Concat, rule=_concat, arguments=("expressions",),
             ignored=("safe", "coalesce")),
    Function(name="contains", node=exp.Contains, rule=_TEXT_TEST, arguments=("this", "expression")),
    Function(name="day", node=exp.Day, rule=_DAY_PART),
    Function(name="day", node=exp.DayOfMonth, rule=_DAY_PART),
    Function(name="endswith", node=exp.EndsWith, rule=_TEXT_TEST, arguments=("this", "expression")),
    Function(name="floor", node=exp.Floor, rule=_whole),
    Function(name="hour", node=exp.Hour, rule=_TIME_PART),
    Function(name="isnan", node=exp.IsNan, rule=_simple(BOOLEAN, DOUBLE, FLOAT)),
    Function(name="length", node=exp.Length, rule=_simple(INT, STRING)),
    Function(name="lower", node=exp.Lower, rule=_TEXT),
    Function(name="minute", node=exp.Minute, rule=_TIME_PART),
    Function(name="month", node=exp.Month, rule=_DAY_PART),
    Function(name="negative", node=exp.Negative, rule=_negative),
    Function(name="round", node=exp.Round, rule=_round, arguments=("this", "decimals")),
    Function(name="second", node=exp.Second, rule=_TIME_PART),
    Function(name="startswith", node=exp.StartsWith, rule=_TEXT_TEST, arguments=("this", "expression")),
    Function(name="substring", node=exp.Substring, rule=_substring, arguments=("this", "start", "length")),
    Function(name="trim", node=exp.Trim, rule=_TEXT),
    Function(name="upper", node=exp.Upper, rule=_TEXT),
    Function(name="year", node=exp.Year, rule=_DAY_PART),
)  # fmt: skip
"""Every allowed function, by name."""

BY_NODE: dict[type[exp.Expr], Function] = {f.node: f for f in FUNCTIONS}
