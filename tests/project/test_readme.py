"""The README's curl lines, run as they stand against a real service and a real Spark job."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
FENCE = re.compile(r"^```(bash|json)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SHOWN_ADDRESS = "http://127.0.0.1:8000"


@pytest.fixture
def address(tmp_path: Path) -> Iterator[str]:
    """A service as ``make run`` starts it, on a free port and without the demonstration."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    environment = {**os.environ, "WEFT_HOME": str(tmp_path), "WEFT_PORT": str(port), "WEFT_DEMO": "0"}
    environment["WEFT_CALIBRATE"] = "0"
    command = [Path(sys.executable).with_name("weft"), "serve"]
    log = tmp_path / "service.log"
    with log.open("wb") as output:
        service = subprocess.Popen(
            command, cwd=ROOT, env=environment, stdout=output, stderr=subprocess.STDOUT
        )
    try:
        _wait_for(f"http://127.0.0.1:{port}/readyz", service, log)
        yield f"http://127.0.0.1:{port}"
    finally:
        service.send_signal(signal.SIGTERM)
        assert service.wait(60) in {0, -signal.SIGTERM}, log.read_text()


def _wait_for(url: str, service: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + 60
    while True:
        assert service.poll() is None, log.read_text()
        assert time.monotonic() < deadline, log.read_text()
        try:
            with urllib.request.urlopen(url, timeout=5):
                return
        except (urllib.error.URLError, ConnectionError, TimeoutError):
            time.sleep(0.2)


@pytest.mark.spark
def test_the_curl_lines_lead_to_the_answers_that_are_shown(address: str):
    blocks = FENCE.findall((ROOT / "README.md").read_text())
    assert [kind for kind, _ in blocks] == ["bash", "bash", "bash", "bash", "json", "bash", "json"]
    said = ""
    for kind, text in blocks:
        if kind == "bash":
            said = _run(text.replace(SHOWN_ADDRESS, address))
        else:
            _compare(json.loads(text), json.loads(said))


def _run(script: str) -> str:
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", script],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "about:blank" not in done.stdout, done.stdout  # the mark of a problem document
    return done.stdout


def _compare(shown: dict[str, Any], said: dict[str, Any]) -> None:
    """Everything that the README shows is said; it leaves out what differs from run to run."""
    assert {name: said[name] for name in shown} == shown
    assert all(list(a) == list(b) for a, b in zip(shown["rows"], said["rows"], strict=True))
