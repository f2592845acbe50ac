"""Errors as RFC 9457 problem documents: one shape, rendered in one place.

`install` registers the handlers; `documented` describes the same answers in OpenAPI.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel, ConfigDict, Field
from sqlalchemy.exc import IntegrityError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError
from starlette.exceptions import HTTPException

from app.errors import CODES, ApiError
from app.tags import SOURCE_KINDS, SQL_TAG, UNION_TAGS
from optimizer.errors import FieldError, InvalidInput, Unsupported

__all__ = ["MEDIA_TYPE", "Problem", "documented", "field_errors", "install", "problem_response"]

MEDIA_TYPE = "application/problem+json"
MAX_ERRORS = 100
_TAG_ERRORS = {"union_tag_invalid": "must be", "union_tag_not_found": "is required:"}
_STATUS_CODES = {
    400: "bad_request",
    401: "unauthorized",
    404: "not_found",
    405: "method_not_allowed",
    406: "not_acceptable",
    413: "body_too_large",
    415: "unsupported_media_type",
}


class FieldProblem(BaseModel):
    """One offending field."""

    field: str = Field(description="Dotted path in the body, or the name of a parameter.")
    message: str = Field(description="What would be right.")


class Problem(BaseModel):
    """An RFC 9457 problem document."""

    model_config = ConfigDict(
        json_schema_extra={
            "example": {
                "type": "about:blank",
                "title": "The input is not valid",
                "status": 422,
                "detail": "window.slide: must be positive",
                "code": "invalid_input",
                "errors": [{"field": "window.slide", "message": "must be positive"}],
            }
        }
    )

    type: str = Field(description="Always about:blank; `code` tells problems apart.")
    title: str
    status: int
    detail: str
    code: str = Field(
        description="Stable: write clients against it.", json_schema_extra={"enum": list(CODES)}
    )
    errors: list[FieldProblem] = Field(
        description=f"The first {MAX_ERRORS} offending fields; of a batch, some of each offending query."
    )


def problem_response(
    code: str,
    detail: str,
    *,
    errors: Sequence[FieldError] = (),
    headers: Mapping[str, str] | None = None,
    most: int | None = MAX_ERRORS,
) -> JSONResponse:
    """The problem document of that code, with ``most`` of the errors."""
    status, title = CODES[code]
    content = {
        "type": "about:blank",
        "title": title,
        "status": status,
        "detail": _readable(detail),
        "code": code,
        "errors": [{"field": _readable(e.field), "message": _readable(e.message)} for e in errors[:most]],
    }
    return JSONResponse(content, status_code=status, media_type=MEDIA_TYPE, headers=dict(headers or {}))


def documented(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """The ``responses=`` of a route that may answer with these statuses."""
    content = {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}}
    titles: dict[int, list[str]] = {}
    for status, title in CODES.values():
        titles.setdefault(status, []).append(title)
    return {s: {"description": "; or ".join(titles[s]), "content": content} for s in statuses}


def field_errors(errors: Iterable[Mapping[str, Any]], body: Any) -> list[FieldError]:
    """Pydantic's errors as ours; unions put names of their members into a location, which are left out."""
    found = (
        FieldError(field=_field(error["loc"], error["type"], body), message=_message(error))
        for error in errors
    )
    return list(dict.fromkeys(found))


def install(app: FastAPI) -> None:
    """Answer every error with a problem document."""
    app.add_exception_handler(ApiError, _api_error)
    app.add_exception_handler(InvalidInput, _invalid_input)
    app.add_exception_handler(RequestValidationError, _validation_error)
    app.add_exception_handler(HTTPException, _http_error)
    app.add_exception_handler(IntegrityError, _collision)
    app.add_exception_handler(OperationalError, _unavailable)
    app.add_exception_handler(PoolTimeoutError, _unavailable)
    app.add_exception_handler(Exception, _internal)


