"""Calls that are generated from the OpenAPI document, right and wrong ones: the answers are as documented.

All of schemathesis' checks are on. One of them would have every body that fits the JSON schema be accepted;
here it may also be refused with 422 (or 400): columns, durations and SQL mean more than a schema can say.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
import schemathesis
from fastapi import FastAPI
from hypothesis import HealthCheck, settings
from schemathesis.config import SchemathesisConfig
from schemathesis.python import asgi

from app.main import create_app
from app.settings import Settings
from tests.conftest import TRADES

CONFIG = SchemathesisConfig.from_dict(
    {
        "checks": {
            "positive_data_acceptance": {
                "expected-statuses": ["2xx", "400", "401", "404", "406", "409", "422"]
            }
        }
    }
)


QUERY = {"stream": "trades", "aggregates": [{"function": "count"}], "window": {"range": "1m"}}


class Service:
    """A service that runs no jobs, in a folder of its own, which is let go of when its tests are done.

    The tests are collected from the document that it serves, so it is there before any fixture.
    """

    def __init__(self) -> None:
        self.home = tempfile.TemporaryDirectory(prefix="weft-schemathesis-")
        settings = Settings(
            home=Path(self.home.name), demo=False, host="127.0.0.1", api_keys=(), database_url=None
        )
        self.app: FastAPI | None = create_app(settings, supervise=False)

    async def __call__(self, scope, receive, send) -> None:
        if scope["type"] == "http":
            # The generated calls go to "testserver", a name that the service rightly does not answer to.
            others = [(name, value) for name, value in scope["headers"] if name != b"host"]
            scope = {**scope, "headers": [*others, (b"host", b"127.0.0.1")]}
        await self.app(scope, receive, send)

    def end(self) -> None:
        asgi.shutdown_lifespans()
        self.app = None
        self.home.cleanup()


SERVICE = Service()
schema = schemathesis.openapi.from_asgi("/openapi.json", SERVICE, config=CONFIG)


@pytest.fixture(scope="module", autouse=True)
def _end():
    yield
    SERVICE.end()


@pytest.fixture(autouse=True)
def _examples():
    """What the document's examples speak of is there before each operation is tried."""
    with asgi.get_client(SERVICE) as client:
        client.put("/v1/streams/trades", json=TRADES).raise_for_status()
        client.put("/v1/queries/hi-5m", json=QUERY).raise_for_status()


@schema.parametrize()
@settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))
def test_answers_are_as_documented(case):
    case.call_and_validate()
