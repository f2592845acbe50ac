"""What Spark says of each micro-batch, as the status shows it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from planner_spark.heartbeat import CLOSING
from planner_spark.status import Status
from planner_spark.sub_aggregation import SOURCE_METRICS

__all__ = ["after_batch"]

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def after_batch(status: Status, progress: dict[str, Any]) -> dict[str, Any]:
    """The fields of the status that a batch's progress changes."""
    changes: dict[str, Any] = {
        "batch": progress["batchId"],
        "input_rows_per_second": round(float(progress.get("inputRowsPerSecond") or 0.0), 3),
    }
    times = progress.get("eventTime") or {}
    if "watermark" in times:
        changes["watermark"] = _micros(times["watermark"])
    if "max" in times and _micros(times["max"]) < CLOSING:
        latest = _micros(times["max"])
        known = status.max_event_time
        changes["max_event_time"] = latest if known is None else max(latest, known)
    metrics = (progress.get("observedMetrics") or {}).get(SOURCE_METRICS)
    if metrics:
        changes["tuples"] = status.tuples + int(metrics["tuples"])
        changes["null_event_times"] = status.null_event_times + int(metrics["null_event_times"])
    operators = progress.get("stateOperators") or []
    late = sum(int(operator.get("numRowsDroppedByWatermark") or 0) for operator in operators)
    changes["late_rows"] = status.late_rows + late
    changes["state_rows"] = sum(int(operator.get("numRowsTotal") or 0) for operator in operators)
    return changes


def _micros(text: str) -> int:
    return (datetime.fromisoformat(text) - _EPOCH) // timedelta(microseconds=1)
