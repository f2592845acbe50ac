"""The OpenAPI document: what FastAPI derives from the routes, and what it does not know."""

from __future__ import annotations

import json
from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

from app.problems import FieldProblem, Problem

__all__ = ["document", "render"]

_DESCRIPTION = """\
Register sliding-window aggregate queries one by one; one Spark job per stream answers all of them.

Durations are written as `"90s"`, `"5m"`, `"250ms"`, `"1 minute"` or `"PT5M"` and echoed in canonical form.
Times are ISO-8601 in UTC. Lists are pages: `{"items": [...], "next": cursor or null}`. Errors are RFC 9457
problem documents with a stable `code` and, for bad input, the offending fields in `errors`.

Where the service has API keys, every call under `/v1` needs one, as `Authorization: Bearer <key>` or
`X-API-Key`. Where it has none, it answers only to its own names on loopback (421 otherwise), and refuses changes
that a page of another origin asks for (403).
"""


def document(app: FastAPI) -> None:
    """Make the application describe itself."""

    def openapi() -> dict[str, Any]:
        if not app.openapi_schema:
            app.openapi_schema = _build(app)
        return app.openapi_schema

    app.openapi = openapi  # type: ignore[method-assign]


def render(app: FastAPI) -> str:
    """The document as it is committed in openapi/."""
    return json.dumps(app.openapi(), indent=2, ensure_ascii=False) + "\n"


def _build(app: FastAPI) -> dict[str, Any]:
    schema = get_openapi(
        title="Weft", version="1", summary="Many continuous queries, one job.", description=_DESCRIPTION,
        routes=app.routes,
    )  # fmt: skip
    schemas = schema.setdefault("components", {}).setdefault("schemas", {})
    for model in (Problem, FieldProblem):
        described = model.model_json_schema(ref_template="#/components/schemas/{model}")
        described.pop("$defs", None)
        schemas[model.__name__] = described
    for unused in ("HTTPValidationError", "ValidationError"):
        schemas.pop(unused, None)
    return schema
