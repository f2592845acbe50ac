"""The job endpoints."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Request, Response
from fastapi.responses import JSONResponse

from app.http.dependencies import Config, Db
from app.http.strict_json import StrictRoute
from app.jobs.schemas import JobOut, StartIn
from app.jobs.service import JobService
from app.problems import documented
from app.streams.schemas import StreamName

__all__ = ["router"]

router = APIRouter(prefix="/v1", tags=["jobs"], route_class=StrictRoute, responses=documented(401))


async def _service(request: Request, database: Db, settings: Config) -> JobService:
    return JobService(database, settings, request.app.state.supervisor)


Service = Annotated[JobService, Depends(_service)]


@router.post(
    "/streams/{name}/job",
    status_code=202,
    response_model=JobOut,
    responses=documented(400, 404, 409, 413, 415, 422),
)
def start_job(name: StreamName, service: Service, body: StartIn | None = None) -> Response:
    """Start the stream's job, or go on with it. Idempotent: a job that runs goes on as it is.

    Queries that are registered while it runs join at its next start. A bounded stream that is finished
    stays so, unless its queries have changed: then it is read again.
    """
    return JSONResponse(service.start(name, fresh=body.fresh if body else False), status_code=202)


@router.get("/streams/{name}/job", response_model=JobOut, responses=documented(404, 422))
def get_job(name: StreamName, service: Service) -> Response:
    """The stream's job: what is wanted of it, what is the case, and how far it is."""
    return JSONResponse(service.show(name))


@router.delete("/streams/{name}/job", status_code=202, response_model=JobOut, responses=documented(404, 422))
def stop_job(name: StreamName, service: Service) -> Response:
    """Stop the stream's job gracefully. Its state is kept: the next start resumes it."""
    return JSONResponse(service.stop(name), status_code=202)
