"""Which representation a client would rather have."""

from __future__ import annotations

from collections.abc import Sequence

from app.errors import ApiError

__all__ = ["preferred"]


def preferred(accept: str | None, offers: Sequence[str]) -> str:
    """The offered media type that the header likes best, the first one where it likes several alike.

    >>> preferred("text/plain, application/json;q=0.5", ["application/json", "text/plain"])
    'text/plain'
    """
    if not accept or not accept.strip():
        return offers[0]
    best, quality = None, 0.0
    for offer in offers:
        liked = _quality(accept, offer)
        if liked > quality:
            best, quality = offer, liked
    if best is None:
        raise ApiError("not_acceptable", f"this is answered as one of {', '.join(offers)}")
    return best


def _quality(accept: str, offer: str) -> float:
    """The q of the most specific range of the header that fits."""
    ranges = (offer, f"{offer.partition('/')[0]}/*", "*/*")
    found: dict[str, float] = {}
    for part in accept.split(","):
        media, *parameters = (piece.strip().lower() for piece in part.split(";"))
        found[media] = next((_number(p[2:]) for p in parameters if p.startswith("q=")), 1.0)
    return next((found[media] for media in ranges if media in found), 0.0)


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return 0.0
