"""Health, metrics, the first page and API keys."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from sqlalchemy.exc import OperationalError

from app.settings import Settings
from tests.app.test_bad_input import check_problem


def test_health(client):
    assert client.get("/healthz").json() == {"status": "ok"}
    assert client.get("/readyz").json() == {"status": "ok"}


def test_readiness_asks_the_database(client, settings, monkeypatch):
    monkeypatch.setattr(client.app.state.database, "engine", _Unreachable())
    assert check_problem(client.get("/readyz"), 503)["code"] == "unavailable"


class _Unreachable:
    def connect(self):
        raise OperationalError("SELECT 1", {}, Exception("down"))

    def dispose(self):
        return None


def test_metrics_count_by_route_and_not_by_address(client, trades):
    client.get("/v1/streams/trades")
    client.get("/v1/streams/none")
    client.get("/wp-admin.php")
    text = client.get("/metrics").text
    assert 'weft_http_requests_total{method="GET",route="/v1/streams/{name}",status="200"} 1.0' in text
    assert 'weft_http_requests_total{method="GET",route="/v1/streams/{name}",status="404"} 1.0' in text
    assert "weft_streams 1.0" in text
    assert "weft_queries 0.0" in text
    assert "wp-admin" not in text


def test_the_first_page_leads_on(client):
    page = client.get("/")
    assert page.headers["content-type"].startswith("text/html")
    for link in ("/docs", "/openapi.json", "/v1/streams", "/metrics"):
        assert f'href="{link}"' in page.text
        assert client.get(link).status_code == 200


def test_the_documentation_needs_no_other_host(client):
    page = client.get("/docs")
    assert page.headers["content-type"].startswith("text/html")
    named = re.findall(r"<(?:script|link|img)[^>]*(?:src|href)=[\"']([^\"']+)[\"']", page.text)
    named += re.findall(r"url: '([^']+)'", page.text)
    assert {name.partition(":")[0] for name in named if not name.startswith("/")} <= {"data"}
    served = [name for name in named if name.startswith("/")]
    assert {name.rpartition(".")[2] for name in served} == {"js", "css", "json"}
    for name in served:
        answer = client.get(name)
        assert answer.status_code == 200
        assert "://" not in name
    assert "http://" not in page.text.replace("http://www.w3.org/2000/svg", "")
    assert "https://" not in page.text
    # An OpenAPI document of version 3.1 is shown by Swagger UI from version 5 on.
    script = client.get(next(name for name in served if name.endswith(".js"))).text
    assert int(re.search(r'PACKAGE_VERSION:"([0-9]+)\.', script)[1]) >= 5
    assert check_problem(client.get("/docs/consts.py"), 404)["code"] == "not_found"
    assert client.get("/redoc").status_code == 404


@pytest.mark.parametrize("host", ["127.0.0.1", "LOCALHOST:1234", "[::1]:8000", "127.9.9.9:80"])
def test_the_service_answers_to_its_own_names(serve, tmp_path: Path, host: str):
    client = serve(Settings(home=tmp_path, demo=False, host="127.9.9.9"))
    assert client.get("/v1/streams", headers={"host": host}).status_code == 200


@pytest.mark.parametrize(
    "host",
    ["evil.example", "127.0.0.1.evil.example:8000", "localhost@evil.example", "", "testserver", "[::1"],
)
def test_other_names_are_refused_without_keys(client, serve, tmp_path: Path, host: str):
    for path in ("/v1/streams", "/docs", "/", "/metrics"):
        answer = client.get(path, headers={"host": host})
        assert check_problem(answer, 421)["code"] == "wrong_host"
    keyed = serve(Settings(home=tmp_path, demo=False, host="0.0.0.0", api_keys="one"))
    assert keyed.get("/v1/streams", headers={"host": host, "x-api-key": "one"}).status_code == 200


def test_pages_of_other_origins_change_nothing(client, trades):
    own = "http://127.0.0.1:8000"
    for origin in ("https://evil.example", "null", "http://127.0.0.1:3000", "http://localhost:8000", ""):
        for method, path in (("POST", "/v1/streams/trades/job"), ("DELETE", "/v1/streams/trades")):
            answer = client.request(method, path, headers={"origin": origin})
            assert check_problem(answer, 403)["code"] == "foreign_origin"
        assert client.get("/v1/streams", headers={"origin": origin}).status_code == 200
    assert client.get("/v1/streams/trades").status_code == 200
    assert client.delete("/v1/streams/trades", headers={"origin": own}).status_code == 204


def test_keys_guard_the_api_alone(serve, tmp_path: Path):
    client = serve(Settings(home=tmp_path, demo=False, host="0.0.0.0", api_keys="one, two"))
    for headers in (
        {},
        {"x-api-key": "three"},
        {"authorization": "Bearer"},
        {"authorization": "Basic one"},
        {"x-api-key": "ö"},
    ):
        answer = client.get("/v1/streams", headers={k: v.encode() for k, v in headers.items()})
        assert check_problem(answer, 401)["code"] == "unauthorized"
        assert answer.headers["www-authenticate"] == "Bearer"
    assert client.get("/v1/nope").status_code == 401
    assert client.get("/v1/streams", headers={"x-api-key": "one"}).status_code == 200
    assert client.get("/v1/streams", headers={"authorization": "bearer two"}).status_code == 200
    for path in ("/healthz", "/readyz", "/metrics", "/docs", "/openapi.json", "/"):
        assert client.get(path).status_code == 200
