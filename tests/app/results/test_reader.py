"""The reader against Parquet files in the form that the driver writes."""

from __future__ import annotations

import json
import math
import random
from collections.abc import Iterator
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from app.results.cursor import Cursor
from app.results.layout import Layout
from app.results.reader import Request, ResultReader
from optimizer.errors import InvalidInput
from optimizer.model.acq import Acq, AggregateCall
from optimizer.model.aggregates import find_aggregate
from optimizer.model.schema import Column, ColumnType
from optimizer.model.window import Window
from planner_spark.sinks.manifest import Manifest
from tests.app.results.files import merge_all, write_batch

SECOND = 1_000_000
SCHEMA = {
    name: Column(name=name, type=ColumnType.parse(kind))
    for name, kind in {
        "key": "string",
        "n": "long",
        "x": "double",
        "f": "float",
        "d": "decimal(10,2)",
        "day": "date",
        "at": "timestamp",
        "flag": "boolean",
    }.items()
}
ARROW = {
    "g_key": pa.string(),
    "g_n": pa.int64(),
    "g_x": pa.float64(),
    "g_f": pa.float32(),
    "g_d": pa.decimal128(10, 2),
    "g_day": pa.date32(),
    "g_at": pa.timestamp("us", tz="UTC"),
    "g_flag": pa.bool_(),
}


def acq(*aggregates: str, by: tuple[str, ...] = ()) -> Acq:
    """A query, aggregates written as ``function column alias``."""
    calls = []
    for text in aggregates:
        function, column, alias = text.split()
        found = find_aggregate(function)
        assert found is not None
        calls.append(AggregateCall(function=found, column=SCHEMA.get(column), alias=alias))
    return Acq(
        stream="s",
        window=Window(range=10 * SECOND, slide=10 * SECOND),
        aggregates=tuple(calls),
        group_by=tuple(SCHEMA[name] for name in by),
    )


def row(end: int, *, query: int = 1, valid: int = 1, **more: Any) -> dict[str, Any]:
    """A result row of a window of ten seconds that ends at that second."""
    return {
        "query": query,
        "window_start": (end - 10) * SECOND,
        "window_end": end * SECOND,
        "valid": valid,
        **more,
    }


@pytest.fixture
def reader() -> Iterator[ResultReader]:
    reader = ResultReader()
    yield reader
    reader.close()


def read(reader: ResultReader, folder: Path, query: Acq, **request: Any) -> Any:
    wanted = {"number": 1, "incarnation": "i", "active_from": None, "limit": 100, **request}
    return reader.read(folder, Layout.of(query), Request(**wanted))


def read_all(reader: ResultReader, folder: Path, query: Acq, *, limit: int, **request: Any) -> list[Any]:
    """Everything, page by page, with each cursor going through its text."""
    rows: list[Any] = []
    after = None
    while True:
        page = read(reader, folder, query, limit=limit, after=after, **request)
        rows += page.rows
        assert len(page.rows) == limit or not page.more
        if not page.more:
            return rows
        after = Cursor.decode(page.cursor.encode(), incarnation="i", groups=query.group_by)


def test_there_is_nothing_before_the_first_batch(reader: ResultReader, tmp_path: Path):
    page = read(reader, tmp_path / "results", acq("count * n"))
    assert (page.rows, page.more, page.cursor, page.watermark) == ([], False, None, None)


def test_a_row_has_window_groups_and_aliases_in_their_order(reader: ResultReader, tmp_path: Path):
    query = acq("max x hi", "count * n", "max x again", by=("key",))
    # Canonical order: count(*), then max(x).
    write_batch(tmp_path, [row(10, g_key="a", l0=3, d0=1.5, valid=3)], ARROW, watermark=12 * SECOND)
    page = read(reader, tmp_path, query)
    assert page.rows == [
        {
            "window_start": "1970-01-01T00:00:00Z",
            "window_end": "1970-01-01T00:00:10Z",
            "key": "a",
            "hi": 1.5,
            "n": 3,
            "again": 1.5,
        }
    ]
    assert list(page.rows[0]) == [column["name"] for column in Layout.of(query).columns]
    assert page.watermark == 12 * SECOND


def test_values_of_every_type_are_typed_json(reader: ResultReader, tmp_path: Path):
    query = acq(
        "max n n", "max x x", "max f f", "max d d", "max day day", "max at at", "max flag flag",
        "max key key", "sum d total",
    )  # fmt: skip
    # Canonical order: max of at, d, day, f, flag, key, n, x, then sum of d.
    write_batch(
        tmp_path,
        [
            row(
                10, valid=0b111111111, l0=1_500_000, s0="-5", l1=19_000, d0=0.5, l2=1, s1="z",
                l3=2**53 + 1, d1=-0.25, s2="123456789012345678901234567890",
            )
        ],
        ARROW,
    )  # fmt: skip
    (shown,) = read(reader, tmp_path, query).rows
    assert shown | {"window_start": None, "window_end": None} == {
        "window_start": None,
        "window_end": None,
        "n": 2**53 + 1,
        "x": -0.25,
        "f": 0.5,
        "d": "-0.05",
        "day": date.fromordinal(date(1970, 1, 1).toordinal() + 19_000).isoformat(),
        "at": "1970-01-01T00:00:01.500000Z",
        "flag": True,
        "key": "z",
        "total": "1234567890123456789012345678.90",
    }
    assert json.loads(json.dumps(shown, allow_nan=False))["n"] == 9_007_199_254_740_993


