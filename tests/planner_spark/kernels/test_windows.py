"""Which windows are due and what they contain, against going through all of them one by one."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from planner_spark.kernels.windows import contained, due_windows, next_end

fragments = st.lists(st.tuples(st.integers(-50, 200), st.integers(1, 20)), min_size=0, max_size=12).map(
    lambda bounds: sorted({(start + length, start) for start, length in bounds})
)
windows = st.tuples(st.integers(1, 60), st.integers(1, 25))


def brute_force(
    bounds: list[tuple[int, int]], window_range: int, slide: int, after: int, until: int
) -> list[int]:
    starts = []
    for k in range(-400, 400):
        begin, end = k * slide, k * slide + window_range
        holds = any(begin <= start and stop <= end for stop, start in bounds)
        if after < end <= until and holds:
            starts.append(begin)
    return starts


@given(bounds=fragments, window=windows, after=st.integers(-100, 300), length=st.integers(0, 300))
def test_t01_due_windows(bounds, window, after, length):
    """X-21: half-open, start-aligned windows, any ratio of range and slide."""
    starts = np.array([s for _, s in bounds], dtype=np.int64)
    ends = np.array([e for e, _ in bounds], dtype=np.int64)
    found = list(
        due_windows(starts, ends, window_range=window[0], slide=window[1], after=after, until=after + length)
    )
    assert found == brute_force(bounds, *window, after, after + length)


@given(bounds=fragments, begin=st.integers(-60, 220), length=st.integers(1, 60))
def test_contained_fragments(bounds, begin, length):
    starts = np.array([s for _, s in bounds], dtype=np.int64)
    ends = np.array([e for e, _ in bounds], dtype=np.int64)
    chosen = np.arange(len(ends))[contained(starts, ends, begin, begin + length)].tolist()
    assert chosen == [i for i, (e, s) in enumerate(bounds) if s >= begin and e <= begin + length]


@given(bounds=fragments.filter(bool), window=windows, after=st.integers(-100, 300))
def test_next_end_comes_before_every_later_answer(bounds, window, after):
    """G-09: a timer at that time misses no window, and there is none when nothing is left to answer."""
    starts = np.array([s for _, s in bounds], dtype=np.int64)
    later = [s + window[0] for s in brute_force(bounds, *window, after, 10_000)]
    found = next_end(starts, window_range=window[0], slide=window[1], after=after)
    if later:
        assert found is not None
        assert after < found <= later[0]
