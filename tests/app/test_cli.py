"""The command line."""

from __future__ import annotations

import fcntl
from pathlib import Path

import pytest
from typer.testing import CliRunner

from app.cli import cli
from app.jobs import supervisor
from tests.app.test_openapi import COMMITTED


def run(*arguments: str):
    return CliRunner().invoke(cli, arguments)


def test_the_document_is_written(tmp_path: Path):
    assert run("openapi").stdout == COMMITTED.read_text()
    target = tmp_path / "openapi.json"
    assert run("openapi", "--output", str(target)).exit_code == 0
    assert target.read_text() == COMMITTED.read_text()


@pytest.mark.parametrize(
    ("setting", "value", "word"),
    [
        ("HOST", "0.0.0.0", "WEFT_API_KEYS"),
        ("PORT", "many", "WEFT_PORT"),
        ("RETAIN_AGE", "soon", "WEFT_RETAIN_AGE"),
        ("DATABASE_URL", "nonsense", "WEFT_DATABASE_URL"),
        ("DATABASE_URL", "oracle://x", "WEFT_DATABASE_URL"),
        ("DATABASE_URL", "sqlite:////nowhere/weft.db", "WEFT_DATABASE_URL"),
        ("DATABASE_URL", "postgresql://x@127.0.0.1:1/x", "WEFT_DATABASE_URL"),
    ],
)
def test_settings_that_cannot_be_are_refused_in_a_sentence(monkeypatch, tmp_path: Path, setting, value, word):
    monkeypatch.setenv("WEFT_HOME", str(tmp_path))
    monkeypatch.setenv(f"WEFT_{setting}", value)
    ended = run("serve")
    assert ended.exit_code == 2
    assert ended.stderr.startswith("weft: ")
    assert word in ended.stderr
    assert "Traceback" not in ended.output


def test_a_second_service_on_one_folder_ends_in_a_sentence(monkeypatch, tmp_path: Path):
    monkeypatch.setenv("WEFT_HOME", str(tmp_path))
    monkeypatch.setattr(supervisor, "_LEASE_PATIENCE", 0.0)
    with (tmp_path / "service.lease").open("w") as lease:
        fcntl.flock(lease, fcntl.LOCK_EX)
        ended = run("serve")
    assert ended.exit_code == 2
    assert ended.stderr.startswith("weft: another Weft service runs on")
    assert len(ended.stderr.splitlines()) == 1
    assert "Traceback" not in ended.output