def test_null_nan_infinity_and_overflow_are_told_apart(reader: ResultReader, tmp_path: Path):
    query = acq("sum n total", "max x hi")
    rows = [
        row(10, l0=0, d0=math.nan, valid=0b01),
        row(20, l0=0, d0=math.nan, valid=0b00, overflow=0b10),
        row(30, l0=5, d0=math.inf, valid=0b11),
        row(40, l0=5, d0=-math.inf, valid=0b11),
    ]
    write_batch(tmp_path, rows, ARROW)
    shown = [(r["total"], r["hi"], r.get("overflow")) for r in read(reader, tmp_path, query).rows]
    assert shown == [
        (None, "NaN", None),
        (None, None, ["total"]),
        (5, "Infinity", None),
        (5, "-Infinity", None),
    ]


GROUPS: dict[str, list[Any]] = {
    "key": [None, "", "a", "a'b; --", "ä", "🙂"],
    "n": [None, -(2**63), -1, 2**53, 2**53 + 1, 2**63 - 1],
    "x": [None, -math.inf, -1.5, 0.1, math.inf, math.nan],
    "f": [None, -1.5, 0.10000000149011612, 16777216.0, math.inf, math.nan],
    "d": [None, Decimal("-12345678.90"), Decimal("-0.01"), Decimal("0.00"), Decimal("7.10")],
    "day": [None, date(1, 1, 1), date(1969, 12, 31), date(1970, 1, 1), date(9999, 12, 31)],
    "at": [None, -1, 0, 1, 4 * 10**15],
    "flag": [None, False, True],
}
"""For each type some values in order, NULL first."""


@pytest.mark.parametrize("name", GROUPS)
@pytest.mark.parametrize("limit", [1, 2, 100])
def test_pages_give_every_group_of_every_type_once_and_in_order(
    reader: ResultReader, tmp_path: Path, name: str, limit: int
):
    values = GROUPS[name]
    rows = [row(end, l0=i, **{f"g_{name}": v}) for end in (10, 20) for i, v in enumerate(values)]
    random.Random(1).shuffle(rows)
    half = len(rows) // 2
    for part in (rows[:half], rows[half:]):
        write_batch(tmp_path, part, ARROW)
    shown = read_all(reader, tmp_path, acq("count * n_", by=(name,)), limit=limit)
    assert [r["n_"] for r in shown] == [*range(len(values))] * 2


@pytest.mark.parametrize("seed", range(5))
def test_paging_through_many_files_with_ties_equals_sorting(reader: ResultReader, tmp_path: Path, seed: int):
    choose = random.Random(seed)
    by = ("key", "n", "x")
    rows = [
        row(end, query=number, g_key=key, g_n=n, g_x=x, l0=choose.randrange(100))
        for end in range(0, 300, 10)
        for number in (1, 2)
        for key in (None, "a", "b")
        for n in (None, 1)
        for x in (None, 0.5, math.nan)
        if choose.random() < 0.7
    ]
    # Batches follow each other in time but overlap, as those of a stream that catches up do.
    rows.sort(key=lambda r: r["window_end"] + choose.randrange(40 * SECOND))
    for begin in range(0, len(rows), 7):
        write_batch(tmp_path, rows[begin : begin + 7], ARROW)
    expected = sorted((r for r in rows if r["query"] == 1), key=_key)
    query = acq("count * c", by=by)
    for limit in (1, 13, 10_000):
        shown = read_all(reader, tmp_path, query, limit=limit)
        assert [_shown_key(r) for r in shown] == [_expected_key(r) for r in expected]
        assert [r["c"] for r in shown] == [r["l0"] for r in expected]


def _key(r: dict[str, Any]) -> tuple[Any, ...]:
    def rank(value: Any) -> tuple[Any, ...]:
        return (0,) if value is None else (2,) if _is_nan(value) else (1, value)

    return r["window_end"], *(rank(r[f"g_{name}"]) for name in ("key", "n", "x"))


def _expected_key(r: dict[str, Any]) -> tuple[Any, ...]:
    x = r["g_x"]
    return r["window_end"] // SECOND, r["g_key"], r["g_n"], "NaN" if _is_nan(x) else x


def _is_nan(value: Any) -> bool:
    return isinstance(value, float) and math.isnan(value)


def _shown_key(r: dict[str, Any]) -> tuple[Any, ...]:
    minutes, seconds = int(r["window_end"][14:16]), int(r["window_end"][17:19])
    return minutes * 60 + seconds, r["key"], r["n"], r["x"]


