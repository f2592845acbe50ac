"""The composition root: everything is wired here and nowhere else."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import FastAPI
from fastapi.concurrency import run_in_threadpool
from prometheus_client import CollectorRegistry
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from app import docs_page, health, problems
from app.calibration import Measurements
from app.demo import give_demo
from app.http.body import BodyLimit
from app.http.hosts import OwnNames
from app.http.keys import ApiKeys
from app.http.metrics import RequestMetrics, WorkloadCollector
from app.jobs.router import router as jobs_router
from app.jobs.service import JobService
from app.jobs.supervisor import Supervisor
from app.openapi import document
from app.persistence.database import Database
from app.persistence.migrate import migrate
from app.persistence.models import Query, Stream
from app.plans.router import router as plans_router
from app.plans.service import PlanCache
from app.queries.router import router as queries_router
from app.queries.service import QueryService
from app.results.reader import ResultReader
from app.results.router import router as results_router
from app.settings import Settings
from app.streams.activity import Activity
from app.streams.router import router as streams_router
from app.streams.service import StreamService

__all__ = ["create_app"]

_ROUTERS = (
    streams_router,
    queries_router,
    plans_router,
    jobs_router,
    results_router,
    health.router,
    docs_page.router,
)


def create_app(settings: Settings, *, supervise: bool = True, calibrates: bool = False) -> FastAPI:
    """The service; with ``supervise=False`` no job is ever started.

    With ``calibrates`` the machine is measured in the background unless it was before.
    """
    settings.check()
    settings.home.mkdir(parents=True, exist_ok=True)
    database = Database(settings.registry_url)
    supervisor = Supervisor(settings, database)
    reader = ResultReader()
    measurements = Measurements(settings)
    activity = Activity(settings, supervisor.observe)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        migrate(database)
        if supervise:
            supervisor.start()
        try:
            if settings.demo:
                give_demo(
                    database,
                    StreamService(database, settings, activity),
                    QueryService(database),
                    JobService(database, settings, supervisor),
                )
            if calibrates:
                measurements.begin()
            yield
        finally:
            # Stopping waits for drivers; the loop must go on meanwhile to answer requests that are under way.
            await run_in_threadpool(measurements.stop)
            await run_in_threadpool(supervisor.stop)
            reader.close()
            database.close()

    app = FastAPI(title="Weft", lifespan=lifespan, redirect_slashes=False, docs_url=None, redoc_url=None)
    app.state.settings = settings
    app.state.database = database
    app.state.metrics = CollectorRegistry()
    app.state.metrics.register(WorkloadCollector(lambda: database.read(_counts)))
    app.state.supervisor = supervisor
    app.state.plans = PlanCache()
    app.state.measurements = measurements
    app.state.result_reader = reader
    app.state.activity = activity
    for router in _ROUTERS:
        app.include_router(router)
    problems.install(app)
    # The last one added is the outermost: requests are counted, then need a key or, where there are none, to
    # come from this machine, then may have a body.
    app.add_middleware(BodyLimit, max_body=settings.max_body)
    if settings.api_keys:
        app.add_middleware(ApiKeys, keys=[key.get_secret_value() for key in settings.api_keys])
    else:
        app.add_middleware(OwnNames, names=[settings.host])
    app.add_middleware(RequestMetrics, registry=app.state.metrics)
    document(app)
    return app


def _counts(session: Session) -> tuple[int, int]:
    streams = session.scalar(select(func.count()).select_from(Stream)) or 0
    queries = session.scalar(select(func.count()).select_from(Query)) or 0
    return streams, queries
