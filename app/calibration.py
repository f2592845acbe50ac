"""What this machine was measured to take, and the measurement that the first start makes in the background."""

from __future__ import annotations

import logging
import subprocess
import sys
import threading
from collections.abc import Mapping

from app.settings import Settings
from costmodel.calibration import Calibration
from costmodel.defaults import ASSUMED
from optimizer.estimate import Estimator
from planner_spark.calibrate.file import calibration_file, read_calibration

__all__ = ["COMMAND", "Measurements"]

log = logging.getLogger("weft.calibration")

PATIENCE = 5.0
"""Seconds that a measurement has to end in order."""
COMMAND = (sys.executable, "-m", "planner_spark.calibrate")


class Measurements:
    """The calibration in force: read again when its file is another one."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._lock = threading.Lock()
        self._stamp: tuple[int, int] | None = None
        self._calibration: Calibration = ASSUMED
        self._process: subprocess.Popen[bytes] | None = None

    def estimator(self, cardinalities: Mapping[str, int] | None = None) -> Estimator:
        """Estimates plans of a stream of these cardinalities."""
        return Estimator(
            calibration=self.calibration,
            cardinalities=dict(cardinalities or {}),
            shards=self._settings.shards,
        )

    @property
    def calibration(self) -> Calibration:
        """What was measured, or what is assumed."""
        try:
            found = calibration_file(self._settings.home).stat()
            stamp = (found.st_mtime_ns, found.st_size)
        except OSError:
            stamp = None
        with self._lock:
            if stamp != self._stamp:
                self._calibration = read_calibration(self._settings.home) or ASSUMED
                self._stamp = stamp
            return self._calibration

    def begin(self) -> bool:
        """Measure in the background unless that was done, or is not wanted; says whether it began.

        It has the lowest priority, so that it delays neither the service nor its jobs.
        """
        if not self._settings.calibrate or read_calibration(self._settings.home) is not None:
            return False
        self._settings.home.mkdir(parents=True, exist_ok=True)
        with (self._settings.home / "calibration.log").open("wb") as output:
            self._process = subprocess.Popen(
                ["nice", "-n", "19", *COMMAND, str(self._settings.home), "--plain"],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                start_new_session=True,
            )
        log.info("this machine is being measured in the background")
        return True

    def stop(self) -> None:
        """End a measurement that is under way; the next start begins it again."""
        process, self._process = self._process, None
        if process is None or process.poll() is not None:
            return
        process.terminate()
        try:
            process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
