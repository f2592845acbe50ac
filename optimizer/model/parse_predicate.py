"""The text of a WHERE predicate to a canonical `Predicate`.

The text is parsed, every node is checked against an allow-list and typed, and canonical Spark SQL is written
from the tree; nothing of the given text is pasted into it. Differences to what Spark would do with the text:

* **It never raises.** Spark 4's ANSI mode stops the job, and with it everybody's queries, at an integer
  overflow, a division by zero or a cast that fails. Arithmetic and casts are written as ``try_add``,
  ``try_divide``, ``try_cast`` ..., which give NULL instead, so that the one tuple does not satisfy the
  predicate.
* **Timestamps** without an offset are in UTC, whatever the session's time zone.
* **Equal conditions have equal texts** up to order, flipped comparisons, doubled NOT and the like, so that
  equal queries are found and computed once. Logic is not simplified any deeper here.
"""

from __future__ import annotations

from sqlglot import exp
from sqlglot.errors import ParseError
from sqlglot.tokenizer_core import Token, TokenType

from optimizer.errors import InvalidInput
from optimizer.model.expressions.terms import MAX_SQL, Refusal, Term
from optimizer.model.expressions.text import DIALECT, tokenize
from optimizer.model.expressions.translate import Translator
from optimizer.model.predicate import Predicate
from optimizer.model.schema import Schema

__all__ = ["parse_predicate"]


def parse_predicate(
    text: str, schema: Schema, *, field: str = "where", stream: str | None = None
) -> Predicate | None:
    """The predicate, or None when every tuple satisfies it; ``field`` is named in the error.

    Columns may be qualified by ``stream``.

    >>> from optimizer.model.schema import Column, ColumnType, Schema
    >>> schema = Schema(columns=(Column(name="price", type=ColumnType.parse("double")),))
    >>> parse_predicate("NOT (10 >= Price) and price/2 != 7", schema).sql
    '`price` > 10 AND try_divide(`price`, 2) <> 7'
    """
    if not isinstance(text, str):
        raise InvalidInput.at(field, "must be a text such as \"price > 10 AND symbol IN ('A', 'B')\"")
    if not text.strip():
        return None
    try:
        term = _term(text, Translator(schema, stream))
    except Refusal as refusal:
        raise InvalidInput.at(field, str(refusal)) from None
    except InvalidInput as error:
        raise InvalidInput.at(field, "; ".join(e.message for e in error.errors)) from None
    except RecursionError:
        raise InvalidInput.at(field, "nests too deep: write it with fewer parentheses") from None
    if term.value is True:
        return None
    return Predicate(sql=term.sql, columns=tuple(sorted(term.columns)))


def _term(text: str, translate: Translator) -> Term:
    tokens = tokenize(text, longest=MAX_SQL)
    if any(t.token_type is TokenType.SEMICOLON for t in tokens):
        raise Refusal("must be one condition, without a semicolon")
    term = translate.condition(_parse(tokens, text), "WHERE")
    if term.type is None:
        raise Refusal("must be a condition that can be true, not NULL")
    return term


def _parse(tokens: list[Token], text: str) -> exp.Expr | None:
    try:
        parsed = DIALECT.parser().parse_into(exp.Condition, tokens, text)
    except RecursionError:
        raise
    except ParseError as error:
        first = error.errors[0] if error.errors else {}
        place = f" near line {first['line']}, column {first['col']}" if "line" in first else ""
        raise Refusal(f"is not a Spark SQL condition{place}: write one such as price > 10") from error
    except (
        Exception
    ) as error:  # sqlglot is not hardened against garbage: whatever it raises, the text is at fault
        raise Refusal("is not a Spark SQL condition: write one such as price > 10") from error
    return parsed[0] if len(parsed) == 1 else None
