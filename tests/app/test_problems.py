"""The one shape of errors that no input of a user is to blame for."""

from __future__ import annotations

import pytest
from sqlalchemy.exc import OperationalError

from app.errors import CODES, ApiError
from app.main import create_app
from tests.app.test_bad_input import check_problem


def test_unknown_addresses(client):
    for path in ("/nope", "/v1/nope", "/v1/streams/", "/v1/queries/a/b"):
        assert check_problem(client.get(path), 404)["code"] == "not_found"


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [
        ("PATCH", "/v1/streams/s", "DELETE, GET, PUT"),
        ("DELETE", "/v1/queries", "GET, POST"),
        ("GET", "/v1/queries:batch", "POST"),
        ("POST", "/healthz", "GET"),
    ],
)
def test_other_methods_are_told_what_is_allowed(client, method, path, allowed):
    answer = client.request(method, path)
    assert check_problem(answer, 405)["code"] == "method_not_allowed"
    assert answer.headers["allow"] == allowed


def test_unexpected_errors_tell_nothing(settings, serve):
    app = create_app(settings, supervise=False)

    @app.get("/boom")
    def boom():
        raise RuntimeError("secret")

    @app.get("/down")
    def down():
        raise OperationalError("SELECT secret", {}, Exception("secret"))

    client = serve(settings, app)
    answers = [check_problem(client.get("/boom"), 500), check_problem(client.get("/down"), 503)]
    assert [a["code"] for a in answers] == ["internal", "unavailable"]
    assert "secret" not in str(answers)


def test_every_code_has_a_status_and_a_title():
    for code, (status, title) in CODES.items():
        assert code == code.lower()
        assert 400 <= status < 600
        assert title
        assert ApiError(code, "why").status == status