def test_a_cursor_stays_good_while_batches_arrive_and_files_are_merged(reader: ResultReader, tmp_path: Path):
    query = acq("count * c", by=("key",))
    for batch in range(3):
        ends = range(batch * 50 + 10, batch * 50 + 60, 10)
        write_batch(tmp_path, [row(e, g_key=k, l0=e) for e in ends for k in (None, "a")], ARROW)
    first = read(reader, tmp_path, query, limit=17)
    merge_all(tmp_path)
    write_batch(tmp_path, [row(160, g_key="a", l0=160)], ARROW)
    rest = read_all(reader, tmp_path, query, limit=5)
    after = Cursor.decode(first.cursor.encode(), incarnation="i", groups=query.group_by)
    page = read(reader, tmp_path, query, after=after)
    assert first.rows + page.rows == rest
    assert len(rest) == 31


def test_a_reader_that_finds_a_file_gone_reads_the_manifest_again(
    reader: ResultReader, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    for end in (10, 20, 30):
        write_batch(tmp_path, [row(end, l0=end)], ARROW)
    stale = Manifest.read(tmp_path)
    merge_all(tmp_path)
    answers = iter([stale])
    real = Manifest.read
    monkeypatch.setattr(Manifest, "read", lambda folder: next(answers, None) or real(folder))
    assert [r["c"] for r in read(reader, tmp_path, acq("count * c")).rows] == [10, 20, 30]


def test_a_subscriber_sees_windows_from_its_activation_on(reader: ResultReader, tmp_path: Path):
    write_batch(tmp_path, [row(end, l0=end) for end in (10, 20, 30, 40)], ARROW)
    page = read(reader, tmp_path, acq("count * c"), active_from=20 * SECOND)
    assert [r["c"] for r in page.rows] == [30, 40]


def test_from_and_to_are_a_half_open_range_of_window_ends(reader: ResultReader, tmp_path: Path):
    write_batch(tmp_path, [row(end, l0=end) for end in (10, 20, 30, 40)], ARROW)
    page = read(reader, tmp_path, acq("count * c"), end_from=20 * SECOND, end_to=40 * SECOND)
    assert [r["c"] for r in page.rows] == [20, 30]
    assert read(reader, tmp_path, acq("count * c"), end_from=40 * SECOND, end_to=20 * SECOND).rows == []


def test_windows_before_the_epoch_and_far_away_are_read(reader: ResultReader, tmp_path: Path):
    far = 253_402_300_800
    write_batch(tmp_path, [row(end, l0=1) for end in (-20, 0)], ARROW)
    write_batch(tmp_path, [row(far - 20, l0=1)], ARROW)
    ends = [r["window_end"] for r in read_all(reader, tmp_path, acq("count * c"), limit=1)]
    assert ends == ["1969-12-31T23:59:40Z", "1970-01-01T00:00:00Z", "9999-12-31T23:59:40Z"]


def test_files_of_before_a_query_was_there_lack_its_columns(reader: ResultReader, tmp_path: Path):
    write_batch(tmp_path, [row(10, query=2, l0=1)], ARROW)
    query = acq("max x hi", "sum n total", "sum d m", by=("key",))
    assert read(reader, tmp_path, query).rows == []
    write_batch(tmp_path, [row(20, g_key="a", d0=1.0, l0=2, s0="3", valid=7)], ARROW)
    (shown,) = read(reader, tmp_path, query).rows
    assert (shown["key"], shown["hi"], shown["total"], shown["m"]) == ("a", 1.0, 2, "0.03")


@pytest.mark.parametrize("text", ["", "?", "AAAA", "W10", "WyJpIiwxXQ", "WyJpIiwiYSIsW11d", "bnVsbA"])
def test_a_text_that_is_no_cursor_is_refused(text: str):
    with pytest.raises(InvalidInput, match="after: must be"):
        Cursor.decode(text, incarnation="i", groups=())


def test_a_cursor_of_another_query_is_refused():
    text = Cursor(incarnation="old", window_end=0, groups=()).encode()
    with pytest.raises(InvalidInput, match="replaced"):
        Cursor.decode(text, incarnation="new", groups=())


@pytest.mark.parametrize(
    ("name", "value"), [("d", "abc"), ("d", "1e30"), ("day", 2**40), ("n", 2**70), ("x", "y")]
)
def test_a_forged_cursor_is_refused(reader: ResultReader, tmp_path: Path, name: str, value: Any):
    write_batch(tmp_path, [row(10, l0=1, **{f"g_{name}": None})], ARROW)
    query = acq("count * c", by=(name,))
    text = Cursor(incarnation="i", window_end=0, groups=(value,)).encode()
    with pytest.raises(InvalidInput, match="after"):
        after = Cursor.decode(text, incarnation="i", groups=query.group_by)
        read(reader, tmp_path, query, after=after)
