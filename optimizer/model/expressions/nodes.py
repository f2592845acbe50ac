"""Reading sqlglot's nodes: only the arguments that are expected, and a helpful refusal of everything else."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from optimizer.model.expressions.functions import BY_NODE, FUNCTIONS, Function
from optimizer.model.expressions.terms import Refusal, Term
from optimizer.model.schema import ColumnType, Kind

__all__ = [
    "ALLOWED", "UNNAMED", "arguments", "cast_type", "function_name", "is_foreign", "only", "string_of",
    "unlike", "unwelcome",
]  # fmt: skip

_CASTS = {
    "BOOLEAN": Kind.BOOLEAN, "INT": Kind.INT, "BIGINT": Kind.LONG, "FLOAT": Kind.FLOAT, "DOUBLE": Kind.DOUBLE,
    "TEXT": Kind.STRING, "DATE": Kind.DATE, "TIMESTAMP": Kind.TIMESTAMP, "TIMESTAMPTZ": Kind.TIMESTAMP,
    "TIMESTAMPLTZ": Kind.TIMESTAMP,
}  # fmt: skip
_NAMES = ", ".join(sorted({f.name for f in FUNCTIONS}))
ALLOWED = (
    "use comparisons, BETWEEN, IN, LIKE, IS NULL, AND, OR, NOT, CASE WHEN, arithmetic, CAST and the "
    f"functions {_NAMES}"
)
"""What an expression may be made of, in a sentence."""
UNNAMED = frozenset({"try_mod", "isnull", "isnotnull"})
"""Functions that sqlglot has no node of its own for."""
_ALSO_FUNCTIONS = (
    exp.And, exp.Or, exp.Case, exp.If, exp.Cast, exp.SafeAdd, exp.SafeSubtract, exp.SafeMultiply,
    exp.SafeDivide, exp.TsOrDsToDate,
)  # fmt: skip
"""Syntax that sqlglot counts among the functions."""


def arguments(function: Function, node: exp.Expr) -> Iterator[exp.Expr]:
    """The arguments of a call, in the function's order."""
    only(node, *function.arguments, ignored=function.ignored)
    for key in function.arguments:
        given = node.args.get(key)
        for each in given if isinstance(given, list) else [given] if given is not None else []:
            # sqlglot wraps what year() and its like read; Spark's own functions need no wrapping.
            yield each.this if isinstance(each, exp.TsOrDsToDate) and not each.args.get("safe") else each


def function_name(node: exp.Expr) -> str:
    """The name of a function that sqlglot has no node for; a quoted or computed name is none."""
    return node.this.lower() if isinstance(node.this, str) else ""


def is_foreign(node: exp.Expr) -> bool:
    """Whether the node calls a function that no expression may call.

    >>> from sqlglot import parse_one
    >>> [is_foreign(parse_one(t, read="spark")) for t in ("abs(x)", "reflect('c', 'm')", "rand()")]
    [False, True, True]
    """
    if isinstance(node, exp.Anonymous):
        return function_name(node) not in UNNAMED
    return isinstance(node, exp.Func) and not isinstance(node, _ALSO_FUNCTIONS) and type(node) not in BY_NODE


def only(node: exp.Expr, *keys: str, ignored: tuple[str, ...] = ()) -> exp.Expr:
    """The node, if it has no arguments beyond these."""
    known = {*keys, *ignored}
    for key, value in node.args.items():
        if key not in known and value is not None and value is not False and value != []:
            raise unwelcome(node)
    return node


def string_of(node: exp.Expr | None) -> str | None:
    """The value of a string literal, None for everything else."""
    return str(node.this) if isinstance(node, exp.Literal) and node.args["is_string"] else None


def cast_type(to: exp.Expr) -> ColumnType:
    """The column type that a cast names."""
    name = to.this.name if isinstance(to, exp.DataType) and not isinstance(to.this, str) else ""
    if name == "DECIMAL":
        sizes = [str(p.this) for p in to.expressions] or ["10"]
        return ColumnType.parse(f"decimal({','.join([*sizes, '0'][:2])})")
    if name not in _CASTS or to.expressions:
        kinds = ", ".join("decimal(p,s)" if k is Kind.DECIMAL else k for k in Kind)
        raise Refusal(f"CAST knows the types {kinds}")
    return ColumnType(kind=_CASTS[name])


def unlike(left: Term, right: Term) -> Refusal:
    """Why two values cannot be compared."""
    if left.type and right.type and left.type.is_numeric and right.type.is_numeric:
        return Refusal(
            f"{left.sql[:60]} ({left.type}) and {right.sql[:60]} ({right.type}) need more than 38 digits "
            "together: cast one of them"
        )
    return Refusal(
        f"{left.sql[:60]} is {left.type or 'NULL'} and {right.sql[:60]} is {right.type or 'NULL'}: "
        "compare values of one type"
    )


def unwelcome(node: exp.Expr) -> Refusal:
    """The refusal of a node that is not allowed."""
    if isinstance(node, exp.Anonymous):
        what = f"the function {str(getattr(node.this, 'name', node.this))[:60]!r}"
    elif isinstance(node, exp.Func):
        what = f"the function {node.sql_name().lower()!r}"
    else:
        what = f"{type(node).__name__.lower()!r}"
    return Refusal(f"{what} is not allowed here in this form: {ALLOWED}")
