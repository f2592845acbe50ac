"""The tokens of a query in SQL, before and beside their parsing.

Streams and columns may be called what SQL calls its own words, such as ``index`` or ``date``. Beside a dot and
after FROM a word can only be a name, so it is made one before the parser sees it.
"""

from __future__ import annotations

import re

from sqlglot.tokenizer_core import Token, TokenType

from optimizer.model.expressions.terms import Refusal
from optimizer.model.expressions.text import tokenize

__all__ = ["read_tokens", "where_text"]

MAX_TOKENS = 20_000
_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*", re.ASCII)
_TEXTS = frozenset({TokenType.STRING, TokenType.IDENTIFIER})
_NEVER_A_STREAM = frozenset({TokenType.WHERE, TokenType.GROUP_BY, TokenType.SELECT, TokenType.VALUES})


def read_tokens(text: str, *, longest: int) -> list[Token]:
    """The tokens of one statement, without the semicolons at its end.

    >>> [t.token_type.name for t in read_tokens("FROM index WHERE index.date > 1", longest=100)]
    ['FROM', 'VAR', 'WHERE', 'VAR', 'DOT', 'VAR', 'GT', 'NUMBER']
    """
    tokens = tokenize(text, longest=longest)
    if len(tokens) > MAX_TOKENS:
        raise Refusal(f"must have at most {MAX_TOKENS} words and signs")
    while tokens and tokens[-1].token_type is TokenType.SEMICOLON:
        tokens.pop()
    for position, token in enumerate(tokens):
        if _is_name(tokens, position):
            token.token_type = TokenType.VAR
    return tokens


def where_text(tokens: list[Token], text: str, names: set[str]) -> str:
    """The text between WHERE and GROUP BY as it was given, without qualifiers by the stream's names."""
    start = next(i for i, t in enumerate(tokens) if t.token_type is TokenType.WHERE) + 1
    stop = next(i for i, t in enumerate(tokens) if t.token_type is TokenType.GROUP_BY)
    if stop < start:
        raise Refusal("WHERE must stand before GROUP BY")
    pieces, position = [], tokens[start].start
    for i in range(start, stop - 1):
        is_name = tokens[i].token_type in (TokenType.VAR, TokenType.IDENTIFIER)
        is_first = i == start or tokens[i - 1].token_type is not TokenType.DOT
        is_qualifier = is_name and is_first and tokens[i + 1].token_type is TokenType.DOT
        if is_qualifier and tokens[i].text.lower() in names:
            pieces.append(text[position : tokens[i].start])
            position = tokens[i + 1].end + 1
    return "".join([*pieces, text[position : tokens[stop - 1].end + 1]])


def _is_name(tokens: list[Token], position: int) -> bool:
    token = tokens[position]
    if token.token_type in _TEXTS or not _WORD.fullmatch(token.text):
        return False
    before = tokens[position - 1].token_type if position else None
    after = tokens[position + 1].token_type if position + 1 < len(tokens) else None
    if TokenType.DOT in (before, after):
        return True
    if before is TokenType.FROM:
        return token.token_type not in _NEVER_A_STREAM
    # sqlglot takes WINDOW after GROUP BY for the clause of that name; before a parenthesis it is ours.
    return token.token_type is TokenType.WINDOW and after is TokenType.L_PAREN
