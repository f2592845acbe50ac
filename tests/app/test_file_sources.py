"""Streams of files: which folders may be read, and with which options."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.settings import Settings
from tests.conftest import TRADES


def test_files_are_read_only_where_that_is_allowed(serve, tmp_path: Path):
    allowed, other = tmp_path / "allowed", tmp_path / "other"
    allowed.mkdir()
    other.mkdir()
    (allowed / "way-out").symlink_to(other)
    client = serve(Settings(home=tmp_path / "home", demo=False, source_roots=(allowed,)))

    def put(path: str, **more):
        source = {"kind": "files", "path": path, "format": "json", **more}
        body = {"source": source, "schema": TRADES["schema"], "event_time": "ts"}
        return client.put("/v1/streams/f", json=body)

    assert put(str(allowed)).status_code == 201
    assert put(str(allowed / "later")).status_code == 200
    outside = [other, allowed / "way-out", allowed / ".." / "other", "/etc", "relative", f"{allowed}/*"]
    for path in outside:
        answer = put(str(path))
        assert answer.status_code == 422, path
        assert answer.json()["errors"][0]["field"] == "source.path"
    missing = put(str(allowed / "missing"), bounded=True)
    assert missing.status_code == 422
    assert missing.json()["errors"][0]["field"] == "source.path"
    assert put(str(allowed), bounded=True).status_code == 200


@pytest.mark.parametrize("path", ["/etc/ssl", "/proc/self", "/sys", "/dev/shm", "/", "HOME/results"])
def test_private_folders_are_never_read_by_default(client, settings, path):
    source = {"kind": "files", "path": path.replace("HOME", str(settings.home)), "format": "csv"}
    body = {"source": source, "schema": TRADES["schema"], "event_time": "ts"}
    assert client.put("/v1/streams/f", json=body).json()["errors"][0]["field"] == "source.path"


def test_a_folder_around_the_services_own_is_not_read_with_all_its_folders(serve, tmp_path: Path):
    for number, roots in enumerate((None, (tmp_path,))):
        home = tmp_path / f"home-{number}"
        client = serve(Settings(home=home, demo=False, source_roots=roots))

        def put(path: Path, client=client, **options):
            source = {"kind": "files", "path": str(path), "format": "csv", "options": options}
            body = {"source": source, "schema": TRADES["schema"], "event_time": "ts"}
            return client.put("/v1/streams/f", json=body)

        for folder in (tmp_path, tmp_path.parent) if roots is None else (tmp_path,):
            refused = put(folder, recursiveFileLookup=True)
            assert refused.status_code == 422
            assert refused.json()["errors"][0]["field"] == "source.path"
        assert put(tmp_path).status_code == 201
        assert put(tmp_path, recursiveFileLookup=False).status_code == 200
        assert put(home / "data", recursiveFileLookup=True).status_code == 200
        assert put(home / "streams").status_code == 422
        assert put(home).status_code == 422


# What Spark 4.3 refuses at the first batch, or reads as NULL ever after.
BAD_PATTERNS = [
    "YYYY", "yyyyyyy", "EEE", "MMMMM", "SSSSSSSSSS", "d#", "ddd", "aa", "hhh", "zzzzz", "XXXXXX", "DDDD", "ZZZZZZ",
    "yyyy]", "[yyyy", "'T", "VVV", "b", "OO", "QQQ", "-", "week w", "{yyyy}",
]  # fmt: skip


@pytest.mark.parametrize(
    ("options", "stored"),
    [
        (
            {"maxFileAge": "1 day", "maxBytesPerTrigger": 1000},
            {"maxBytesPerTrigger": 1000, "maxFileAge": "1d"},
        ),
        ({"sep": "\t", "quote": "'", "escape": "\\"}, {"escape": "\\", "quote": "'", "sep": "\t"}),
        ({"pathGlobFilter": "*.{csv,{txt,t[a-b]v}}"}, {"pathGlobFilter": "*.{csv,{txt,t[a-b]v}}"}),
        ({"timestampFormat": "yyyy-MM-dd'T'HH:mm:ss[.SSS][XXX]"}, None),
        ({"timestampFormat": "dd.MM.yy hh:mm a VV", "dateFormat": "dd/MM/yyyy 'it''s'"}, None),
    ],
)
def test_options_that_spark_understands_are_stored(client, tmp_path: Path, options, stored):
    source = {"kind": "files", "path": str(tmp_path / "in"), "format": "csv", "options": options}
    body = {"source": source, "schema": TRADES["schema"], "event_time": "ts"}
    answer = client.put("/v1/streams/f", json=body)
    assert answer.status_code == 201, answer.text
    assert answer.json()["source"]["options"] == (stored or options)


def test_options_are_those_of_the_format(client, tmp_path: Path):
    def put(file_format: str, options: dict):
        source = {"kind": "files", "path": str(tmp_path / "in"), "format": file_format, "options": options}
        return client.put(
            "/v1/streams/f", json={"source": source, "schema": TRADES["schema"], "event_time": "ts"}
        )

    stored = put("csv", {"delimiter": ";", "header": True}).json()["source"]["options"]
    assert stored == {"header": True, "sep": ";"}
    for file_format, options, field in [
        ("parquet", {"header": True}, "header"),
        ("json", {"sep": ";"}, "sep"),
        ("csv", {"maxFilesPerTrigger": 0}, "maxFilesPerTrigger"),
        ("csv", {"maxFilesPerTrigger": "1"}, "maxFilesPerTrigger"),
        ("csv", {"basePath": "/etc"}, "basePath"),
        ("csv", {"maxBytesPerTrigger": "10k"}, "maxBytesPerTrigger"),
        ("csv", {"maxBytesPerTrigger": 0}, "maxBytesPerTrigger"),
        ("csv", {"maxBytesPerTrigger": 10, "maxFilesPerTrigger": 1}, "maxBytesPerTrigger"),
        ("csv", {"maxFileAge": "soon"}, "maxFileAge"),
        ("csv", {"maxFileAge": "0s"}, "maxFileAge"),
        ("csv", {"maxFileAge": 7}, "maxFileAge"),
        ("csv", {"header": "true"}, "header"),
        ("csv", {"quote": "''"}, "quote"),
        ("csv", {"quote": ""}, "quote"),
        ("csv", {"escape": "ab"}, "escape"),
        ("csv", {"sep": "||"}, "sep"),
        ("csv", {"sep": "\n"}, "sep"),
        ("csv", {"sep": "\N{GRINNING FACE}"}, "sep"),
        ("csv", {"sep": '"'}, "sep"),
        ("csv", {"delimiter": "ab"}, "delimiter"),
        *[("csv", {"pathGlobFilter": glob}, "pathGlobFilter") for glob in ("[a", "{a", "a\\", "[]a", "a/b")],
        *[("json", {"timestampFormat": pattern}, "timestampFormat") for pattern in BAD_PATTERNS],
        *[("json", {"dateFormat": pattern}, "dateFormat") for pattern in ("HH:mm", "EEE", "yyyy]")],
    ]:
        answer = put(file_format, options)
        assert answer.status_code == 422, options
        assert answer.json()["errors"][0]["field"] == f"source.options.{field}"
