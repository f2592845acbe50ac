"""The normalized definition of a stream: what is stored, echoed and handed to the planner.

Equal definitions are equal JSON, however they were written.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from pydantic import TypeAdapter, ValidationError

from app.http.times import IsoTime
from app.settings import Settings
from app.streams.file_options import FileOptions
from app.streams.paths import checked_path
from app.streams.schemas import MAX_CARDINALITY, StreamIn
from app.streams.sources import FilesSource, KafkaSource, RateSource, SyntheticSource
from optimizer.errors import FieldError, InvalidInput, Unsupported
from optimizer.model.durations import MICROS, format_duration, parse_duration
from optimizer.model.schema import MAX_NAME, Column, ColumnType, Kind, Schema
from planner_spark.spec import StreamSpec

__all__ = ["normalize", "schema_of", "stream_spec"]

MAX_WATERMARK = 7 * MICROS["d"]
_ISO_TIME: TypeAdapter[datetime] = TypeAdapter(IsoTime)
_RATE_COLUMNS = (("timestamp", "timestamp"), ("value", "long"))
_SYNTHETIC_COLUMNS = (("ts", "timestamp"), ("key", "string"), ("value", "double"), ("quantity", "long"))
_CSV_ONLY = ("header", "sep", "delimiter", "quote", "escape", "nullValue")
_TEXT_ONLY = ("multiLine", "timestampFormat", "dateFormat")


def normalize(stream: StreamIn, settings: Settings) -> dict[str, Any]:
    """The definition in its one form, or an error that names every offending field."""
    if isinstance(stream.source, KafkaSource):
        raise Unsupported.at("source.kind", "no engine reads kafka yet: use files, rate or synthetic")
    errors = _Errors()
    with errors:
        source = _source(stream.source, settings)
    with errors:
        schema = _schema(stream)
        with errors:
            event_time = _event_time(stream, schema)
    with errors:
        watermark = _duration(stream.watermark, "watermark", least=0)
    idle = None
    if stream.idle_heartbeat is not None:
        with errors:
            idle = format_duration(_duration(stream.idle_heartbeat, "idle_heartbeat", least=MICROS["ms"]))
    cardinalities: dict[str, int] = {}
    if stream.cardinalities:
        with errors:
            cardinalities = _cardinalities(stream.cardinalities, _schema(stream))
    errors.raise_any()
    return {
        "source": source,
        "schema": [{"name": c.name, "type": str(c.type)} for c in schema],
        "event_time": event_time,
        "watermark": format_duration(watermark),
        "rate": float(stream.rate),
        "idle_heartbeat": idle,
        # Definitions that say nothing of it are what they were before anybody could.
        **({"cardinalities": cardinalities} if cardinalities else {}),
    }


def schema_of(definition: dict[str, Any]) -> Schema:
    """The columns of a stored definition."""
    return Schema(
        columns=tuple(Column(name=c["name"], type=ColumnType.parse(c["type"])) for c in definition["schema"])
    )


def stream_spec(name: str, definition: dict[str, Any]) -> StreamSpec:
    """The stored definition as the planner takes it, durations in microseconds."""
    source = dict(definition["source"])
    if "disorder" in source:
        source["disorder"] = parse_duration(source["disorder"])
    idle = definition["idle_heartbeat"]
    return StreamSpec(
        name=name,
        source=source,
        schema=tuple((c["name"], c["type"]) for c in definition["schema"]),
        event_time=definition["event_time"],
        watermark=parse_duration(definition["watermark"]),
        rate=definition["rate"],
        idle_heartbeat=None if idle is None else parse_duration(idle),
    )


class _Errors:
    """Collects the errors of the blocks it surrounds, so that a caller hears of all at once."""

    def __init__(self) -> None:
        self.found: list[FieldError] = []

    def __enter__(self) -> None:
        return None

    def __exit__(self, _: Any, error: BaseException | None, __: Any) -> bool:
        if isinstance(error, InvalidInput):
            self.found.extend(error.errors)
            return True
        return False

    def raise_any(self) -> None:
        if self.found:
            raise InvalidInput(self.found)


def _source(source: FilesSource | RateSource | SyntheticSource, settings: Settings) -> dict[str, Any]:
    if isinstance(source, FilesSource):
        return {
            "kind": "files",
            "path": checked_path(
                source.path,
                bounded=source.bounded,
                recursive=bool(source.options.recursiveFileLookup),
                settings=settings,
            ),
            "format": source.format,
            "bounded": source.bounded,
            "options": _options(source.options, source.format),
        }
    if isinstance(source, SyntheticSource):
        disorder = _duration(source.disorder, "source.disorder", least=0)
        start = {} if source.start is None else {"start": _moment(source.start, "source.start")}
        return {**source.model_dump(exclude_none=True), "disorder": format_duration(disorder), **start}
    return source.model_dump()


def _options(options: FileOptions, file_format: str) -> dict[str, Any]:
    given = options.model_dump(exclude_none=True)
    foreign = [name for name in _CSV_ONLY if file_format != "csv"]
    foreign += [name for name in _TEXT_ONLY if file_format == "parquet"]
    errors = [
        FieldError(field=f"source.options.{name}", message=f"is not an option of {file_format} files")
        for name in foreign
        if name in given
    ]
    if "delimiter" in given and "sep" in given:
        errors.append(
            FieldError(field="source.options.delimiter", message="is another name of sep: give one")
        )
    if "maxBytesPerTrigger" in given and "maxFilesPerTrigger" in given:
        errors.append(
            FieldError(
                field="source.options.maxBytesPerTrigger", message="cannot stand beside maxFilesPerTrigger"
            )
        )
    if errors:
        raise InvalidInput(errors)
    if "delimiter" in given:
        given["sep"] = given.pop("delimiter")
    if "sep" in given and given["sep"] == given.get("quote", '"'):
        raise InvalidInput.at("source.options.sep", "must be another character than the quote")
    return dict(sorted(given.items()))


def _schema(stream: StreamIn) -> Schema:
    if stream.columns is None:
        if isinstance(stream.source, FilesSource):
            raise InvalidInput.at("schema", "is required: Weft does not guess the columns of files")
        default = _RATE_COLUMNS if isinstance(stream.source, RateSource) else _SYNTHETIC_COLUMNS
        return Schema(columns=tuple(Column(name=n, type=ColumnType.parse(t)) for n, t in default))
    errors = _Errors()
    columns = []
    for position, column in enumerate(stream.columns):
        try:
            columns.append(Column(name=column.name, type=ColumnType.parse(column.type)))
        except InvalidInput as error:
            errors.found.extend(error.under(f"schema.{position}").errors)
    errors.raise_any()
    schema = Schema(columns=tuple(columns))
    if isinstance(stream.source, RateSource):
        for position, item in enumerate(schema):
            if (item.name, str(item.type)) not in _RATE_COLUMNS:
                raise InvalidInput.at(
                    f"schema.{position}", "the rate source has the columns timestamp: timestamp, value: long"
                )
    return schema


def _event_time(stream: StreamIn, schema: Schema) -> str:
    name = stream.event_time
    if name is None:
        name = {"rate": "timestamp", "synthetic": "ts"}.get(stream.source.kind)
        if name is None or schema.find(name) is None:
            raise InvalidInput.at("event_time", "is required: name the column of type timestamp to go by")
    column = schema.column(name, field="event_time")
    if column.type.kind is not Kind.TIMESTAMP:
        raise InvalidInput.at("event_time", f"must be a timestamp column, {column.name!r} is {column.type}")
    return column.name


def _cardinalities(given: dict[str, int], schema: Schema) -> dict[str, int]:
    """By the columns' own names, in order."""
    found: dict[str, int] = {}
    errors = []
    for name, count in given.items():
        column = schema.find(name)
        field = f"cardinalities.{name[:MAX_NAME]}"
        if column is None:
            shown = ", ".join(schema.names[:20])
            errors.append(FieldError(field=field, message=f"unknown column: the stream has {shown}"))
        elif not 1 <= count <= MAX_CARDINALITY:
            errors.append(
                FieldError(field=field, message=f"must be a whole number from 1 to {MAX_CARDINALITY}")
            )
        elif column.name in found:
            errors.append(FieldError(field=field, message="is given twice"))
        else:
            found[column.name] = count
    if errors:
        raise InvalidInput(errors)
    return dict(sorted(found.items()))


def _moment(text: str, field: str) -> str:
    try:
        moment = _ISO_TIME.validate_python(text)
    except ValidationError:
        raise InvalidInput.at(field, "must be a time such as 2026-01-01T00:00:00Z") from None
    if not 1970 <= moment.year <= 2200:
        raise InvalidInput.at(field, "must be a time from 1970 to 2200")
    return moment.isoformat()


def _duration(text: str, field: str, *, least: int) -> int:
    micros = parse_duration(text, field=field)
    if not least <= micros <= MAX_WATERMARK:
        shown = f"{format_duration(least)} to {format_duration(MAX_WATERMARK)}"
        raise InvalidInput.at(field, f"must be {shown}")
    return micros
