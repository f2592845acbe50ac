"""Spark SQL text to a query spec.

    SELECT symbol, max(price) AS hi, count(*) AS n
    FROM trades WHERE price > 10
    GROUP BY symbol, window(ts, '5 minutes', '30 seconds')

Purely syntactic: names and types are checked against the stream by the caller. What an aggregate continuous
query cannot be is refused with a word on what it can be; every refusal is an `InvalidInput` at ``sql``.
"""

from __future__ import annotations

from typing import Any

from sqlglot import exp
from sqlglot.tokenizer_core import Token, TokenType

from app.sql_tokens import read_tokens, where_text
from optimizer.errors import InvalidInput
from optimizer.model.aggregates import AGGREGATES, SYNONYMS, find_aggregate
from optimizer.model.expressions.nodes import function_name, is_foreign, string_of, unwelcome
from optimizer.model.expressions.terms import Refusal
from optimizer.model.expressions.text import DIALECT

__all__ = ["parse_sql"]

MAX_SQL = 100_000
_EXAMPLE = (
    "write SELECT symbol, max(price) AS hi FROM trades WHERE price > 10 "
    "GROUP BY symbol, window(ts, '5 minutes', '30 seconds')"
)
_AGGREGATES: dict[type[exp.Expr], str] = {
    exp.Count: "count", exp.Sum: "sum", exp.Avg: "avg", exp.Min: "min", exp.Max: "max",
    exp.Variance: "var_samp", exp.VariancePop: "var_pop",
    exp.Stddev: "stddev_samp", exp.StddevSamp: "stddev_samp", exp.StddevPop: "stddev_pop",
}  # fmt: skip
_CLAUSES = {
    "with_": "WITH is not supported: name the stream in FROM",
    "distinct": "DISTINCT is not supported: each group of a window gives one row anyway",
    "joins": "one query reads one stream: JOIN and several tables in FROM are not supported",
    "laterals": "LATERAL VIEW is not supported: name the stream in FROM",
    "having": "HAVING is not supported: filter the results, or the tuples by WHERE",
    "order": "ORDER BY is not supported: results are ordered by window end, then group",
    "sort": "SORT BY is not supported: results are ordered by window end, then group",
    "limit": "LIMIT is not supported: results are read by page",
    "offset": "OFFSET is not supported: results are read by page",
    "hint": "hints are not supported: Weft plans the execution",
    "windows": "named windows are not supported: write window(...) in GROUP BY",
}
_WINDOW_COLUMNS = {"start": "window_start", "end": "window_end"}


def parse_sql(text: str) -> dict[str, Any]:
    """The spec of a query: stream, aggregates, window, group_by, where, and the event-time column it names.

    >>> spec = parse_sql("SELECT max(price) FROM trades GROUP BY window(ts, '1 minute')")
    >>> spec["aggregates"], spec["window"]
    ([{'function': 'max', 'column': 'price', 'as': 'max_price'}], {'range': '1 minute', 'slide': '1 minute'})
    """
    if not isinstance(text, str):
        raise InvalidInput.at("sql", f"must be a text: {_EXAMPLE}")
    try:
        return _spec(text)
    except Refusal as refusal:
        raise InvalidInput.at("sql", str(refusal)) from None
    except RecursionError:
        raise InvalidInput.at("sql", "nests too deep: write it with fewer parentheses") from None


def _spec(text: str) -> dict[str, Any]:
    tokens = read_tokens(text, longest=MAX_SQL)
    select = _select(tokens, text)
    stream, alias = _source(select)
    names = {stream.lower(), alias.lower()}
    window, event_time, group_by = _grouping(select, names)
    spec: dict[str, Any] = {
        "stream": stream,
        "event_time": event_time,
        "aggregates": _aggregates(select, names, group_by, window),
        "window": {"range": window[1], "slide": window[2]},
        "group_by": group_by,
    }
    if select.args.get("where") is not None:
        spec["where"] = where_text(tokens, text, names)
    return spec


