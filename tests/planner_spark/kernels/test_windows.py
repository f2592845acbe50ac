"""Which windows are due, against going through all of them one by one."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from planner_spark.kernels.windows import due_windows, next_end

partials = st.lists(st.integers(-40, 220), max_size=12, unique=True).map(sorted)
windows = st.tuples(st.integers(1, 60), st.integers(1, 25))


def brute_force(ends: list[int], window_range: int, slide: int, after: int, until: int) -> list[int]:
    starts = []
    for k in range(-400, 400):
        begin, close = k * slide, k * slide + window_range
        if after < close <= until and any(begin < end <= close for end in ends):
            starts.append(begin)
    return starts


@given(ends=partials, window=windows, after=st.integers(-100, 300), length=st.integers(0, 300))
def test_t01_due_windows(ends, window, after, length):
    """X-21: half-open, start-aligned windows, any ratio of range and slide."""
    stored = np.array(ends, dtype=np.int64)
    found = due_windows(stored, window_range=window[0], slide=window[1], after=after, until=after + length)
    assert found.tolist() == brute_force(ends, *window, after, after + length)


@given(ends=partials.filter(bool), window=windows, after=st.integers(-100, 300))
def test_next_end_comes_before_every_later_answer(ends, window, after):
    """G-09: a timer at that time misses no window, and there is none when nothing is left to answer."""
    later = [s + window[0] for s in brute_force(ends, *window, after, 10_000)]
    found = next_end(ends[-1], window_range=window[0], slide=window[1], after=after)
    if later:
        assert found is not None
        assert after < found <= later[0]
