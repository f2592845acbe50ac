"""The plan endpoints."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Header, Query, Request, Response
from fastapi.responses import JSONResponse, PlainTextResponse

from app.http.accept import preferred
from app.http.strict_json import StrictRoute
from app.plans.dependencies import Plans
from app.plans.options import choose
from app.plans.schemas import (
    CostsOut,
    ExplainOut,
    OptimizeIn,
    OptimizeOut,
    PlanId,
    PlanOut,
    TechniquesOut,
    WhatIfIn,
)
from app.plans.what_if import what_if
from app.problems import documented
from app.queries.schemas import QueryId
from app.streams.router import Service as Streams
from app.streams.schemas import RateChange, RateIn, StreamName
from costmodel import AUTO, TECHNIQUES

__all__ = ["router"]

router = APIRouter(prefix="/v1", tags=["plans"], route_class=StrictRoute, responses=documented(401))

_BODY_PROBLEMS = documented(400, 413, 415, 422)
_TEXT: dict[str, Any] = {"schema": {"type": "string"}}
_FORMATS = {
    "text": "text/plain",
    "mermaid": "text/plain",
    "dot": "text/vnd.graphviz",
    "svg": "image/svg+xml",
}


@router.get("/streams/{name}/plan", response_model=PlanOut, responses=documented(404, 422))
def get_plan(name: StreamName, service: Plans) -> Response:
    """The plan in force; without queries it has no trees."""
    return JSONResponse(service.current(name).document())


@router.post(
    "/streams/{name}/plan:optimize",
    response_model=OptimizeOut,
    responses={**_BODY_PROBLEMS, **documented(404)},
)
def optimize_plan(
    name: StreamName, service: Plans, streams: Streams, body: OptimizeIn | None = None
) -> Response:
    """Plan again, and say what changed.

    The way to plan and the rate of what is not a dry run become the stream's own; an empty body keeps both.
    """
    options = body or OptimizeIn()
    choose(options)
    if options.rate is not None and not options.dry_run:
        # What cannot be planned must not change the rate either.
        service.optimize(name, options.model_copy(update={"dry_run": True}))
        streams.set_rate(name, options.rate)
    return JSONResponse(service.optimize(name, options))


@router.get("/streams/{name}/plan/costs", response_model=CostsOut, responses=documented(404, 422))
def get_costs(name: StreamName, service: Plans) -> Response:
    """What every optimizer comes to with every technique, cheapest first."""
    return JSONResponse(service.costs(name))


@router.put(
    "/streams/{name}/rate",
    tags=["streams"],
    response_model=RateChange,
    responses={**_BODY_PROBLEMS, **documented(404)},
)
def put_rate(name: StreamName, body: RateIn, streams: Streams, service: Plans) -> Response:
    """Set the expected input rate and plan again."""
    service.current(name)  # what the plan at the new rate is compared with
    previous = streams.set_rate(name, body.rate)
    done = service.optimize(name, OptimizeIn())
    planned = bool(done["plan"]["trees"])
    content = {
        "rate": body.rate,
        "previous": previous,
        "plan": done["plan"] if planned else None,
        "changed": done["changed"] and planned,
        "reason": done["reason"],
    }
    return JSONResponse(content)


@router.get(
    "/plans/{plan_id}",
    response_model=PlanOut,
    responses={
        **documented(404, 422),
        200: {
            "description": "The plan, as JSON or drawn.",
            "content": dict.fromkeys(sorted(set(_FORMATS.values())), _TEXT),
        },
    },
)
def get_stored_plan(
    plan_id: PlanId,
    service: Plans,
    form: Annotated[
        Literal["json", "text", "mermaid", "dot", "svg"], Query(alias="format", description="How to draw it.")
    ] = "json",
) -> Response:
    """A plan that is or was in force."""
    if form == "json":
        return JSONResponse(service.stored(plan_id))
    return PlainTextResponse(service.drawing(plan_id, form), media_type=_FORMATS[form])


@router.post("/optimize", response_model=PlanOut, responses=_BODY_PROBLEMS)
def optimize_what_if(body: WhatIfIn, request: Request) -> Response:
    """Plan a workload without registering it: windows, and whatever else of queries matters to a plan."""
    estimator = request.app.state.measurements.estimator()
    return JSONResponse(what_if(body, choose(body), estimator))


@router.get("/techniques", response_model=TechniquesOut)
def list_techniques() -> Response:
    """The techniques of final aggregation."""
    items = [
        {
            "name": t.name,
            "formula": t.formula,
            "capability": t.capability,
            "serves": sorted(t.serves),
            "multi_query": t.multi_query,
            "in_auto": t in AUTO.techniques,
        }
        for t in TECHNIQUES
    ]
    return JSONResponse({"items": items, "next": None})


@router.get(
    "/queries/{query_id}/explain",
    tags=["queries"],
    response_model=ExplainOut,
    responses={
        **documented(404, 406, 422),
        200: {"description": "As JSON, or in words.", "content": {"text/plain": _TEXT}},
    },
)
def explain(
    query_id: QueryId, service: Plans, accept: Annotated[str | None, Header(include_in_schema=False)] = None
) -> Response:
    """Where a query is in the plan, why, and what sharing saves."""
    if preferred(accept, ("application/json", "text/plain")) == "text/plain":
        return PlainTextResponse(service.explain_text(query_id))
    return JSONResponse(service.explain(query_id))
