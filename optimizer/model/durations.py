"""Durations as people write them, as whole microseconds inside.

Accepted: ``90s``, ``250ms``, ``1 minute``, ``2 minutes 30 seconds``, ``PT5M``. Months and years have no fixed
length and are refused. Spark's watermark moves in milliseconds, so a duration is a whole number of them.
"""

from __future__ import annotations

import re
from fractions import Fraction

from optimizer.errors import InvalidInput

__all__ = ["MICROS", "format_duration", "parse_duration"]

MICROS = {"d": 86_400_000_000, "h": 3_600_000_000, "m": 60_000_000, "s": 1_000_000, "ms": 1_000}
"""Microseconds per canonical unit, longest first."""

_UNITS = {
    "w": 7 * MICROS["d"], "week": 7 * MICROS["d"], "weeks": 7 * MICROS["d"],
    "d": MICROS["d"], "day": MICROS["d"], "days": MICROS["d"],
    "h": MICROS["h"], "hour": MICROS["h"], "hours": MICROS["h"], "hr": MICROS["h"], "hrs": MICROS["h"],
    "m": MICROS["m"], "min": MICROS["m"], "mins": MICROS["m"], "minute": MICROS["m"], "minutes": MICROS["m"],
    "s": MICROS["s"], "sec": MICROS["s"], "secs": MICROS["s"], "second": MICROS["s"], "seconds": MICROS["s"],
    "ms": MICROS["ms"], "millis": MICROS["ms"], "millisecond": MICROS["ms"], "milliseconds": MICROS["ms"],
    "us": 1, "microsecond": 1, "microseconds": 1,
}  # fmt: skip
_CALENDAR = {"mo", "mon", "month", "months", "y", "yr", "year", "years"}
_PART = re.compile(r"\s*([0-9]{1,18}(?:\.[0-9]{1,9})?)\s*([a-z]+)\s*", re.ASCII)
_ISO = re.compile(
    r"p(?:(?P<y>[0-9.]+)y)?(?:(?P<mo>[0-9.]+)m)?(?:(?P<w>[0-9.]+)w)?(?:(?P<d>[0-9.]+)d)?"
    r"(?:t(?:(?P<h>[0-9.]+)h)?(?:(?P<m>[0-9.]+)m)?(?:(?P<s>[0-9.]+)s)?)?",
    re.ASCII,
)
_WANTED = 'write a duration such as "90s", "5m", "1h", "250ms", "1 minute" or "PT5M"'
_LONGEST_TEXT = 100


def parse_duration(text: str, *, field: str = "duration") -> int:
    """The duration in microseconds; ``field`` is named in the error.

    >>> parse_duration("1 minute") == parse_duration("PT1M") == parse_duration("60s") == 60_000_000
    True
    """
    if not isinstance(text, str):
        raise InvalidInput.at(field, _WANTED)
    lowered = text.strip().lower().removeprefix("interval ").strip().strip("'")
    if not lowered or len(lowered) > _LONGEST_TEXT:
        raise InvalidInput.at(field, _WANTED)
    parts = _iso_parts(lowered) if lowered.startswith("p") else _plain_parts(lowered)
    if not parts:
        raise InvalidInput.at(field, _WANTED)
    total = Fraction(0)
    for number, unit in parts:
        if unit in _CALENDAR:
            raise InvalidInput.at(field, "months and years have no fixed length: use days or shorter")
        if unit not in _UNITS:
            raise InvalidInput.at(field, f"unknown unit {unit!r}: {_WANTED}")
        total += Fraction(number) * _UNITS[unit]
    if total.denominator != 1 or int(total) % MICROS["ms"]:
        raise InvalidInput.at(field, "must be a whole number of milliseconds")
    return int(total)


def format_duration(micros: int) -> str:
    """The canonical form: one number and the longest unit that divides it.

    >>> [format_duration(m) for m in (90_000_000, 300_000_000, 250_000, 0)]
    ['90s', '5m', '250ms', '0s']
    """
    if micros == 0:
        return "0s"
    for unit, size in MICROS.items():
        if micros % size == 0:
            return f"{micros // size}{unit}"
    raise ValueError(f"{micros} microseconds are not a whole number of milliseconds")


def _plain_parts(text: str) -> list[tuple[str, str]]:
    parts, position = [], 0
    while position < len(text):
        found = _PART.match(text, position)
        if found is None:
            return []
        parts.append((found[1], found[2]))
        position = found.end()
    return parts


def _iso_parts(text: str) -> list[tuple[str, str]]:
    found = _ISO.fullmatch(text)
    if found is None:
        return []
    parts = [(number, unit) for unit, number in found.groupdict().items() if number is not None]
    well_formed = all(re.fullmatch(r"[0-9]{1,18}(\.[0-9]{1,9})?", number) for number, _ in parts)
    return parts if well_formed else []
