"""docs/reference/queries.md against the service: its calls are made, its tables looked up."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from optimizer.model.aggregates import AGGREGATES, SYNONYMS, find_aggregate
from optimizer.model.expressions.functions import FUNCTIONS
from optimizer.model.schema import ColumnType

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "reference" / "queries.md").read_text()
BLOCK = re.compile(r"^```json (?P<head>[^\n]+)\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)
COUNT = {"stream": "trades", "aggregates": [{"function": "count"}], "window": {"range": "1m"}}


def table(heading: str) -> Iterator[list[str]]:
    """The rows of the first table below a heading."""
    below = PAGE.split(f"\n## {heading}\n")[1].split("\n## ")[0]
    rows = re.search(r"^\|[^\n]*\n\|[-|]+\n(?P<rows>(?:\|[^\n]*\n)+)", below, re.MULTILINE)
    assert rows is not None
    for line in rows["rows"].splitlines():
        yield [cell.strip() for cell in line.strip("|").split(" | ")]


def code(cell: str) -> list[str]:
    """What a cell has in backquotes."""
    return [a or b.strip() for a, b in re.findall(r"(?<!`)`([^`]+)`(?!`)|``(.+?)``", cell)]


def contains(said: Any, shown: Any) -> bool:
    """Whether everything that is shown is said."""
    if isinstance(shown, dict):
        return isinstance(said, dict) and all(k in said and contains(said[k], v) for k, v in shown.items())
    return said == shown


@pytest.fixture
def stream(client):
    first = next(BLOCK.finditer(PAGE))
    client.put(first["head"].split()[1], json=json.loads(first["body"])).raise_for_status()


def test_the_calls_are_answered_as_shown(client):
    blocks = [(found["head"], json.loads(found["body"])) for found in BLOCK.finditer(PAGE)]
    assert len(blocks) >= 13
    answer = None
    for head, content in blocks:
        method, _, path = head.partition(" ")
        if path:
            answer = client.request(method, path, json=content)
            assert answer.status_code < 500
        else:
            assert answer is not None
            assert answer.status_code == int(head), answer.text
            assert contains(answer.json(), content), answer.text


@pytest.mark.usefixtures("stream")
def test_durations_are_stored_as_shown(client):
    for written, stored in table("Windows and durations"):
        for text in code(written):
            answer = client.post("/v1/queries", json={**COUNT, "window": {"range": text}})
            assert answer.json()["window"]["range"] == code(stored)[0], text


@pytest.mark.usefixtures("stream")
def test_predicates_are_stored_as_shown(client):
    rows = list(table("The predicate"))
    assert len(rows) >= 9
    for written, stored in rows:
        answer = client.post("/v1/queries", json={**COUNT, "where": code(written)[0]})
        assert answer.json()["where"] == code(stored)[0]


def test_the_functions_are_those_that_are_allowed():
    listed = PAGE.split("and the functions\n\n")[1].split("\n\n")[0]
    assert re.findall(r"`([a-z]+)`", listed) == sorted({f.name for f in FUNCTIONS})


def test_the_aggregates_and_their_types_are_those_that_there_are():
    rows = list(table("Aggregates"))
    assert {name for functions, *_ in rows for name in code(functions)} == {a.name for a in AGGREGATES}
    for functions, of, gives in rows:
        kinds = "boolean, int, double, decimal(10,2), string, date" if of == "anything" else of
        for name in code(functions):
            for kind in kinds.split(", "):
                found = find_aggregate(name)
                given = ColumnType.parse(kind)
                assert found is not None
                assert found.refusal(given) is None
                assert str(found.result_type(given)) == (kind if gives == "the same" else gives)
    assert all(f"`{name}`" in PAGE for name in SYNONYMS)
