"""The file in WEFT_HOME that measurements are kept in."""

from __future__ import annotations

from pathlib import Path

from costmodel.calibration import Calibration
from planner_spark.files import read_json, write_json

__all__ = ["calibration_file", "read_calibration", "write_calibration"]


def calibration_file(home: Path) -> Path:
    """Where a machine's measurements are kept."""
    return home / "calibration.json"


def read_calibration(home: Path) -> Calibration | None:
    """What was measured; None where nothing was, or by another version."""
    return Calibration.parse(read_json(calibration_file(home)))


def write_calibration(home: Path, calibration: Calibration) -> None:
    """Keep measurements in place of those of before, in one step."""
    write_json(calibration_file(home), calibration.document())
