"""API keys: when some are set, every call under /v1 must carry one."""

from __future__ import annotations

import hmac
from collections.abc import Sequence

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from app.problems import problem_response

__all__ = ["ApiKeys"]


class ApiKeys:
    """Refuse calls without a key; health, metrics and documentation stay open."""

    def __init__(self, app: ASGIApp, *, keys: Sequence[str]) -> None:
        self.app = app
        self.keys = [key.encode() for key in keys]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        guarded = scope["type"] == "http" and (scope["path"] + "/").startswith("/v1/")
        if not guarded or not self.keys or self._known(Headers(scope=scope)):
            return await self.app(scope, receive, send)
        response = problem_response(
            "unauthorized",
            "send a key in the header Authorization: Bearer <key>, or in X-API-Key",
            headers={"WWW-Authenticate": "Bearer"},
        )
        return await response(scope, receive, send)

    def _known(self, headers: Headers) -> bool:
        scheme, _, token = headers.get("authorization", "").partition(" ")
        given = token.strip() if scheme.lower() == "bearer" else headers.get("x-api-key", "")
        # In constant time, and every key, so that timing tells nothing.
        matches = [hmac.compare_digest(given.encode(), key) for key in self.keys]
        return any(matches)
