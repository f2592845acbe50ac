"""Times in parameters are ISO-8601 in UTC."""

from __future__ import annotations

import pytest
from pydantic import TypeAdapter, ValidationError

from app.http.times import IsoTime

read = TypeAdapter(IsoTime).validate_python


@pytest.mark.parametrize("text", ["2025-01-31T12:00:00Z", "2025-01-31T12:00:00", "2025-01-31T14:00:00+02:00"])
def test_times_are_read_in_utc(text):
    assert read(text).isoformat() == "2025-01-31T12:00:00+00:00"


@pytest.mark.parametrize(
    "text", ["0.5", "1738324800", "", "soon", "0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-12:00"]
)
def test_numbers_and_impossible_times_are_refused(text):
    with pytest.raises(ValidationError):
        read(text)
