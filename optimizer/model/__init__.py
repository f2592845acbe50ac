"""The model: aggregate continuous queries as frozen values that are valid when they exist.

| module | what it holds |
|---|---|
| ``durations`` | durations as people write them, as whole microseconds inside |
| ``schema`` | a stream's columns and their types |
| ``window`` | range and slide, by time or by tuples |
| ``aggregates`` | lift, combine, lower; what an aggregate is capable of |
| ``predicate``, ``parse_predicate`` | WHERE as canonical SQL that never raises |
| ``expressions`` | the scalar expressions that predicates are made of |
| ``acq`` | the query itself |

``parse_predicate`` is imported from its module, so that a Spark executor that only needs the values does not
load a SQL parser.
"""

from __future__ import annotations

from optimizer.model.acq import Acq, AggregateCall
from optimizer.model.aggregates import AGGREGATES, Aggregate, find_aggregate
from optimizer.model.durations import format_duration, parse_duration
from optimizer.model.predicate import Predicate
from optimizer.model.schema import Column, ColumnType, Kind, Schema
from optimizer.model.window import Unit, Window

__all__ = [
    "AGGREGATES", "Acq", "Aggregate", "AggregateCall", "Column", "ColumnType", "Kind", "Predicate", "Schema",
    "Unit", "Window", "find_aggregate", "format_duration", "parse_duration",
]  # fmt: skip
