"""What the job endpoints take and answer."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import BaseModel, Field

from app.jobs.state import Desired, Observed
from app.streams.sources import StrictModel

__all__ = ["JobOut", "StartIn", "TreeWorkOut", "WorkOut"]

MAX_PENDING = 1_000


class StartIn(StrictModel):
    """How to start; an empty body resumes."""

    fresh: bool = Field(
        default=False,
        description="Begin a new generation: read the stream from its beginning, and replace the results.",
    )


class TreeWorkOut(BaseModel):
    """What an execution tree has done so far."""

    tree: int
    edges: int = Field(description="Ends of its fragments that have passed, over all shards.")
    operations: dict[str, float] = Field(description="Operations of final aggregation by lane.")
    operations_per_edge: dict[str, float] = Field(
        description="The measured Omega of each lane, to be compared with the plan's."
    )


class WorkOut(BaseModel):
    """Operations of a generation so far, by level (doc 000 III-C); each is one for all keys of a shard."""

    tuples: int = Field(description="Tuples that sub-aggregation has closed, once per tree under TwoOps.")
    partials: int = Field(description="Partials of fragment, key and signature that came out of it.")
    intercede: int = Field(description="Fragments that intercede-aggregation has coalesced.")
    trees: list[TreeWorkOut]


class JobOut(BaseModel):
    """A stream's job: what is wanted of it, what is the case, and how far it is."""

    desired: Desired
    observed: Observed
    since: datetime | None = Field(description="When the observed state began; null for a job never started.")
    generation: int = Field(description="Counts the times that the stream was read from its beginning.")
    epoch: int = Field(description="Counts the sets of queries that this generation has answered.")
    watermark: datetime | None = Field(
        description="Event time up to which the stream has been read for good."
    )
    input_rows_per_second: float
    results: int = Field(description="Result rows of this generation so far.")
    restarts: int = Field(description="Restarts after a crash since the last request to start.")
    error: str | None = Field(description="What is wrong now; null for a job that is well.")
    last_error: str | None = Field(description="Why a driver last ended unasked since that request.")
    pending: list[str] = Field(
        description=f"Queries that the job does not answer yet, the first {MAX_PENDING}: those registered "
        "after its start join at the next start (DELETE the job, then POST it)."
    )
    pending_count: int
    late_rows: int = Field(
        description="Tuples that came later than the watermark allows and were dropped, at least: such as come "
        "together are counted after they were added up."
    )
    null_event_times: int = Field(
        description="Tuples without a usable event time (NULL, before 1970 or after 9899), left out."
    )
    work: WorkOut
    output_share: float | None = Field(
        description="How much of the last batch went into making and writing results, from 0 to 1."
    )
    limit: Literal["output", "aggregation"] | None = Field(
        description="What the last batch spent most of its time on: results, or all that comes before them. "
        "A job with more answers than tuples is limited by its output: fewer or coarser queries help it, another "
        "plan does not."
    )
