"""Scalar SQL expressions: from text over an allow-listed tree to canonical Spark SQL that never raises.

| module | what it holds |
|---|---|
| ``text`` | tokens of a text within limits, string literals read and written as Spark does |
| ``types`` | the types of mixed operands, as Spark's ANSI mode has them |
| ``terms`` | a typed expression with its canonical text; AND, OR, NOT and comparisons in normal form |
| ``literals`` | numbers, strings, dates and timestamps, and fitting one to what it is compared with |
| ``functions`` | the allow-list of functions |
| ``translate`` | the walk from sqlglot's tree to a term |

``optimizer.model.parse_predicate`` is the entry.
"""

from __future__ import annotations

from optimizer.model.expressions.terms import Refusal, Term
from optimizer.model.expressions.text import quote, tokenize
from optimizer.model.expressions.translate import Translator

__all__ = ["Refusal", "Term", "Translator", "quote", "tokenize"]
