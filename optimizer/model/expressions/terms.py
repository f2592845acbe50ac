"""A typed expression with its canonical text, and the normal form of conditions.

Every rewrite here holds in SQL's three-valued logic and in Spark's total order of numbers (NaN equals itself
and is the largest), so ``NOT a < b`` is ``a >= b``.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal
from enum import Enum, auto

from optimizer.model.expressions.types import BOOLEAN
from optimizer.model.schema import ColumnType

__all__ = ["Form", "Refusal", "Term", "call", "choose", "compare", "condition", "join", "negate", "operand"]

MAX_DEPTH = 20
"""Terms inside each other: what sqlglot can read again without running out of stack, beside its caller."""
MAX_SQL = 10_000
"""Characters of a canonical text, the same as of a given one, so that a canonical text can be given."""

_NEGATED = {"=": "<>", "<>": "=", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}
_FLIPPED = {"=": "=", "<>": "<>", "<=>": "<=>", "<": ">", ">": "<", "<=": ">=", ">=": "<="}


class Refusal(Exception):
    """Why an expression is refused; the entry point adds the field's name."""


class Form(Enum):
    """How a term binds: an atom needs no parentheses anywhere."""

    ATOM = auto()
    TEST = auto()
    NOT = auto()
    AND = auto()
    OR = auto()


@dataclass(frozen=True, slots=True, kw_only=True)
class Term:
    """An expression: its canonical text, its type (None for NULL) and the columns that it reads."""

    sql: str
    type: ColumnType | None
    form: Form = Form.ATOM
    columns: frozenset[str] = frozenset()
    depth: int = 0
    parts: tuple[Term, ...] = ()
    """The operands of AND, OR and NOT, and the values of CASE."""
    opposite: str | None = None
    """The text of the negation, where it is not simply NOT of the text."""
    value: bool | int | float | str | Decimal | date | None = None
    """The value of a literal."""

    def __post_init__(self) -> None:
        if self.depth > MAX_DEPTH:
            raise Refusal(f"must not nest deeper than {MAX_DEPTH} operations")
        if len(self.sql) > MAX_SQL:
            raise Refusal(f"must have at most {MAX_SQL} characters when written out in full")

    @property
    def is_literal(self) -> bool:
        return self.value is not None or self.type is None


def operand(term: Term) -> str:
    """The term's text as an operand of something that binds tighter."""
    return term.sql if term.form is Form.ATOM else f"({term.sql})"


def call(name: str, arguments: Iterable[Term], type_: ColumnType) -> Term:
    """A function call."""
    given = tuple(arguments)
    return compose(f"{name}({', '.join(a.sql for a in given)})", given, type_)


def compose(sql: str, parts: Iterable[Term], type_: ColumnType, form: Form = Form.ATOM) -> Term:
    """A term over others: reads what they read, is one deeper."""
    given = tuple(parts)
    return Term(
        sql=sql,
        type=type_,
        form=form,
        columns=frozenset().union(*(p.columns for p in given)),
        depth=1 + max((p.depth for p in given), default=0),
    )


def compare(operator: str, left: Term, right: Term) -> Term:
    """A comparison with the constant on the right, or else the smaller text on the left."""
    if (not left.columns, left.sql) > (not right.columns, right.sql):
        operator, left, right = _FLIPPED[operator], right, left
    negated = _NEGATED.get(operator)
    return condition(
        f"{operand(left)} {operator} {operand(right)}",
        f"{operand(left)} {negated} {operand(right)}" if negated else None,
        (left, right),
    )


def choose(tests: Sequence[Term], values: Sequence[Term], other: Term | None, type_: ColumnType) -> Term:
    """CASE WHEN; ``parts`` are the values, so that a term can be seen to be made in a certain way."""
    text = " ".join(f"WHEN {t.sql} THEN {v.sql}" for t, v in zip(tests, values, strict=True))
    tail = "" if other is None else f" ELSE {other.sql}"
    given = (*values,) if other is None else (*values, other)
    return replace(compose(f"CASE {text}{tail} END", (*tests, *given), type_), parts=given)


def condition(sql: str, opposite: str | None, parts: Iterable[Term]) -> Term:
    """A test such as a comparison, IN, LIKE or IS NULL."""
    return replace(compose(sql, parts, BOOLEAN, Form.TEST), opposite=opposite)


def negate(term: Term) -> Term:
    """NOT of a condition; a double NOT is dropped."""
    if term.form is Form.NOT:
        return term.parts[0]
    if term.opposite is not None:
        return replace(term, sql=term.opposite, opposite=term.sql)
    return replace(compose(f"NOT {operand(term)}", (term,), BOOLEAN, Form.NOT), parts=(term,))


def join(form: Form, terms: Iterable[Term]) -> Term:
    """AND or OR of conditions: flat, each once, in the order of their texts."""
    flat: dict[str, Term] = {}
    for term in terms:
        for part in term.parts if term.form is form else (term,):
            flat[part.sql] = part
    parts = tuple(flat[sql] for sql in sorted(flat))
    if len(parts) == 1:
        return parts[0]
    sql = f" {form.name} ".join(
        p.sql if p.form in (Form.ATOM, Form.TEST, Form.NOT) else f"({p.sql})" for p in parts
    )
    return replace(compose(sql, parts, BOOLEAN, form), parts=parts)
