"""Health, readiness, metrics and the first page."""

from __future__ import annotations

from typing import Literal

from fastapi import APIRouter, Request, Response
from fastapi.responses import HTMLResponse, JSONResponse
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest
from pydantic import BaseModel

from app.errors import ApiError
from app.http.dependencies import Db
from app.problems import documented

__all__ = ["router"]

router = APIRouter(tags=["service"])

_PAGE = """<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Weft</title>
<style>body{font:16px/1.5 system-ui,sans-serif;max-width:40rem;margin:3rem auto;padding:0 1rem}</style>
<h1>Weft</h1>
<p>Many aggregate continuous queries over one stream, as one Spark job.</p>
<ul>
<li><a href="/docs">The API, to try out</a> (<a href="/openapi.json">as OpenAPI</a>)</li>
<li><a href="/v1/streams">Streams</a> and <a href="/v1/queries">queries</a></li>
<li><a href="/readyz">Readiness</a> and <a href="/metrics">metrics</a></li>
</ul>
</html>
"""


class Health(BaseModel):
    """The service answers."""

    status: Literal["ok"]


@router.get("/healthz", response_model=Health)
async def health() -> Response:
    """Whether the process is alive."""
    return JSONResponse({"status": "ok"})


@router.get("/readyz", response_model=Health, responses=documented(503))
def readiness(database: Db) -> Response:
    """Whether the service can do its work: its database answers."""
    if not database.reachable():
        raise ApiError("unavailable", "the registry's database does not answer")
    return JSONResponse({"status": "ok"})


@router.get(
    "/metrics",
    response_class=Response,
    responses={200: {"content": {"text/plain": {"schema": {"type": "string"}}}}},
)
def metrics(request: Request) -> Response:
    """Figures for Prometheus."""
    return Response(generate_latest(request.app.state.metrics), media_type=CONTENT_TYPE_LATEST)


@router.get("/", response_class=HTMLResponse)
async def home() -> str:
    """The first page."""
    return _PAGE