def _select(tokens: list[Token], text: str) -> exp.Select:
    first = tokens[0].token_type if tokens else None
    if first is TokenType.WITH:
        raise Refusal(_CLAUSES["with_"])
    if first is not TokenType.SELECT:
        raise Refusal(f"must be one SELECT: {_EXAMPLE}")
    if any(t.token_type is TokenType.SEMICOLON for t in tokens):
        raise Refusal("must be one statement")
    try:
        parsed = DIALECT.parser().parse_into(exp.Select, tokens, text)[0]
    except RecursionError:
        raise
    except Exception as error:  # sqlglot is not hardened against garbage: the text is at fault
        raise Refusal(f"could not be read as Spark SQL: {_EXAMPLE}") from error
    if isinstance(parsed, exp.SetOperation):
        raise Refusal("UNION, INTERSECT and EXCEPT are not supported: register several queries")
    if not isinstance(parsed, exp.Select):
        raise Refusal(f"must be one SELECT: {_EXAMPLE}")
    if any(isinstance(n, exp.Query) and n is not parsed for n in parsed.walk()):
        raise Refusal("subqueries are not supported: name the stream in FROM")
    _check_clauses(parsed)
    return parsed


def _check_clauses(select: exp.Select) -> None:
    for key, value in select.args.items():
        if value and key not in ("expressions", "from_", "where", "group"):
            raise Refusal(_CLAUSES.get(key, f"{key.strip('_').upper()} is not supported: {_EXAMPLE}"))
    where = select.args.get("where")
    for node in where.walk() if where else ():
        if is_foreign(node):
            raise unwelcome(node)


def _source(select: exp.Select) -> tuple[str, str]:
    """The stream's name and its alias."""
    table = select.args["from_"].this if select.args.get("from_") else None
    if table is None:
        raise Refusal(f"needs FROM with the stream's name: {_EXAMPLE}")
    if not isinstance(table, exp.Table) or not isinstance(table.this, exp.Identifier):
        raise Refusal("FROM must be the plain name of a stream")
    alias = table.args.get("alias")
    others = [k for k, v in table.args.items() if v and k not in ("this", "alias")]
    if others or (alias is not None and alias.args.get("columns")):
        raise Refusal("FROM must be the plain name of a stream, without qualifiers, samples or versions")
    return table.name, alias.name if alias is not None and alias.name else table.name


def _grouping(select: exp.Select, names: set[str]) -> tuple[tuple[str, str, str], str, list[str]]:
    """The window, its event-time column and the grouping columns."""
    group = select.args.get("group")
    windows, columns = [], []
    for node in group.expressions if group else ():
        if _is_window(node):
            windows.append(_window(node, names))
        elif isinstance(node, exp.Column):
            columns.append(_column(node, names))
        else:
            raise Refusal("GROUP BY must list plain columns and one window(...)")
    if group and any(v for k, v in group.args.items() if k != "expressions"):
        raise Refusal("ROLLUP, CUBE, GROUPING SETS and ALL are not supported: register a query per grouping")
    if not windows:
        raise Refusal("needs a window in GROUP BY, such as window(ts, '5 minutes', '30 seconds')")
    if len(windows) > 1:
        raise Refusal("a query has one window: register a query per window")
    return windows[0], windows[0][0], columns


def _is_window(node: exp.Expr) -> bool:
    return isinstance(node, exp.Anonymous) and function_name(node) == "window"


def _window(node: exp.Expr, names: set[str]) -> tuple[str, str, str]:
    """Event-time column, range and slide of window(column, range[, slide])."""
    given = node.expressions
    if len(given) == 4:
        raise Refusal("window() with a start time is not supported: windows are aligned to the epoch")
    durations = [string_of(d) for d in given[1:]]
    if not 2 <= len(given) <= 3 or not isinstance(given[0], exp.Column) or None in durations:
        raise Refusal("window() needs a column and durations as texts: window(ts, '5 minutes', '30 seconds')")
    return _column(given[0], names), str(durations[0]), str(durations[-1])


