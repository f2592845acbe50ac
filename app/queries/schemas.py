"""What the query endpoints take and answer."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, Literal

from fastapi import Path
from pydantic import (
    BaseModel,
    ConfigDict,
    Discriminator,
    Field,
    StringConstraints,
    Tag,
    ValidationError,
    ValidatorFunctionWrapHandler,
    WrapValidator,
)

from app.problems import field_errors
from app.streams.schemas import NAME_PATTERN
from app.streams.sources import StrictModel
from app.tags import SPEC_TAG, SQL_TAG
from optimizer.errors import FieldError
from optimizer.model.acq import MAX_AGGREGATES

__all__ = [
    "AggregateIn",
    "BatchIn",
    "BatchOut",
    "Malformed",
    "QueryId",
    "QueryIn",
    "QueryOut",
    "QueryPage",
    "SpecIn",
    "SqlIn",
    "ValidationOut",
    "WindowIn",
]

ID_PATTERN = r"^[A-Za-z0-9][A-Za-z0-9_.-]{0,127}$"
MAX_BATCH = 50_000
MAX_TEXT = 20_000
_Name = Annotated[str, StringConstraints(min_length=1, max_length=128)]
_Id = Annotated[str, StringConstraints(pattern=ID_PATTERN, max_length=128)]
_Length = (
    Annotated[str, StringConstraints(min_length=1, max_length=100)] | Annotated[int, Field(ge=1, le=2**53)]
)

QueryId = Annotated[
    str, Path(pattern=ID_PATTERN, max_length=128, description="The query's id.", examples=["hi-5m"])
]

_SPEC_EXAMPLE: dict[str, Any] = {
    "id": "hi-5m",
    "stream": "trades",
    "aggregates": [{"function": "max", "column": "price", "as": "hi"}, {"function": "count", "as": "n"}],
    "window": {"range": "5m", "slide": "30s"},
    "where": "price > 10 AND symbol IN ('A', 'B')",
    "group_by": ["symbol"],
}
_SQL_EXAMPLE: dict[str, Any] = {
    "sql": "SELECT symbol, max(price) AS hi, count(*) AS n FROM trades WHERE price > 10 "
    "GROUP BY symbol, window(ts, '5 minutes', '30 seconds')"
}


class AggregateIn(StrictModel):
    """One aggregate; without a column only ``count``, which then counts tuples."""

    function: Annotated[str, StringConstraints(min_length=1, max_length=32)] = Field(
        description="count, sum, avg, min, max, var_samp, var_pop, stddev_samp or stddev_pop.",
        examples=["max"],
    )
    column: _Name | None = Field(default=None, description="A column of the stream; none or * for count(*).")
    alias: _Name | None = Field(default=None, alias="as", description="Its name in the result rows.")


class WindowIn(StrictModel):
    """A sliding window; without a slide it tumbles."""

    range: _Length = Field(description="A duration, or a number of tuples.", examples=["5m"])
    slide: _Length | None = Field(default=None, description="Default: the range.", examples=["30s"])
    unit: Literal["time", "tuples"] = "time"


class SpecIn(StrictModel):
    """A query as a spec."""

    model_config = ConfigDict(json_schema_extra={"examples": [_SPEC_EXAMPLE]})

    id: _Id | None = Field(default=None, description="Chosen by the caller; generated when absent.")
    stream: Annotated[str, StringConstraints(pattern=NAME_PATTERN, max_length=128)]
    aggregates: list[AggregateIn] = Field(min_length=1, max_length=MAX_AGGREGATES)
    window: WindowIn
    where: Annotated[str, StringConstraints(max_length=MAX_TEXT)] | None = Field(
        default=None, description="A predicate over the stream's columns, in Spark SQL."
    )
    group_by: list[_Name] = Field(default_factory=list, max_length=100)


class SqlIn(StrictModel):
    """A query as Spark SQL."""

    model_config = ConfigDict(json_schema_extra={"examples": [_SQL_EXAMPLE]})

    id: _Id | None = Field(default=None, description="Chosen by the caller; generated when absent.")
    sql: Annotated[str, StringConstraints(min_length=1, max_length=MAX_TEXT)]


def _form(value: Any) -> str:
    has_sql = "sql" in value if isinstance(value, dict) else isinstance(value, SqlIn)
    return SQL_TAG if has_sql else SPEC_TAG


QueryIn = Annotated[
    Annotated[SpecIn, Tag(SPEC_TAG)] | Annotated[SqlIn, Tag(SQL_TAG)],
    Discriminator(_form),
    Field(description="A spec, or Spark SQL."),
]


@dataclass(frozen=True, slots=True)
class Malformed:
    """What stands in a batch where a query should, and why it is none."""

    errors: tuple[FieldError, ...]


def _or_malformed(value: Any, handler: ValidatorFunctionWrapHandler) -> Any:
    """A query of a batch; one that is none is kept, so that a caller hears of all offending ones at once."""
    try:
        return handler(value)
    except ValidationError as error:
        return Malformed(
            tuple(field_errors(({**e, "loc": ("body", *e["loc"])} for e in error.errors()), value))
        )


class BatchIn(StrictModel):
    """Queries that are registered together or not at all."""

    queries: list[Annotated[QueryIn, WrapValidator(_or_malformed)]] = Field(
        min_length=1, max_length=MAX_BATCH
    )


class AggregateOut(BaseModel):
    """One aggregate, by its canonical name; column null is count(*)."""

    function: str
    column: str | None
    alias: str = Field(alias="as")


class WindowOut(BaseModel):
    """A sliding window in canonical form."""

    range: str
    slide: str
    unit: Literal["time"]


class NormalizedOut(BaseModel):
    """A query in its one form: what two ways of writing it have in common."""

    stream: str
    aggregates: list[AggregateOut]
    window: WindowOut
    where: str | None
    group_by: list[str]


class QueryOut(NormalizedOut):
    """A registered query."""

    id: str
    canonical: int = Field(description="Equal queries are computed once, under this number.")
    incarnation: str = Field(description="Another one when the id is deleted and taken again.")
    active_from: datetime | None = Field(
        description="It answers windows that start at or after this event time; null: all."
    )
    status: Literal["active", "pending"] = Field(
        description="pending: registered while the job ran, and not in its plan yet."
    )
    created: datetime


class QueryPage(BaseModel):
    """A page of queries in the order of their ids."""

    items: list[QueryOut]
    next: str | None


class BatchOut(BaseModel):
    """The queries of a batch in its order."""

    items: list[QueryOut]
    created: int
    unchanged: int = Field(description="Registered before, with the same id and the same text.")


class FieldErrorOut(BaseModel):
    """One offending field."""

    field: str
    message: str


class ValidationOut(BaseModel):
    """What registering the query would come to."""

    valid: bool
    errors: list[FieldErrorOut]
    normalized: NormalizedOut | None
    marginal_cost: float | None = Field(
        description="Aggregate operations per second that it adds to the stream's plan; null when not valid."
    )
