"""The query endpoints."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Body, Depends, Query, Response
from fastapi.responses import JSONResponse
from pydantic import TypeAdapter, ValidationError

from app.errors import ApiError
from app.http.dependencies import Db
from app.http.pages import CursorParam, LimitParam, decode_cursor, page
from app.http.strict_json import StrictRoute
from app.plans.dependencies import Plans
from app.problems import documented, field_errors
from app.queries.schemas import (
    BatchIn,
    BatchOut,
    QueryId,
    QueryIn,
    QueryOut,
    QueryPage,
    SpecIn,
    SqlIn,
    ValidationOut,
)
from app.queries.service import QueryService, Registered
from app.streams.schemas import NAME_PATTERN
from optimizer.errors import FieldError, InvalidInput

__all__ = ["router"]

router = APIRouter(prefix="/v1", tags=["queries"], route_class=StrictRoute, responses=documented(401))

_BODY_PROBLEMS = documented(400, 413, 415, 422)
_QUERY: TypeAdapter[SpecIn | SqlIn] = TypeAdapter(QueryIn)


async def _service(database: Db) -> QueryService:
    return QueryService(database)


Service = Annotated[QueryService, Depends(_service)]
_LOCATION = {"Location": {"description": "Where the query is.", "schema": {"type": "string"}}}


@router.post(
    "/queries",
    status_code=201,
    response_model=QueryOut,
    responses={
        **_BODY_PROBLEMS,
        **documented(409),
        200: {"model": QueryOut, "description": "It was registered before, with the same text."},
        201: {"description": "Registered, and durable.", "headers": _LOCATION},
    },
)
def register_query(body: QueryIn, service: Service) -> Response:
    """Register a query, as a spec or as Spark SQL."""
    return _one(service.register(body))


@router.post(
    "/queries:batch",
    status_code=201,
    response_model=BatchOut,
    responses={
        **_BODY_PROBLEMS,
        **documented(409),
        201: {"description": "All of them are registered, and durable; some may have been before."},
    },
)
def register_queries(body: BatchIn, service: Service) -> Response:
    """Register many queries: all or nothing. The errors name every offending one as `queries.<index>`."""
    done = service.register_all(body.queries)
    content = {"items": done.items, "created": done.created, "unchanged": len(done.items) - done.created}
    return JSONResponse(content, status_code=201)


@router.post("/queries:validate", response_model=ValidationOut, responses=_BODY_PROBLEMS)
def validate_query(
    body: Annotated[
        dict[str, Any],
        Body(description="The body of a registration; what is wrong with it is said in the answer."),
    ],
    service: Service,
    plans: Plans,
) -> Response:
    """Say what registering the query would come to; changes nothing."""
    try:
        prepared = service.prepare(_QUERY.validate_python(body))
    except ValidationError as error:
        located = ({**e, "loc": ("body", *e["loc"])} for e in error.errors())
        return _invalid(field_errors(located, body))
    except InvalidInput as error:
        return _invalid(error.errors)
    try:
        cost = plans.marginal_cost(prepared.acq.stream, prepared.spec)
    except ApiError as error:  # the stream was deleted meanwhile
        return _invalid([FieldError(field="stream", message=error.detail)])
    return JSONResponse({"valid": True, "errors": [], "normalized": prepared.spec, "marginal_cost": cost})


@router.get("/queries", response_model=QueryPage, responses=documented(422))
def list_queries(
    service: Service,
    stream: Annotated[
        str | None, Query(pattern=NAME_PATTERN, max_length=128, description="Only queries of this stream.")
    ] = None,
    limit: LimitParam = 100,
    cursor: CursorParam = None,
) -> Response:
    """List queries in the order of their ids."""
    items = service.page(stream=stream, after=decode_cursor(cursor), limit=limit + 1)
    return JSONResponse(page([item["id"] for item in items], items, limit=limit))


@router.get("/queries/{query_id}", response_model=QueryOut, responses=documented(404, 422))
def get_query(query_id: QueryId, service: Service) -> Response:
    """One query."""
    return JSONResponse(service.get(query_id))


@router.put(
    "/queries/{query_id}",
    response_model=QueryOut,
    responses={
        **_BODY_PROBLEMS,
        **documented(409),
        200: {"description": "Replaced by a new incarnation, or the same as before."},
        201: {"model": QueryOut, "description": "Registered, and durable.", "headers": _LOCATION},
    },
)
def put_query(query_id: QueryId, body: QueryIn, service: Service) -> Response:
    """Replace a query, or register it under that id. The same text again changes nothing."""
    return _one(service.replace(query_id, body))


@router.delete("/queries/{query_id}", status_code=204, responses=documented(404, 422))
def delete_query(query_id: QueryId, service: Service) -> Response:
    """Delete a query; the id may be taken again, and then starts empty."""
    service.remove(query_id)
    return Response(status_code=204)


def _one(done: Registered) -> Response:
    item = done.items[0]
    if not done.created:
        return JSONResponse(item)
    return JSONResponse(item, status_code=201, headers={"Location": f"/v1/queries/{item['id']}"})


def _invalid(errors: tuple[FieldError, ...] | list[FieldError]) -> Response:
    shown = [{"field": e.field, "message": e.message} for e in errors]
    return JSONResponse({"valid": False, "errors": shown, "normalized": None, "marginal_cost": None})
