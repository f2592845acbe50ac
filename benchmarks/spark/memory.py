"""The memory of a process with all that it started, sampled from outside while it runs.

What is added up is the proportional set size (PSS): Python's workers are forked from one process and share most
of their pages, which the resident set size would count once for each of them. Here a page is counted once in all.
"""

from __future__ import annotations

import threading
from pathlib import Path

__all__ = ["Sampler", "tree_of", "used"]

PROC = Path("/proc")


class Sampler:
    """Samples a process tree in the background as a context manager; ``peak`` is in MiB."""

    def __init__(self, process: int, *, every: float = 0.5) -> None:
        self.peak = 0.0
        self._process = process
        self._every = every
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._sample, daemon=True)

    def __enter__(self) -> Sampler:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join()

    def _sample(self) -> None:
        while not self._ended.wait(self._every):
            self.peak = max(self.peak, sum(used(process) for process in tree_of(self._process)) / 1024)


def tree_of(process: int) -> list[int]:
    """The process and all below it."""
    children: dict[int, list[int]] = {}
    for folder in PROC.iterdir():
        if folder.name.isdigit():
            children.setdefault(_parent(folder), []).append(int(folder.name))
    found, waiting = [], [process]
    while waiting:
        found.append(waiting.pop())
        waiting.extend(children.get(found[-1], []))
    return found


def used(process: int) -> int:
    """The proportional set size in KiB; none for a process that has ended."""
    try:
        text = (PROC / str(process) / "smaps_rollup").read_text()
    except OSError:
        return 0
    return next((int(line.split()[1]) for line in text.splitlines() if line.startswith("Pss:")), 0)


def _parent(folder: Path) -> int:
    try:
        # The name of the program, in brackets, may have spaces in it.
        return int((folder / "stat").read_text().rpartition(")")[2].split()[1])
    except OSError:
        return 0