def _aggregates(
    select: exp.Select, names: set[str], group_by: list[str], window: tuple[str, str, str]
) -> list[dict[str, str]]:
    grouped = {name.lower() for name in group_by}
    calls = []
    for node in select.expressions:
        alias = node.alias if isinstance(node, exp.Alias) else None
        inner = node.this if isinstance(node, exp.Alias) else node
        part = "window"
        if isinstance(inner, exp.Dot) and inner.name.lower() in _WINDOW_COLUMNS:
            inner, part = inner.this, _WINDOW_COLUMNS[inner.name.lower()]
        if _is_window(inner):
            if _window(inner, names) != window:
                raise Refusal("the window in SELECT must be the one in GROUP BY")
            _check_alias(alias, part)
        elif isinstance(inner, exp.Column):
            _check_plain(inner, alias, names, grouped)
        else:
            calls.append(_aggregate(inner, alias, names))
    if not calls:
        raise Refusal(f"needs an aggregate in SELECT: one of {_function_names()}")
    return calls


def _check_plain(node: exp.Column, alias: str | None, names: set[str], grouped: set[str]) -> None:
    table = node.args.get("table")
    if table is None and node.name.lower() == "window":
        _check_alias(alias, "window")
    elif table is not None and table.name.lower() == "window" and node.name.lower() in _WINDOW_COLUMNS:
        _check_alias(alias, _WINDOW_COLUMNS[node.name.lower()])
    else:
        name = _column(node, names)
        if name.lower() not in grouped:
            raise Refusal(f"{name[:60]!r} is neither grouped nor aggregated: add it to GROUP BY")
        _check_alias(alias, name)


def _check_alias(alias: str | None, name: str) -> None:
    if alias and alias.lower() != name.lower():
        raise Refusal(f"{name[:60]!r} keeps its name in the results: leave AS {alias[:60]} out")


def _aggregate(node: exp.Expr, alias: str | None, names: set[str]) -> dict[str, str]:
    if isinstance(node, exp.Filter):
        raise Refusal("FILTER is not supported: register a query with that WHERE")
    if isinstance(node, exp.Window):
        raise Refusal("OVER is not supported: the window is in GROUP BY")
    unknown = function_name(node) if isinstance(node, exp.Anonymous) else ""
    found = find_aggregate(_AGGREGATES.get(type(node), unknown))
    if found is None:
        raise Refusal(
            f"{node.sql('spark')[:60]!r} is not an allowed aggregate: use one of {_function_names()}"
        )
    given = node.expressions if isinstance(node, exp.Anonymous) else [node.this, *node.expressions]
    argument = given[0] if len(given) == 1 else None
    if isinstance(argument, exp.Distinct):
        raise Refusal(f"{found.name}(DISTINCT ...) is not supported: its partial results grow without bound")
    is_one = isinstance(argument, exp.Literal) and not argument.args["is_string"]
    if found.name == "count" and (isinstance(argument, exp.Star) or is_one):
        return {"function": "count", "as": alias or "count"}
    if not isinstance(argument, exp.Column):
        raise Refusal(f"{found.name}() needs one plain column, not an expression")
    column = _column(argument, names)
    return {"function": found.name, "column": column, "as": alias or f"{found.name}_{column}"}


def _function_names() -> str:
    return ", ".join([*(a.name for a in AGGREGATES), *SYNONYMS])


def _column(node: exp.Column, names: set[str]) -> str:
    """The name of a column that is qualified by nothing but the stream."""
    table = node.args.get("table")
    others = [k for k, v in node.args.items() if v and k not in ("this", "table")]
    if others or not isinstance(node.this, exp.Identifier):
        raise Refusal(f"{node.sql('spark')[:60]} is not a plain column")
    if table is not None and table.name.lower() not in names:
        raise Refusal(f"{table.name[:60]!r} is not the stream in FROM: write the column's name alone")
    return node.name
