"""A real PostgreSQL server for the tests, made from Debian's packages and thrown away."""

from __future__ import annotations

import contextlib
import os
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import psycopg
import pytest

__all__ = ["new_database", "server"]

_BINARIES = Path("/usr/lib/postgresql")
_USER = "postgres"
_PATIENCE = 30


@contextlib.contextmanager
def server() -> Iterator[str]:
    """The URL of a running server; skips, or fails in CI, where there is none to be had."""
    folder = _binaries()
    # PostgreSQL refuses to run as root, so root runs it as the user that the package made.
    as_user = ["runuser", "-u", _USER, "--"] if os.geteuid() == 0 else []
    data = Path(tempfile.mkdtemp(prefix="weft-postgres-"))
    process = None
    try:
        if as_user:
            shutil.chown(data, _USER)
        initdb = [
            *as_user,
            folder / "initdb",
            "-D",
            data,
            "-U",
            "weft",
            "--auth=trust",
            "--no-sync",
            "-E",
            "UTF8",
        ]
        subprocess.run(initdb, check=True, stdout=subprocess.DEVNULL, cwd="/")
        port = _free_port()
        options = ["-D", data, "-k", data, "-h", "127.0.0.1", "-p", str(port), "-c", "fsync=off"]
        log = (data.parent / f"{data.name}.log").open("wb")
        with log:
            process = subprocess.Popen(
                [*as_user, folder / "postgres", *options], stdout=log, stderr=log, cwd="/"
            )
        url = f"postgresql://weft@127.0.0.1:{port}"
        _wait(f"{url}/postgres", process)
        yield url
    finally:
        if process is not None:
            process.terminate()
            process.wait(timeout=_PATIENCE)
        shutil.rmtree(data, ignore_errors=True)
        (data.parent / f"{data.name}.log").unlink(missing_ok=True)


def new_database(url: str) -> str:
    """The URL of a new, empty database on the server."""
    name = f"test_{uuid4().hex}"
    with psycopg.connect(f"{url}/postgres", autocommit=True) as connection:
        connection.execute(f'CREATE DATABASE "{name}"')  # type: ignore[call-overload]
    return f"{url}/{name}"


def _binaries() -> Path:
    found = sorted(_BINARIES.glob("*/bin/initdb"), key=lambda path: int(path.parts[-3]))
    if not found:
        message = "no PostgreSQL server is installed: apt-get install postgresql"
        if os.environ.get("CI") == "true":
            pytest.fail(f"{message} (it is required in CI)")
        pytest.skip(message)
    return found[-1].parent


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _wait(url: str, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + _PATIENCE
    while True:
        try:
            psycopg.connect(url, connect_timeout=5).close()
        except psycopg.OperationalError:
            if process.poll() is not None or time.monotonic() > deadline:
                raise
            time.sleep(0.1)
        else:
            return
