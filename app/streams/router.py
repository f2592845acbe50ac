"""The stream endpoints."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request, Response
from fastapi.responses import JSONResponse

from app.http.dependencies import Config, Db
from app.http.pages import CursorParam, LimitParam, decode_cursor, page
from app.http.strict_json import StrictRoute
from app.problems import documented
from app.streams.schemas import StreamIn, StreamName, StreamOut, StreamPage
from app.streams.service import StreamService

__all__ = ["Service", "router"]

router = APIRouter(prefix="/v1", tags=["streams"], route_class=StrictRoute, responses=documented(401))

_BODY_PROBLEMS = documented(400, 413, 415, 422)


async def _service(request: Request, database: Db, settings: Config) -> StreamService:
    return StreamService(database, settings, request.app.state.activity)


Service = Annotated[StreamService, Depends(_service)]


@router.put(
    "/streams/{name}",
    response_model=StreamOut,
    responses={
        **_BODY_PROBLEMS,
        **documented(409),
        200: {"description": "Redefined, or the same as before."},
        201: {"model": StreamOut, "description": "Defined, and durable."},
    },
)
def put_stream(name: StreamName, body: StreamIn, service: Service) -> Response:
    """Define a stream, or give it another definition. Idempotent."""
    content, created = service.put(name, body)
    return JSONResponse(content, status_code=201 if created else 200)


@router.get("/streams", response_model=StreamPage, responses=documented(422))
def list_streams(service: Service, limit: LimitParam = 100, cursor: CursorParam = None) -> Response:
    """List streams in the order of their names."""
    items = service.page(after=decode_cursor(cursor), limit=limit + 1)
    return JSONResponse(page([item["name"] for item in items], items, limit=limit))


@router.get("/streams/{name}", response_model=StreamOut, responses=documented(404, 422))
def get_stream(name: StreamName, service: Service) -> Response:
    """One stream."""
    return JSONResponse(service.get(name))


@router.delete("/streams/{name}", status_code=204, responses=documented(404, 409, 422))
def delete_stream(
    name: StreamName,
    service: Service,
    cascade: Annotated[bool, Query(description="Delete its queries and end its job too.")] = False,
) -> Response:
    """Delete a stream."""
    service.remove(name, cascade=cascade)
    return Response(status_code=204)
