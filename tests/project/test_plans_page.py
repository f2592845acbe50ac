"""docs/reference/plans.md against the service: its calls are made, its tables are complete."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from costmodel import TECHNIQUES
from optimizer.registry import OPTIMIZERS
from tests.app.test_plans import A, B
from tests.project.test_queries_page import BLOCK, contains

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "reference" / "plans.md").read_text()


@pytest.mark.usefixtures("trades")
def test_the_calls_are_answered_as_shown(client):
    client.post("/v1/queries:batch", json={"queries": [A, B]}).raise_for_status()
    blocks = [(found["head"], json.loads(found["body"])) for found in BLOCK.finditer(PAGE)]
    assert len(blocks) == 3
    answer = None
    for head, content in blocks:
        method, _, path = head.partition(" ")
        if path:
            answer = client.request(method, path, json=content)
            assert answer.status_code == 200, answer.text
        else:
            assert answer is not None and contains(answer.json(), content), answer.text


def test_every_optimizer_technique_and_field_is_named(client):
    def listed(column: str) -> set[str]:
        rows = PAGE.split(f"\n| `{column}` |")[-1].split("\n\n")[0]
        return set(re.findall(r"^\| `([a-z_]+)` \|", rows, re.MULTILINE))

    assert listed("optimizer") == {name for name, _ in OPTIMIZERS}
    assert listed("technique") == {"auto", *(t.name for t in TECHNIQUES)}
    queries = [{"id": "a", "range": 6, "slide": 2}]
    plan = client.post("/v1/optimize", json={"queries": queries}).json()
    fields = set(re.findall(r"`([a-z_]+)`", PAGE.split("## What a plan says")[1].split("\n\n")[1]))
    assert set(plan) - {"id", "epoch", "stream", "partials"} <= fields
