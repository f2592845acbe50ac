"""A limit on the size of bodies, known length or not."""

from __future__ import annotations

import asyncio
from collections import deque

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.problems import problem_response

__all__ = ["BodyLimit"]

_DRAIN_FACTOR = 16
_DRAIN_SECONDS = 10


class BodyLimit:
    """Read the body before anything else happens and refuse one that is too large with 413."""

    def __init__(self, app: ASGIApp, *, max_body: int) -> None:
        self.app = app
        self.max_body = max_body

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return await self.app(scope, receive, send)
        headers = Headers(scope=scope)
        if "content-length" not in headers and "transfer-encoding" not in headers:
            return await self.app(scope, receive, send)
        declared = headers.get("content-length", "0")
        ended = False
        if declared.isdecimal() and len(declared) < 19 and int(declared) <= self.max_body:
            messages, size, ended = await self._read(receive)
            if size <= self.max_body:
                return await self.app(scope, _replay(messages, receive), send)
        if not ended and headers.get("expect", "").lower() != "100-continue":
            await self._drain(receive)
        detail = f"bodies may have at most {self.max_body} bytes: send less, or in several calls"
        response = problem_response("body_too_large", detail, headers={"Connection": "close"})
        return await response(scope, receive, send)

    async def _read(self, receive: Receive) -> tuple[deque[Message], int, bool]:
        """The body up to its end or until it is too large: the messages, their size, whether it ended."""
        messages: deque[Message] = deque()
        size, ended = 0, False
        while size <= self.max_body and not ended:
            message = await receive()
            messages.append(message)
            size += len(message.get("body", b""))
            ended = _is_last(message)
        return messages, size, ended

    async def _drain(self, receive: Receive) -> None:
        """Take in what is still coming: many clients read no answer before they have sent everything."""
        size, ended = 0, False
        try:
            async with asyncio.timeout(_DRAIN_SECONDS):
                while size < self.max_body * _DRAIN_FACTOR and not ended:
                    message = await receive()
                    size += len(message.get("body", b""))
                    ended = _is_last(message)
        except TimeoutError:
            return


def _is_last(message: Message) -> bool:
    return message["type"] != "http.request" or not message.get("more_body", False)


def _replay(messages: deque[Message], receive: Receive) -> Receive:
    async def replayed() -> Message:
        return messages.popleft() if messages else await receive()

    return replayed
