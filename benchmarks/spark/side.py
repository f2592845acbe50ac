"""The process of a side: ``python -m benchmarks.spark.side <config.json> <result.json>``."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

from benchmarks.spark.config import Config
from benchmarks.spark.sides import SIDES

__all__ = ["main"]


def main(given: str, answer: str) -> None:
    """Run the side that the configuration names and write what it measured."""
    config = Config.read(Path(given))
    if config.side not in SIDES:
        raise SystemExit(f"{config.side!r} is no side: use one of {', '.join(SIDES)}")
    # Only now: a side need not have what another one imports.
    module = importlib.import_module(f"benchmarks.spark.sides.{config.side}")
    module.run(config).write(Path(answer))


if __name__ == "__main__":
    main(*sys.argv[1:])
