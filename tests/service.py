"""``weft serve`` in a process of its own, on a free port of the loopback address."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from types import TracebackType

import httpx

PATIENCE = 60.0


class Service:
    """A service on a folder; its log is ``service.log`` there."""

    def __init__(self, home: Path, **environment: str) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        home.mkdir(parents=True, exist_ok=True)
        self.address = f"http://127.0.0.1:{port}"
        self.log = home / "service.log"
        settings = {
            "WEFT_HOME": str(home),
            "WEFT_PORT": str(port),
            "WEFT_DEMO": "0",
            "WEFT_CALIBRATE": "0",
            **environment,
        }
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-c", "from app.cli import main; main()", "serve"],
                env={**os.environ, **settings},
                stdout=log,
                stderr=log,
            )
        self.client = httpx.Client(base_url=self.address, timeout=30)

    def wait_until_ready(self) -> httpx.Client:
        deadline = time.monotonic() + PATIENCE
        while True:
            try:
                if self.client.get("/readyz").status_code == 200:
                    return self.client
            except httpx.TransportError:
                pass
            assert self.process.poll() is None, self.log.read_text()[-3_000:]
            assert time.monotonic() < deadline, self.log.read_text()[-3_000:]
            time.sleep(0.05)

    def kill(self) -> None:
        """End it at once, as a crash would; its drivers live on."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        self.client.close()

    def stop(self) -> None:
        """End it in good order, drivers included."""
        self.process.send_signal(signal.SIGTERM)
        assert self.process.wait(PATIENCE) in {0, -signal.SIGTERM}, self.log.read_text()[-3_000:]
        self.client.close()

    def __enter__(self) -> httpx.Client:
        return self.wait_until_ready()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()
