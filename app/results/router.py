"""The results endpoint."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request, Response
from fastapi.responses import JSONResponse

from app.http.dependencies import Config, Db
from app.http.times import IsoTime
from app.problems import documented
from app.queries.schemas import QueryId
from app.results.cursor import MAX_CURSOR
from app.results.reader import ResultReader
from app.results.schemas import ResultsOut
from app.results.service import ResultService

__all__ = ["router"]

router = APIRouter(prefix="/v1", tags=["results"], responses=documented(401))


async def _service(request: Request, database: Db, settings: Config) -> ResultService:
    reader: ResultReader = request.app.state.result_reader
    return ResultService(database, settings, reader)


Service = Annotated[ResultService, Depends(_service)]


@router.get("/queries/{query_id}/results", response_model=ResultsOut, responses=documented(404, 422))
def get_results(
    query_id: QueryId,
    service: Service,
    *,
    after: Annotated[
        str | None, Query(max_length=MAX_CURSOR, description="`next` or `cursor` of an earlier page.")
    ] = None,
    limit: Annotated[int, Query(ge=1, le=10_000, description="The most rows to answer with.")] = 100,
    end_from: Annotated[
        IsoTime | None, Query(alias="from", description="Only windows that end at or after this time.")
    ] = None,
    end_to: Annotated[
        IsoTime | None, Query(alias="to", description="Only windows that end before this time.")
    ] = None,
) -> Response:
    """The query's answers, a page at a time.

    Rows come in the order of window end, then group values. New ones only ever come at the end: to follow a
    running job, call again with `after` set to the last answer's `cursor`.
    """
    return JSONResponse(service.page(query_id, after=after, limit=limit, end_from=end_from, end_to=end_to))
