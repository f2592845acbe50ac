"""The walk from sqlglot's tree to a term: what is not named here is refused."""

from __future__ import annotations

from collections.abc import Callable

from sqlglot import exp

from optimizer.model.expressions import literals
from optimizer.model.expressions.functions import (
    BY_NODE,
    Function,
    arithmetic,
    cast,
    minus,
    same_type,
)
from optimizer.model.expressions.like import like_pattern
from optimizer.model.expressions.nodes import (
    ALLOWED,
    UNNAMED,
    arguments,
    cast_type,
    function_name,
    only,
    string_of,
    unlike,
    unwelcome,
)
from optimizer.model.expressions.terms import (
    Form,
    Refusal,
    Term,
    choose,
    compare,
    condition,
    join,
    negate,
    operand,
)
from optimizer.model.expressions.types import BOOLEAN, STRING, common_type, is_temporal
from optimizer.model.schema import Schema

__all__ = ["Translator"]

_COMPARISONS: dict[type[exp.Expr], str] = {
    exp.EQ: "=", exp.NEQ: "<>", exp.LT: "<", exp.LTE: "<=", exp.GT: ">", exp.GTE: ">=", exp.NullSafeEQ: "<=>",
}  # fmt: skip
_OPERATORS: dict[type[exp.Expr], str] = {
    exp.Add: "+", exp.Sub: "-", exp.Mul: "*", exp.Div: "/", exp.Mod: "%",
    exp.SafeAdd: "+", exp.SafeSubtract: "-", exp.SafeMultiply: "*", exp.SafeDivide: "/",
}  # fmt: skip


