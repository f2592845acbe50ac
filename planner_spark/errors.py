"""Why a driver ends, each with the exit code that tells the supervisor what to do.

JobError
├── AlreadyRunning        3  another driver holds the lock
├── CheckpointMismatch    4  the checkpoint is of another shape or version: do not restart
└── SourceUnusable        5  the source cannot be read: worth another try later
"""

from __future__ import annotations

from typing import ClassVar

from optimizer.errors import WeftError

__all__ = ["AlreadyRunning", "CheckpointMismatch", "JobError", "SourceUnusable"]


class JobError(WeftError):
    """Base of what ends a driver on purpose."""

    exit_code: ClassVar[int] = 1
    code: ClassVar[str] = "crashed"


class AlreadyRunning(JobError):
    """Another driver, or its JVM, lives on this checkpoint."""

    exit_code = 3
    code = "already_running"


class CheckpointMismatch(JobError):
    """The checkpoint was made for another shape of job or by another version."""

    exit_code = 4
    code = "checkpoint_mismatch"


class SourceUnusable(JobError):
    """The source is missing or does not fit its schema."""

    exit_code = 5
    code = "source_unusable"
