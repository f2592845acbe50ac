"""The options of Spark's file sources that may be set, checked here: Spark would refuse them, or read nothing
but NULL, only when the job has started."""

from __future__ import annotations

import re
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints

from optimizer.errors import InvalidInput
from optimizer.model.durations import format_duration, parse_duration

__all__ = ["FileOptions"]

_LONGEST = {
    "G": 4, "y": 6, "M": 4, "L": 4, "d": 2, "D": 3, "H": 2, "h": 2, "K": 2, "k": 2, "m": 2, "s": 2, "S": 9, "a": 1,
    "z": 4, "X": 5, "x": 5, "Z": 5,
}  # fmt: skip
"""Letters of Spark's patterns that can be parsed, and how often each may be repeated; also VV, O and OOOO."""
_DATE_LETTERS = frozenset("GyMLdD")
_EXACT_RUNS = {"VV", "O", "OOOO"}
_PIECE = re.compile(r"'(?:[^']|'')*'|(?P<run>(?P<letter>[A-Za-z])(?P=letter)*)|[^A-Za-z']", re.DOTALL)


def _age(text: str) -> str:
    try:
        micros = parse_duration(text)
    except InvalidInput as error:
        raise ValueError(error.errors[0].message) from None
    if micros <= 0:
        raise ValueError("must be positive")
    return format_duration(micros)


def _character(text: str) -> str:
    # One character is one unit of UTF-16 to Spark, and a line's end ends the line before anything else.
    if len(text) != 1 or ord(text) > 0xFFFF or text in "\r\n":
        raise ValueError("must be one character, and not the end of a line")
    return text


def _glob(text: str) -> str:
    """The pattern, if Hadoop can read it: names with ``*``, ``?``, ``[a-z]`` and ``{one,other}``."""
    if "/" in text:
        raise ValueError("is matched with names of files, so it must not contain /")
    depth, inside, escaped = 0, "", False
    for character in text:
        if escaped:
            escaped = False
            inside += character if inside else ""
        elif character == "\\":
            escaped = True
        elif inside:
            # A bracket right after the opening one stands for itself.
            inside = "" if character == "]" and inside not in ("[", "[^", "[!") else inside + character
        elif character == "[":
            inside = "["
        elif character in "{}":
            depth = max(depth + (1 if character == "{" else -1), 0)
    if depth or inside or escaped:
        raise ValueError("has a [, { or \\ that nothing closes")
    return text


def _pattern(letters: frozenset[str] | None, text: str) -> str:
    position, depth, any_letter = 0, 0, False
    while position < len(text):
        piece = _PIECE.match(text, position)
        if piece is None:
            raise ValueError("has a quote that nothing closes")
        run, sign = piece["run"], piece[0]
        if run:
            any_letter = True
            known = run in _EXACT_RUNS or len(run) <= _LONGEST.get(run[0], 0)
            if not known or (letters is not None and run[0] not in letters):
                raise ValueError(f"{run[:20]!r} cannot be parsed: write a pattern such as yyyy-MM-dd")
        elif sign in "#{}":
            raise ValueError(f"{sign!r} has no meaning in a pattern: quote it")
        elif sign in "[]":
            depth += 1 if sign == "[" else -1
            if depth < 0:
                raise ValueError("has a ] that nothing opens")
        position = piece.end()
    if depth or not any_letter:
        raise ValueError(
            "has a [ that nothing closes" if depth else "must name a part of a time, such as yyyy"
        )
    return text


_Text = Annotated[str, StringConstraints(min_length=1, max_length=256)]
_Character = Annotated[str, StringConstraints(min_length=1, max_length=1), AfterValidator(_character)]


class FileOptions(BaseModel):
    """The options of Spark's file sources that may be set: none that reads elsewhere or runs code."""

    model_config = ConfigDict(strict=True, extra="forbid")

    maxFilesPerTrigger: Annotated[int, Field(ge=1, le=1_000_000)] | None = None  # noqa: N815  (Spark's name)
    maxBytesPerTrigger: Annotated[int, Field(ge=1, le=2**53)] | None = Field(  # noqa: N815
        default=None, description="Not together with maxFilesPerTrigger."
    )
    latestFirst: bool | None = None  # noqa: N815
    maxFileAge: Annotated[_Text, AfterValidator(_age)] | None = Field(  # noqa: N815
        default=None, description="A duration.", examples=["7d"]
    )
    recursiveFileLookup: bool | None = None  # noqa: N815
    pathGlobFilter: Annotated[_Text, AfterValidator(_glob)] | None = Field(  # noqa: N815
        default=None, description="Which names of files are read.", examples=["*.csv"]
    )
    header: bool | None = Field(default=None, description="csv: the first line names the columns.")
    sep: _Character | None = Field(default=None, description="csv: what separates columns.")
    delimiter: _Character | None = Field(default=None, description="csv: another name of sep.")
    quote: _Character | None = Field(default=None, description="csv: what quotes values.")
    escape: _Character | None = Field(default=None, description="csv: what escapes quotes.")
    nullValue: Annotated[str, StringConstraints(max_length=256)] | None = None  # noqa: N815
    multiLine: bool | None = None  # noqa: N815
    timestampFormat: Annotated[_Text, AfterValidator(lambda t: _pattern(None, t))] | None = Field(  # noqa: N815
        default=None, description="csv, json: a pattern of Spark's.", examples=["yyyy-MM-dd HH:mm:ss"]
    )
    dateFormat: Annotated[_Text, AfterValidator(lambda t: _pattern(_DATE_LETTERS, t))] | None = Field(  # noqa: N815
        default=None, description="csv, json: a pattern of Spark's.", examples=["dd.MM.yyyy"]
    )
