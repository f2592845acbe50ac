"""The plan service as routers are handed it."""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends, Request

from app.http.dependencies import Db
from app.plans.service import PlanService

__all__ = ["Plans"]


async def _service(request: Request, database: Db) -> PlanService:
    return PlanService(database, request.app.state.plans, request.app.state.measurements)


Plans = Annotated[PlanService, Depends(_service)]