class Translator:
    """Translates expressions over one schema; ``stream`` is a qualifier that columns may have."""

    def __init__(self, schema: Schema, stream: str | None = None) -> None:
        self._schema = schema
        self._stream = stream.lower() if stream else None
        self._visits: dict[type[exp.Expr], Callable[[exp.Expr], Term]] = {
            exp.Paren: lambda n: self(only(n, "this").this),
            exp.Column: self._column,
            exp.Literal: lambda n: (
                literals.string(n.this) if n.args["is_string"] else literals.number(n.this)
            ),
            exp.Boolean: lambda n: literals.boolean(bool(n.this)),
            exp.Null: lambda _: literals.null(),
            exp.And: lambda n: self._join(Form.AND, n),
            exp.Or: lambda n: self._join(Form.OR, n),
            exp.Not: lambda n: negate(self.condition(only(n, "this").this, "NOT")),
            exp.NullSafeNEQ: lambda n: negate(self._compare("<=>", n)),
            exp.Between: self._between,
            exp.In: self._in,
            exp.Is: self._is,
            exp.Like: lambda n: self._like(n, None),
            exp.Escape: self._escape,
            exp.Neg: self._minus,
            exp.DPipe: lambda n: BY_NODE[exp.Concat].rule("concat", self._both(n)),
            exp.Cast: self._cast,
            exp.TryCast: self._cast,
            exp.Case: self._case,
            exp.If: self._if,
            exp.Anonymous: self._anonymous,
        }

    def __call__(self, node: exp.Expr | None) -> Term:
        """The term of a node, or a refusal that says what would be right."""
        kind = type(node)
        if node is None:
            raise Refusal("is incomplete: " + ALLOWED)
        if kind in self._visits:
            return self._visits[kind](node)
        if kind in _COMPARISONS:
            return self._compare(_COMPARISONS[kind], node)
        if kind in _OPERATORS:
            return arithmetic(_OPERATORS[kind], *self._both(node))
        if kind in BY_NODE:
            return self._call(BY_NODE[kind], node)
        raise unwelcome(node)

    def condition(self, node: exp.Expr | None, where: str) -> Term:
        """The term of a node that must be a condition."""
        term = self(node)
        if term.type not in (BOOLEAN, None):
            raise Refusal(f"{where} needs a condition that is true or false: {term.sql[:60]} is {term.type}")
        return term

    def _both(self, node: exp.Expr) -> tuple[Term, Term]:
        # "typed" and "safe" are notes of sqlglot's about the dialect's division and concatenation.
        only(node, "this", "expression", ignored=("typed", "safe"))
        return self(node.this), self(node.args.get("expression"))

    def _column(self, node: exp.Expr) -> Term:
        only(node, "this", "table")
        table, name = node.args.get("table"), node.this
        if not isinstance(name, exp.Identifier):
            raise unwelcome(node)
        if table is not None and table.name.lower() != self._stream:
            raise Refusal(f"{table.name[:60]}.{name.name[:60]}: write the column's name alone")
        column = self._schema.find(name.name)
        if column is None:
            shown = ", ".join(self._schema.names[:20])
            raise Refusal(f"unknown column {name.name[:60]!r}: the stream has {shown}")
        return Term(sql=f"`{column.name}`", type=column.type, columns=frozenset({column.name}))

    def _join(self, form: Form, node: exp.Expr) -> Term:
        # A chain of a thousand ANDs is a tree as deep, so it is walked by a loop.
        chain: list[Term] = []
        pending: list[exp.Expr | None] = [node]
        while pending:
            each = pending.pop()
            if type(each) is type(node):
                pending += [each.this, each.args.get("expression")]
            else:
                chain.append(self.condition(each, form.name))
        return join(form, chain)

    def _compare(self, operator: str, node: exp.Expr) -> Term:
        return self._compared(operator, *self._both(node))

    def _compared(self, operator: str, left: Term, right: Term) -> Term:
        one = literals.fit(left, right.type) if left.is_literal else left
        two = literals.fit(right, left.type) if right.is_literal else right
        type_ = common_type(literals.exact_type(one, two.type), literals.exact_type(two, one.type))
        if type_ is None and (one.type or two.type):
            raise unlike(one, two)
        if type_ == BOOLEAN and operator in ("<", "<=", ">", ">="):
            raise Refusal(f"{operator} needs values with an order: compare booleans with = or <>")
        return compare(operator, one, two)

    def _between(self, node: exp.Expr) -> Term:
        only(node, "this", "low", "high")
        value = self(node.this)
        low = self._compared(">=", value, self(node.args["low"]))
        return join(Form.AND, (low, self._compared("<=", value, self(node.args["high"]))))

    def _in(self, node: exp.Expr) -> Term:
        only(node, "this", "expressions")
        value = self(node.this)
        found: dict[str, Term] = {}
        for item in node.args.get("expressions") or ():
            literal = self(item)
            if not literal.is_literal:
                raise Refusal(f"IN needs a list of literals: {literal.sql[:60]} is none")
            fitted = literals.fit(literal, value.type)
            if common_type(literals.exact_type(fitted, value.type), value.type) is None and fitted.type:
                raise unlike(value, fitted)
            found[fitted.sql] = fitted
        if not found:
            raise Refusal("IN needs at least one value")
        if len(found) == 1:
            return compare("=", value, next(iter(found.values())))
        items = tuple(sorted(found.values(), key=literals.sort_key))
        same_type("IN", items)
        listed = ", ".join(i.sql for i in items)
        return condition(
            f"{operand(value)} IN ({listed})", f"{operand(value)} NOT IN ({listed})", (value, *items)
        )

    def _is(self, node: exp.Expr) -> Term:
        only(node, "this", "expression")
        value, what = self(node.this), node.args.get("expression")
        if isinstance(what, exp.Null):
            return condition(f"{operand(value)} IS NULL", f"{operand(value)} IS NOT NULL", (value,))
        if isinstance(what, exp.Boolean):
            return self._compared("<=>", value, self(what))
        raise Refusal("IS needs NULL, TRUE or FALSE after it")

    def _escape(self, node: exp.Expr) -> Term:
        only(node, "this", "expression")
        escape = string_of(node.args.get("expression"))
        if not isinstance(node.this, exp.Like) or escape is None:
            raise unwelcome(node)
        return self._like(node.this, escape)

    def _like(self, node: exp.Expr, escape: str | None) -> Term:
        only(node, "this", "expression", "negate")
        value, given = self(node.this), string_of(node.args.get("expression"))
        if given is None:
            raise Refusal("LIKE needs a pattern that is a string literal, such as 'A%'")
        if value.type != STRING:
            raise Refusal(f"LIKE needs a string: {value.sql[:60]} is {value.type or 'NULL'}")
        pattern = literals.string(like_pattern(given, escape)).sql
        term = condition(f"{operand(value)} LIKE {pattern}", f"{operand(value)} NOT LIKE {pattern}", (value,))
        return negate(term) if node.args.get("negate") else term

    def _minus(self, node: exp.Expr) -> Term:
        value = self(only(node, "this").this)
        if value.is_literal and value.type is not None and value.type.is_numeric:
            return literals.number(value.sql[1:] if value.sql.startswith("-") else f"-{value.sql}")
        return minus(value)

    def _cast(self, node: exp.Expr) -> Term:
        only(node, "this", "to", ignored=("safe",))
        value, to = self(node.this), cast_type(node.args["to"])
        if isinstance(value.value, str) and is_temporal(to):
            return literals.temporal(value.value, to)
        return cast(value, to)

    def _case(self, node: exp.Expr) -> Term:
        only(node, "ifs", "default")
        branches = [(only(i, "this", "true").this, i.args.get("true")) for i in node.args.get("ifs") or ()]
        return self._choose(branches, node.args.get("default"))

    def _if(self, node: exp.Expr) -> Term:
        only(node, "this", "true", "false")
        return self._choose([(node.this, node.args.get("true"))], node.args.get("false"))

    def _choose(self, branches: list[tuple[exp.Expr, exp.Expr | None]], default: exp.Expr | None) -> Term:
        tests = [self.condition(test, "CASE WHEN") for test, _ in branches]
        values = [self(value) for _, value in branches]
        other = self(default) if default is not None else literals.null()
        type_ = same_type("CASE", (*values, other))
        return choose(tests, values, other if other.type is not None else None, type_)

    def _anonymous(self, node: exp.Expr) -> Term:
        name = function_name(node)
        given = tuple(self(a) for a in node.args.get("expressions") or ()) if name in UNNAMED else ()
        if name == "try_mod" and len(given) == 2:
            return arithmetic("%", *given)
        if name in ("isnull", "isnotnull") and len(given) == 1:
            term = condition(f"{operand(given[0])} IS NULL", f"{operand(given[0])} IS NOT NULL", given)
            return term if name == "isnull" else negate(term)
        raise unwelcome(node)

    def _call(self, function: Function, node: exp.Expr) -> Term:
        return function.rule(function.name, tuple(self(a) for a in arguments(function, node)))
