"""Why a driver ends, each with the exit code that tells the supervisor what to do.

JobError
├── AlreadyRunning        3  another driver holds the lock
├── CheckpointMismatch    4  the checkpoint is of another shape or version: do not restart
└── SourceUnusable        5  the source cannot be read: worth another try later
"""

from __future__ import annotations

import re
from typing import ClassVar

from optimizer.errors import WeftError

__all__ = ["AlreadyRunning", "CheckpointMismatch", "JobError", "SourceUnusable", "in_short"]

_STACKS = re.compile(r"\n\s*at |\n\s*File \"|JVM stacktrace|Traceback \(most recent|=== Streaming Query ===")
_RAISED = re.compile(r"^(?:: |Caused by: )?(?:[\w.$]+\.)?(\w+(?:Error|Exception)): (\S.*)$", re.MULTILINE)
_LONGEST = 500


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


def in_short(error: BaseException) -> str:
    """What went wrong, for people: Spark wraps the cause in layers of stacks, which stay in the log.

    >>> in_short(RuntimeError("failed\\nTraceback (most recent call last)\\n  File x\\na.BadError: no room\\n"))
    'BadError: no room'
    >>> in_short(ValueError("[PATH_NOT_FOUND] no such path\\n\\tat org.apache.spark"))
    '[PATH_NOT_FOUND] no such path'
    """
    text = str(error)
    raised = [cause for cause in _RAISED.findall(text) if cause[0] != "Py4JJavaError"]
    if raised:
        # The innermost cause comes last.
        return ": ".join(raised[-1])[:_LONGEST]
    said = " ".join(_STACKS.split(text, maxsplit=1)[0].split())
    return said[:_LONGEST] or type(error).__name__
