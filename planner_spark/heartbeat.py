"""Heartbeats: small files that tell a job that time goes on (row G-09)."""

from __future__ import annotations

import json
from pathlib import Path

__all__ = ["CLOSING", "write_heartbeat"]

CLOSING = 253_370_764_800_000_000
"""The closing heartbeat: the first of January 9999, in microseconds."""


def write_heartbeat(folder: Path, name: str, micros: int) -> None:
    """Put a heartbeat where the job finds it, whole or not at all; the same name again changes nothing."""
    target = folder / f"{name}.json"
    if target.exists():
        return
    folder.mkdir(parents=True, exist_ok=True)
    # Spark passes over files whose names begin with a dot or an underscore.
    partial = folder / f".{name}.tmp"
    partial.write_text(json.dumps({"at": micros}) + "\n")
    partial.replace(target)
