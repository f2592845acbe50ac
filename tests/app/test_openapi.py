"""The committed OpenAPI document is the one that the service serves."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from app.openapi import render

COMMITTED = Path(__file__).parents[2] / "openapi" / "openapi.json"


def test_the_committed_document_is_up_to_date(client):
    assert render(client.app) == COMMITTED.read_text(), "run: make openapi"
    assert client.get("/openapi.json").json() == json.loads(COMMITTED.read_text())


@pytest.fixture(scope="module")
def operations():
    paths = json.loads(COMMITTED.read_text())["paths"]
    return {(m.upper(), path): o for path, item in paths.items() for m, o in item.items()}


def test_every_call_of_the_contract_is_there(operations):
    for call in (
        "PUT /v1/streams/{name}",
        "GET /v1/streams",
        "GET /v1/streams/{name}",
        "DELETE /v1/streams/{name}",
        "PUT /v1/streams/{name}/rate",
        "POST /v1/queries",
        "POST /v1/queries:batch",
        "POST /v1/queries:validate",
        "GET /v1/queries",
        "GET /v1/queries/{query_id}",
        "PUT /v1/queries/{query_id}",
        "DELETE /v1/queries/{query_id}",
        "GET /v1/queries/{query_id}/results",
        "GET /v1/queries/{query_id}/explain",
        "GET /v1/streams/{name}/plan",
        "POST /v1/streams/{name}/plan:optimize",
        "GET /v1/streams/{name}/plan/costs",
        "GET /v1/plans/{plan_id}",
        "POST /v1/optimize",
        "GET /v1/techniques",
        "POST /v1/streams/{name}/job",
        "GET /v1/streams/{name}/job",
        "DELETE /v1/streams/{name}/job",
        "GET /healthz",
        "GET /readyz",
        "GET /metrics",
    ):
        method, path = call.split()
        assert (method, path) in operations


def test_every_call_is_described_with_its_errors(operations):
    for (_, path), operation in operations.items():
        assert operation["summary"]
        assert operation["description"]
        if path.startswith("/v1/"):
            assert "401" in operation["responses"]
        if "{" in path or operation.get("parameters"):
            assert "422" in operation["responses"]
        if "requestBody" in operation:
            assert {"400", "413", "415", "422"} <= set(operation["responses"])
        for status, response in operation["responses"].items():
            if status.startswith(("4", "5")):
                assert list(response["content"]) == ["application/problem+json"]
