"""What routers are handed by the composition root."""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends, Request

from app.persistence.database import Database
from app.settings import Settings

__all__ = ["Config", "Db"]


async def _database(request: Request) -> Database:
    database: Database = request.app.state.database
    return database


async def _settings(request: Request) -> Settings:
    settings: Settings = request.app.state.settings
    return settings


Db = Annotated[Database, Depends(_database)]
Config = Annotated[Settings, Depends(_settings)]
