"""The page that documents the API and lets one try it out, with all it needs from this service.

FastAPI's own page fetches Swagger UI from another host, which a machine without a network, or a careful one,
does not do.
"""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

from fastapi import APIRouter
from fastapi.openapi.docs import get_swagger_ui_html
from fastapi.responses import FileResponse, HTMLResponse

from app.errors import ApiError

__all__ = ["router"]

router = APIRouter(include_in_schema=False)

_FOLDER = Path(str(files("fastapi_offline"))) / "static"
_ASSETS = {
    "swagger-ui-bundle.js": "text/javascript",
    "swagger-ui.css": "text/css",
}
# An icon of our own, so that the browser asks nobody for one: two threads that cross.
_ICON = (
    "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 8 8'%3E"
    "%3Cpath d='M0 3h8v2H0zM3 0h2v8H3z'/%3E%3C/svg%3E"
)


@router.get("/docs", response_class=HTMLResponse)
async def docs() -> HTMLResponse:
    """Swagger UI on the OpenAPI document."""
    return get_swagger_ui_html(
        openapi_url="/openapi.json",
        title="Weft",
        swagger_js_url="/docs/swagger-ui-bundle.js",
        swagger_css_url="/docs/swagger-ui.css",
        swagger_favicon_url=_ICON,
    )


@router.get("/docs/{name}", response_class=FileResponse)
async def asset(name: str) -> FileResponse:
    """One of the files of Swagger UI."""
    if name not in _ASSETS:
        raise ApiError("not_found", f"/docs has no file {name[:60]!r}")
    return FileResponse(_FOLDER / name, media_type=_ASSETS[name])
