"""Who may speak to a service without keys: this machine, by one of its own names.

A service on loopback is out of reach of other machines, but not of the pages that a browser on this machine
shows. A page can give its own name the address 127.0.0.1 (DNS rebinding): then the Host header is that name.
Or it can send a form or a bare POST to 127.0.0.1: then the Origin header is the page's. Both are refused.
With keys neither is needed, as no page knows one, and a proxy may use whatever name it likes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from app.problems import problem_response

__all__ = ["OwnNames"]

_LOOPBACK = ("127.0.0.1", "localhost", "::1")
_HOST = re.compile(r"(?P<name>\[[0-9a-f:.]+\]|[^:\[\]/@\s]+)(?::[0-9]{1,5})?", re.ASCII | re.IGNORECASE)
_READING = frozenset({"GET", "HEAD", "OPTIONS"})


class OwnNames:
    """Refuse requests to another name with 421, and changes that a page of another origin asks for with 403."""

    def __init__(self, app: ASGIApp, *, names: Iterable[str]) -> None:
        self.app = app
        self.names = {name.lower() for name in (*_LOOPBACK, *names)}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return await self.app(scope, receive, send)
        headers = Headers(scope=scope)
        hosts = headers.getlist("host")
        if len(hosts) != 1 or self._name(hosts[0]) not in self.names:
            response = problem_response(
                "wrong_host",
                "without WEFT_API_KEYS this service answers only to 127.0.0.1, localhost, [::1] and WEFT_HOST",
            )
            return await response(scope, receive, send)
        origins = headers.getlist("origin")
        if scope["method"] not in _READING and any(not _is_same(o, hosts[0]) for o in origins):
            response = problem_response(
                "foreign_origin", "a page of another origin may not change anything here"
            )
            return await response(scope, receive, send)
        return await self.app(scope, receive, send)

    @staticmethod
    def _name(host: str) -> str | None:
        found = _HOST.fullmatch(host)
        return found["name"].strip("[]").lower() if found else None


def _is_same(origin: str, host: str) -> bool:
    """Whether a page of that origin is this service's own."""
    return origin.lower() in (f"http://{host.lower()}", f"https://{host.lower()}")
