"""Bodies that are no JSON, too much of it, or none that a database could keep."""

from __future__ import annotations

import json

import pytest

from app.errors import ApiError
from app.http.strict_json import strict_json
from tests.app.test_bad_input import QUERY, check_problem

BAD_BODIES = {
    "no JSON": (b"{", 400),
    "no body": (b"", 422),
    "NaN": (b'{"rate": NaN}', 400),
    "infinity": (b'{"rate": 1e999}', 422),
    "endless number": (b'{"rate": ' + b"9" * 5000 + b"}", 400),
    "deep": (b"[" * 200_000, 400),
    "deep objects": (b'{"a":' * 200_000, 400),
    "no UTF-8": (b'{"a": "\xff\xfe"}', 400),
    "a list": (b"[]", 422),
    "null": (b"null", 422),
    "a text": (b'"text"', 422),
    "surrogate as key": (b'{"\\ud800": 1}', 422),
}


@pytest.mark.parametrize("case", BAD_BODIES)
def test_bad_bodies(client, case):
    body, status = BAD_BODIES[case]
    headers = {"content-type": "application/json"}
    for method, path in [("PUT", "/v1/streams/s"), ("POST", "/v1/queries"), ("POST", "/v1/queries:batch")]:
        check_problem(client.request(method, path, content=body, headers=headers), status)


def test_nesting_that_json_is_read_at_but_cannot_be_searched_at(monkeypatch):
    """From Python 3.12 on the reader, being written in C, goes deeper than anything in Python."""
    value: object = "\x00"
    for _ in range(5_000):
        value = [value]
    monkeypatch.setattr("app.http.strict_json.json.loads", lambda *_, **__: value)
    with pytest.raises(ApiError, match="nested too deeply"):
        strict_json(b'"\\u0000"')


def test_a_body_of_50_megabytes(client):
    headers = {"content-type": "application/json"}
    body = b'{"where": "' + b"x" * 50_000_000 + b'"}'
    assert check_problem(client.post("/v1/queries", content=body, headers=headers), 413)["code"] == (
        "body_too_large"
    )
    chunks = (b"x" * 1_000_000 for _ in range(50))
    check_problem(client.post("/v1/queries", content=chunks, headers=headers), 413)


def test_other_media_types(client):
    for media_type in ("text/plain", "application/x-www-form-urlencoded", ""):
        answer = client.post("/v1/queries", content=json.dumps(QUERY), headers={"content-type": media_type})
        assert check_problem(answer, 415)["code"] == "unsupported_media_type"
