"""The allow-list of functions: pure, total, and cheap for every tuple.

Each entry names sqlglot's node, its arguments in order, and a rule that checks the arguments' types and gives
the call. A function that may raise in ANSI mode is written so that it cannot.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from sqlglot import exp

from optimizer.model.expressions.terms import Refusal, Term, call, compose
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

__all__ = ["ARITHMETIC", "BY_NODE", "FUNCTIONS", "Function", "arithmetic", "cast", "same_type"]

Rule = Callable[[str, tuple[Term, ...]], Term]
MAX_ROUND = 18
_WIDE = ColumnType(kind=Kind.DECIMAL, precision=38, scale=18)

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


def _abs(name: str, given: tuple[Term, ...]) -> Term:
    type_ = numeric(name, given[0])
    # The smallest int and long have no positive counterpart of their type; as decimals they do.
    safe = cast(given[0], as_decimal(type_)) if type_.is_integral else given[0]
    return call(name, (safe,), safe.type or type_)


def _whole(name: str, given: tuple[Term, ...]) -> Term:
    """Floor and ceil: an integer becomes a long, a decimal gets room for a carry."""
    type_ = numeric(name, given[0])
    if type_.is_integral:
        return call(name, given, LONG)
    # Of a double beyond the longs they raise; as a decimal it is NULL, and exact from 1e-18 on.
    safe = cast(given[0], _WIDE) if type_.is_fractional else given[0]
    exact = safe.type or _WIDE
    whole = min(MAX_PRECISION, exact.precision - exact.scale + 1)
    return call(name, (safe,), ColumnType(kind=Kind.DECIMAL, precision=whole, scale=0))


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
