"""One page of a query's answers, with DuckDB over the files that the manifest lists.

Rows come in the order of window end, then group values with NULL first. The manifest says which window ends
each file holds: files are taken in that order, a few at first, until the page is full, so that a page of
many thousands of files costs what its own rows cost.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb

from app.results.cursor import Cursor
from app.results.layout import Layout
from app.results.statement import FIXED, page_statement, slots_in_order
from app.results.values import decode_group, decode_slot, instant
from optimizer.errors import InvalidInput
from optimizer.model.schema import Kind
from planner_spark.sinks.manifest import Manifest, ResultFile

__all__ = ["Page", "Request", "ResultReader"]

FIRST_FILES = 32
ATTEMPTS = 5
_FAR = 9 * 10**18
"""Microseconds beyond every event time, and within what DuckDB's timestamps hold."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """Which rows: of a canonical query, for a subscriber, from a place on; times in microseconds."""

    number: int
    incarnation: str
    active_from: int | None
    after: Cursor | None = None
    end_from: int | None = None
    end_to: int | None = None
    limit: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """Rows as JSON has them, where the next ones begin, and up to when the results are complete."""

    rows: list[dict[str, Any]]
    more: bool
    cursor: Cursor | None
    watermark: int | None


class ResultReader:
    """Reads pages; one for the whole service, for any number of threads."""

    def __init__(self) -> None:
        # Without these a query for an unknown function could fetch code over the network.
        self._connection = duckdb.connect(
            ":memory:",
            config={"autoinstall_known_extensions": False, "autoload_known_extensions": False},
        )
        self._connection.execute("SET TimeZone = 'UTC'")
        # A file is never changed once the manifest lists it.
        self._connection.execute("SET parquet_metadata_cache = true")
        self._opening = threading.Lock()

    def close(self) -> None:
        """Give everything back."""
        self._connection.close()

    def read(self, folder: Path, layout: Layout, request: Request) -> Page:
        """One page of the results in that folder; empty where there are none yet."""
        for attempt in range(1, ATTEMPTS + 1):
            manifest = Manifest.read(folder)
            try:
                rows = self._fetch(folder, manifest, layout, request)
            except duckdb.IOException:
                # Compaction or retention has removed a file since; the manifest of now knows better.
                if attempt == ATTEMPTS:
                    raise
                continue
            except (duckdb.ConversionException, duckdb.OutOfRangeException, duckdb.InvalidInputException):
                if request.after is None:
                    raise
                raise InvalidInput.at("after", "does not fit the query's grouping columns") from None
            return _page(rows, manifest, layout, request)
        raise AssertionError("the last attempt returns or raises")

    def _fetch(
        self, folder: Path, manifest: Manifest, layout: Layout, request: Request
    ) -> list[tuple[Any, ...]]:
        with self._opening:
            connection = self._connection.cursor()
        with connection:
            rows: list[tuple[Any, ...]] = []
            for files, low, high in _slices(manifest, request):
                wanted = request.limit + 1 - len(rows)
                if wanted <= 0:
                    break
                paths = [str(folder / file.path) for file in files]
                statement, parameters = page_statement(
                    layout,
                    number=request.number,
                    low=low,
                    high=high,
                    active_from=request.active_from,
                    after=request.after,
                )
                rows += connection.execute(statement, [paths, *parameters, wanted]).fetchall()
            return rows


def _slices(manifest: Manifest, request: Request) -> Iterator[tuple[list[ResultFile], int, int]]:
    """Files, and the window ends [low, high) of which they hold every row; one slice follows the other."""
    low = max(_or(request.end_from, -_FAR), request.after.window_end if request.after else -_FAR)
    stop = _or(request.end_to, _FAR)
    files = [file for segment in manifest.segments for file in segment.files]
    files = sorted((f for f in files if f.max_end >= low and f.min_end < stop), key=lambda f: f.min_end)
    count = FIRST_FILES
    while low < stop:
        high = min(stop, files[count].min_end) if count < len(files) else stop
        if high > low:
            held = [file for file in files[:count] if file.max_end >= low]
            if held:
                yield held, low, high
            low = high
        count *= 2


def _or(value: int | None, default: int) -> int:
    return default if value is None else value


def _page(rows: list[tuple[Any, ...]], manifest: Manifest, layout: Layout, request: Request) -> Page:
    shown = rows[: request.limit]
    decode = _decoder(layout)
    cursor = request.after
    if shown:
        last = shown[-1]
        groups = tuple(
            f"{value:f}" if column.type.kind is Kind.DECIMAL and value is not None else value
            for column, value in zip(layout.groups, last[len(FIXED) :], strict=False)
        )
        cursor = Cursor(incarnation=request.incarnation, window_end=last[1], groups=groups)
    return Page(
        rows=[decode(row) for row in shown],
        more=len(rows) > request.limit,
        cursor=cursor,
        watermark=manifest.watermark,
    )


def _decoder(layout: Layout) -> Callable[[tuple[Any, ...]], dict[str, Any]]:
    slots = slots_in_order(layout)
    groups = [
        (column.name, position, decode_group(column.type))
        for position, column in enumerate(layout.groups, start=len(FIXED))
    ]
    first = len(FIXED) + len(groups)
    values = [(v.alias, first + slots.index(v.slot), 1 << v.bit, decode_slot(v.type)) for v in layout.values]

    def decode(row: tuple[Any, ...]) -> dict[str, Any]:
        shown: dict[str, Any] = {"window_start": instant(row[0]), "window_end": instant(row[1])}
        for name, position, decoded in groups:
            shown[name] = None if row[position] is None else decoded(row[position])
        for name, position, bit, decoded in values:
            shown[name] = decoded(row[position]) if row[2] & bit else None
        if row[3]:
            shown["overflow"] = [name for name, _, bit, _ in values if row[3] & bit]
        return shown

    return decode
