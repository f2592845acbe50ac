"""SQL text to tokens within limits, and string literals exactly as Spark reads them.

sqlglot's own reading of string literals differs from Spark's in corners (adjacent literals, unknown escapes),
so the text of every string token is read here again, from the source, by Spark's rules.
"""

from __future__ import annotations

import re

from sqlglot import Dialect
from sqlglot.tokenizer_core import Token, TokenType

from optimizer.model.expressions.terms import Refusal

__all__ = ["DIALECT", "quote", "tokenize"]

DIALECT = Dialect.get_or_raise("spark")
MAX_NESTING = 40
"""Parentheses inside each other; sqlglot's parser calls itself for each, about twenty frames deep."""

_STRING = re.compile(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"", re.DOTALL)
_ESCAPE = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|([01][0-7]{2})|(.))", re.DOTALL)
_NAMED = {"0": "\0", "b": "\b", "n": "\n", "r": "\r", "t": "\t", "Z": "\x1a", "%": "\\%", "_": "\\_"}
# A dollar sign is written as an escape because Spark replaces ${...} in any SQL text, inside literals too.
_WRITTEN = re.compile(r"[\\'$\x00-\x1f\x7f-\x9f\u2028\u2029]")


def quote(value: str) -> str:
    r"""The literal that Spark reads back as exactly that string.

    >>> print(quote("it's \\ ${x}"))
    'it\'s \\ \u0024{x}'
    """
    return f"'{_WRITTEN.sub(_write, value)}'"


def tokenize(text: str, *, longest: int) -> list[Token]:
    """The tokens of a text without comments, with string literals read by Spark's rules.

    >>> [t.text for t in tokenize("name = 'it''s'", longest=100)]
    ['name', '=', "it's"]
    """
    if len(text) > longest:
        raise Refusal(f"must have at most {longest} characters, not {len(text)}")
    if not text.isascii() and not _is_unicode(text):
        raise Refusal("must be valid Unicode: it has half of a surrogate pair")
    try:
        tokens = DIALECT.tokenize(text)
    except (
        Exception
    ) as error:  # sqlglot is not hardened against garbage: whatever it raises, the text is at fault
        raise Refusal("could not be read: look for an unclosed quote or comment") from error
    if any(t.comments for t in tokens) or (not tokens and text.strip()):
        raise Refusal("must not have comments or hints")
    _check_nesting(tokens)
    return _join_strings(tokens, text)


def _write(found: re.Match[str]) -> str:
    character = found[0]
    return f"\\{character}" if character in "\\'" else f"\\u{ord(character):04x}"


def _read(raw: str) -> str:
    if not _STRING.fullmatch(raw):
        raise Refusal(f"{raw[:40]} is not a plain string literal: write 'text'")
    return _ESCAPE.sub(_unescape, raw[1:-1])


def _unescape(found: re.Match[str]) -> str:
    short, long, octal, other = found.groups()
    if other is not None:
        return _NAMED.get(other, other)
    code = int(octal, 8) if octal else int(short or long, 16)
    if code > 0x10FFFF or 0xD800 <= code < 0xE000:
        raise Refusal(f"{found[0]} is not a character")
    return chr(code)


def _join_strings(tokens: list[Token], text: str) -> list[Token]:
    joined: list[Token] = []
    for token in tokens:
        if token.token_type is TokenType.STRING:
            raw = text[token.start : token.end + 1]
            token.text = _read(raw)
            before = joined[-1] if joined else None
            if before is not None and before.token_type is TokenType.STRING:
                if before.end + 1 != token.start or text[before.end] != raw[0]:
                    raise Refusal("two string literals stand side by side: join them with concat('a', 'b')")
                # A doubled quote inside a literal is that quote.
                before.text, before.end = f"{before.text}{raw[0]}{token.text}", token.end
                continue
        joined.append(token)
    return joined


def _check_nesting(tokens: list[Token]) -> None:
    depth = 0
    for token in tokens:
        if token.token_type is TokenType.L_PAREN:
            depth += 1
            if depth > MAX_NESTING:
                raise Refusal(f"must not nest deeper than {MAX_NESTING} parentheses")
        elif token.token_type is TokenType.R_PAREN:
            depth -= 1


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
