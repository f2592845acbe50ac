"""Pages of lists: an opaque cursor that says after which key the next page begins.

A page is cut by key, not by position, so inserts and deletes between two calls neither repeat nor skip
an item.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Sequence
from typing import Annotated, Any

from fastapi import Query

from optimizer.errors import InvalidInput

__all__ = ["CursorParam", "LimitParam", "decode_cursor", "page"]

_MAX_CURSOR = 512

LimitParam = Annotated[int, Query(ge=1, le=1000, description="The most items to answer with.")]
CursorParam = Annotated[
    str | None,
    Query(max_length=_MAX_CURSOR, description="The `next` of the page before; none for the first page."),
]


def decode_cursor(cursor: str | None) -> str | None:
    """The key after which a page begins.

    >>> decode_cursor(page(["a", "b", "c"], [{}, {}, {}], limit=2)["next"])
    'b'
    """
    if cursor is None:
        return None
    try:
        key = base64.urlsafe_b64decode(cursor.encode()).decode()
    except (binascii.Error, ValueError):
        key = ""
    # Only what `page` could have made is taken: base64 decoding drops characters that it does not know.
    if not key or "\x00" in key or _encode(key) != cursor:
        raise InvalidInput.at("cursor", "must be the `next` of an earlier page")
    return key


def page(keys: Sequence[str], items: Sequence[Any], *, limit: int) -> dict[str, Any]:
    """The answer for items that were fetched with ``limit + 1``, so that it is known whether more follow."""
    more = len(items) > limit
    return {"items": list(items[:limit]), "next": _encode(keys[limit - 1]) if more else None}


def _encode(key: str) -> str:
    return base64.urlsafe_b64encode(key.encode()).decode()
