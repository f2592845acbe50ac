"""Fixtures that tests of the service share: the real application on a real database."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import hypothesis
import pytest
from fastapi import FastAPI

from app.main import create_app
from app.settings import Settings

with warnings.catch_warnings():
    # Starlette's client is on its way from httpx to its successor, and says so when it is imported.
    warnings.simplefilter("ignore")
    from starlette.testclient import TestClient


ADDRESS = "http://127.0.0.1:8000"
"""What clients call the service: without keys it answers to no other name."""


# How long an example takes says more about what else the machine does than about the code.
hypothesis.settings.register_profile("weft", deadline=None)
hypothesis.settings.load_profile("weft")


@pytest.fixture(autouse=True)
def _no_settings_from_outside(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests see the defaults, whatever the environment of whoever runs them says."""
    for name in Settings.model_fields:
        monkeypatch.delenv(f"WEFT_{name.upper()}", raising=False)


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """Settings of a service that lives in the test's own folder, without the demonstration."""
    return Settings(home=tmp_path / "home", demo=False, calibrate=False)


@pytest.fixture
def serve() -> Iterator[Callable[..., TestClient]]:
    """Starts applications that supervise no job, and ends them."""
    clients: list[TestClient] = []

    def start(settings: Settings, app: FastAPI | None = None, **options: Any) -> TestClient:
        application = app or create_app(settings, supervise=False)
        client = TestClient(application, **{"base_url": ADDRESS, "raise_server_exceptions": False, **options})
        clients.append(client.__enter__())
        return client

    yield start
    for client in clients:
        client.__exit__(None, None, None)


@pytest.fixture
def client(settings: Settings, serve: Callable[..., TestClient]) -> TestClient:
    """The service, with nothing registered."""
    return serve(settings)


TRADES: dict[str, Any] = {
    "source": {"kind": "synthetic", "keys": 5, "seed": 7},
    "schema": [
        {"name": "ts", "type": "timestamp"},
        {"name": "symbol", "type": "string"},
        {"name": "price", "type": "double"},
        {"name": "quantity", "type": "long"},
    ],
    "event_time": "ts",
    "watermark": "10s",
    "rate": 5000,
}
"""A stream's definition."""


@pytest.fixture
def trades(client: TestClient) -> dict[str, Any]:
    """A stream ``trades``, defined."""
    answer = client.put("/v1/streams/trades", json=TRADES)
    assert answer.status_code == 201, answer.text
    content: dict[str, Any] = answer.json()
    return content