def _api_error(_: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, ApiError)  # noqa: S101  (registered for this type)
    most = None if error.every else MAX_ERRORS
    return problem_response(error.code, error.detail, errors=error.errors, headers=error.headers, most=most)


def _invalid_input(_: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, InvalidInput)  # noqa: S101
    return problem_response(
        "unsupported" if isinstance(error, Unsupported) else "invalid_input",
        _summary(error.errors),
        errors=error.errors,
    )


def _validation_error(_: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, RequestValidationError)  # noqa: S101
    errors = field_errors(error.errors(), error.body)
    return problem_response("invalid_input", _summary(errors), errors=errors)


def _http_error(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)  # noqa: S101
    code = _STATUS_CODES.get(error.status_code, "bad_request")
    headers = dict(error.headers or {})
    detail = CODES[code][1]
    if code == "not_found":
        detail = f"{request.url.path} is not an address of this service: see /docs"
    elif code == "method_not_allowed":
        headers["Allow"] = ", ".join(_allowed(request)) or headers.get("Allow", "")
        detail = f"use one of {headers['Allow']}"
    return problem_response(code, detail, headers=headers)


def _collision(_: Request, __: Exception) -> JSONResponse:
    return problem_response("conflict", "another request changed the same thing at the same time: try again")


def _unavailable(_: Request, __: Exception) -> JSONResponse:
    return problem_response(
        "unavailable", "the registry's database does not answer", headers={"Retry-After": "5"}
    )


def _internal(_: Request, __: Exception) -> JSONResponse:
    return problem_response("internal", "the error has been logged")


def _allowed(request: Request) -> list[str]:
    """Every method of the address; the framework would name only those of its first route."""
    operations = request.app.openapi()["paths"]
    template = getattr(request.scope.get("route"), "path", None)
    return sorted(method.upper() for method in operations.get(template, {}))


def _summary(errors: Sequence[FieldError]) -> str:
    shown = "; ".join(f"{e.field}: {e.message}" if e.field else e.message for e in errors[:3])
    return f"{shown}; and {len(errors) - 3} more" if len(errors) > 3 else shown


def _field(location: Sequence[int | str], kind: str, body: Any) -> str:
    origin, *path = location
    if origin != "body":
        return ".".join(str(part) for part in path) or str(origin)
    parts: list[str] = []
    value = body
    for position, part in enumerate(path):
        last = position == len(path) - 1
        if _is_tag(part, parts, value):
            continue
        if isinstance(value, dict) and (part in value or (last and kind == "missing")):
            value = value.get(part)
        elif isinstance(value, list) and isinstance(part, int) and part < len(value):
            value = value[part]
        else:
            continue
        parts.append(str(part))
    return ".".join([*parts, "kind"] if kind in _TAG_ERRORS else parts)


def _is_tag(part: int | str, before: Sequence[str], value: Any) -> bool:
    """Whether a part of a location names a member of a union, which may look like a field beside it."""
    if not isinstance(part, str):
        return False
    of_source = (
        bool(before) and before[-1] == "source" and isinstance(value, dict) and part == value.get("kind")
    )
    return part in UNION_TAGS or of_source


def _message(error: Mapping[str, Any]) -> str:
    kind = error["type"]
    if kind in _TAG_ERRORS:
        return f"{_TAG_ERRORS[kind]} one of {', '.join(SOURCE_KINDS)}"
    if kind == "extra_forbidden":
        beside = SQL_TAG in error["loc"]
        return "cannot stand beside sql: give a spec, or SQL" if beside else "is not a known field"
    if kind == "missing":
        return "is required" if len(error["loc"]) > 1 else "a JSON body is required"
    return str(error["msg"]).removeprefix("Value error, ")


def _readable(text: str) -> str:
    """The text without what JSON in UTF-8 cannot carry, and not longer than anyone reads."""
    return text[:2000].encode("utf-8", "replace").decode()
