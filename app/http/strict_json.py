"""JSON as RFC 8259 has it, and nothing that a database or another client could choke on."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Coroutine
from typing import Any, NoReturn

from fastapi import Request, Response
from fastapi.routing import APIRoute

from app.errors import ApiError
from optimizer.errors import FieldError

__all__ = ["StrictRoute", "strict_json"]

_MAX_DIGITS = 19
_SUSPECT = re.compile(rb"\\u(?:0000|[dD][89a-fA-F])")
_BAD = re.compile("[\x00\ud800-\udfff]")


class StrictRoute(APIRoute):
    """A route whose body is parsed by `strict_json`, and must say that it is JSON.

    A body without that content type is refused also because a page of another site could send one unasked.
    """

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handler = super().get_route_handler()

        async def strict(request: Request) -> Response:
            body = await request.body() if self.body_field is not None else b""
            if not body:
                return await handler(request)
            essence = request.headers.get("content-type", "").partition(";")[0].strip().lower()
            if essence != "application/json":
                raise ApiError(
                    "unsupported_media_type",
                    "send the body as JSON, with the header Content-Type: application/json",
                    headers={"Accept": "application/json"},
                )
            return await handler(_ParsedRequest(request, strict_json(body)))

        return strict


class _ParsedRequest(Request):
    def __init__(self, request: Request, parsed: Any) -> None:
        super().__init__(request.scope, request.receive)
        self._body = request._body
        self._parsed = parsed

    async def json(self) -> Any:
        return self._parsed


def strict_json(body: bytes) -> Any:
    """The value, or an `ApiError` that says why it is none.

    >>> strict_json(b'{"rate": 5}')
    {'rate': 5}
    """
    try:
        value = json.loads(body.decode(), parse_constant=_no_constant, parse_int=_bounded)
        if _SUSPECT.search(body):  # walking the whole value is slow, and hardly ever needed
            _check_strings(value, ())
    except ApiError:
        raise
    except UnicodeDecodeError:
        raise ApiError("malformed_json", "the body is not UTF-8") from None
    except RecursionError:
        raise ApiError("malformed_json", "the body is nested too deeply") from None
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        raise ApiError("malformed_json", f"{error.msg} at {where}") from None
    return value


def _no_constant(name: str) -> NoReturn:
    raise ApiError("malformed_json", f"{name} is not a JSON number")


def _bounded(digits: str) -> int:
    if len(digits.removeprefix("-")) > _MAX_DIGITS:
        raise ApiError("malformed_json", f"a whole number has more than {_MAX_DIGITS} digits")
    return int(digits)


def _check_strings(value: Any, path: tuple[str, ...]) -> None:
    if isinstance(value, str):
        if _BAD.search(value):
            message = "must not contain NUL or a lone surrogate"
            field = ".".join(path)
            raise ApiError(
                "invalid_input", f"{field}: {message}", errors=[FieldError(field=field, message=message)]
            )
    elif isinstance(value, dict):
        for key, item in value.items():
            _check_strings(key, path)
            _check_strings(item, (*path, key))
    elif isinstance(value, list):
        for position, item in enumerate(value):
            _check_strings(item, (*path, str(position)))
