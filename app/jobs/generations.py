"""Whether a start resumes the checkpoint or begins a new generation.

| what is there | what is wanted | what happens |
|---|---|---|
| nothing yet, or ``fresh`` is asked for | anything | a new generation, from the beginning of the stream |
| a finished bounded stream | the same workload | nothing: all answers are there |
| a finished bounded stream | another workload | a new generation that replays it |
| another source, schema or event time | anything | a new generation: it is another stream |
| a checkpoint of the same shape and versions | the same queries | resumed in the same epoch |
| a checkpoint of the same shape and versions | other queries | resumed in the next epoch |
| a checkpoint of another shape or version | anything | refused, with what differs |
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from app.errors import ApiError
from planner_spark.admission import mismatches
from planner_spark.heartbeat import CLOSING
from planner_spark.spec import JobSpec, QuerySpec
from planner_spark.status import Status

__all__ = ["Before", "Decision", "Keep", "NewGeneration", "Resume", "decide"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Before:
    """What the last generation left behind; no tuple that it has read is later than ``read_until``."""

    job: JobSpec
    manifest: dict[str, Any] | None
    status: Status | None
    read_until: int | None = None

    @property
    def is_finished(self) -> bool:
        """Whether it read a bounded source to its end."""
        return self.status is not None and self.status.is_finished(self.job.generation, self.job.epoch)


@dataclass(frozen=True, slots=True)
class Keep:
    """Everything is answered already."""


@dataclass(frozen=True, slots=True)
class NewGeneration:
    """Read the stream from its beginning, beside what there was."""


@dataclass(frozen=True, slots=True)
class Resume:
    """Go on from the checkpoint."""

    epoch: int


Decision = Keep | NewGeneration | Resume


def decide(before: Before | None, wanted: JobSpec, *, fresh: bool) -> Decision:
    """What a start does; an `ApiError` with the code ``checkpoint_mismatch`` when it must not go on."""
    # Without a manifest no driver came as far as making a checkpoint.
    if before is None or before.manifest is None or fresh or _tuples(before.job) != _tuples(wanted):
        return NewGeneration()
    same_queries = _computations(before.job) == _computations(wanted)
    if not same_queries and (before.read_until or 0) >= CLOSING:
        # Stopped after its last window was closed, before it could say so: for others all windows are still to come.
        return NewGeneration()
    if before.is_finished:
        return (
            Keep()
            if same_queries and before.job.stream.watermark == wanted.stream.watermark
            else NewGeneration()
        )
    unlike = mismatches(before.manifest, wanted)
    if unlike:
        raise ApiError(
            "checkpoint_mismatch",
            f"the job cannot go on from its checkpoint: {'; '.join(unlike)}. Go back to queries that fit it, "
            'or POST with {"fresh": true}: that begins a new generation, which reads the stream from its '
            "beginning and replaces the results so far",
        )
    return Resume(before.job.epoch if same_queries else before.job.epoch + 1)


def _tuples(job: JobSpec) -> tuple[object, ...]:
    """What makes the stream's tuples what they are."""
    return job.stream.source, job.stream.schema, job.stream.event_time


def _computations(job: JobSpec) -> set[tuple[object, ...]]:
    return {_computation(query) for query in job.queries}


def _computation(query: QuerySpec) -> tuple[object, ...]:
    """A query without its time of activation, which is set by the very decision that compares them."""
    return query.number, query.range, query.slide, query.aggregates, query.where, query.group_by
