"""LIKE patterns, checked and written with the default escape.

Spark raises on a pattern whose escape stands before anything but ``%``, ``_`` or itself, and only when the
first tuple arrives, so it is checked here.
"""

from __future__ import annotations

from optimizer.model.expressions.terms import Refusal

__all__ = ["like_pattern"]

MAX_WILDCARDS = 8
"""Each ``%`` multiplies the ways to match a long text, so their number is bounded."""


def like_pattern(pattern: str, escape: str | None) -> str:
    r"""The same pattern escaped by a backslash.

    >>> print(like_pattern("10!%%%", "!"))
    10\%%
    """
    sign = "\\" if escape is None else escape
    if len(sign) != 1 or sign in "%_":
        raise Refusal("ESCAPE needs one character other than % and _")
    written: list[str] = []
    characters = iter(pattern)
    for character in characters:
        if character == sign:
            after = next(characters, "")
            if after == "" or after not in f"%_{sign}":
                raise Refusal(f"the escape {sign!r} in a LIKE pattern must stand before %, _ or itself")
            written.append(f"\\{after}" if after in "%_\\" else after)
        elif character == "%" and written and written[-1] == "%":
            continue
        else:
            written.append("\\\\" if character == "\\" else character)
    if written.count("%") > MAX_WILDCARDS:
        raise Refusal(f"a LIKE pattern may have at most {MAX_WILDCARDS} times %")
    return "".join(written)
