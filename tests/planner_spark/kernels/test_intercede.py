"""Intercede-aggregation and the keys of a shard: what is held, and for how long."""

from __future__ import annotations

import numpy as np
import pytest

from planner_spark.kernels.history import History
from planner_spark.kernels.intercede import Intercede
from planner_spark.kernels.keyspace import KeySpace
from planner_spark.kernels.lanes import CountLane

ROWS = CountLane(column="*")
Q_A = ((0, 5), (3, 5))
"""Edges of (8, 5)."""
Q_B = ((0, 4), (1, 4))
"""Edges of (5, 4)."""


def fragments(*ends: int) -> tuple[np.ndarray, np.ndarray, dict[str, np.ndarray]]:
    """A fragment for each end; what it counts tells it from the others."""
    times = np.array(ends)
    return times, np.zeros(len(ends), dtype=np.int64), {"count:*": 10 ** np.arange(len(ends))}


def test_t10_v02_fragments_are_coalesced_at_each_groups_own_edges():
    """V-02: fragments end at 1, 3, 4, 5, 8; q_a has edges 3, 5, 8, q_b has 1, 4, 5, 8 (T-10, T-22)."""
    view = Intercede((ROWS,))
    view.arrange(np.array([-1]))
    a, b = view.subscribe(), view.subscribe()
    view.append(*fragments(1, 3, 4, 5, 8))
    assert view.references() == [2, 2, 2, 2, 2]

    def read(reader: int, classes: tuple[tuple[int, int], ...], until: int) -> dict[int, int]:
        ends, found = view.coalesce(reader, classes, until)
        return dict(zip(ends.tolist(), found["count:*"][0][:, 0].tolist(), strict=True))

    assert read(b, Q_B, 3) == {1: 1}
    assert read(a, Q_A, 3) == {3: 11}
    assert view.references() == [0, 1, 2, 2, 2]
    assert read(b, Q_B, 4) == {4: 110}
    assert read(a, Q_A, 8) == {5: 1_100, 8: 10_000}
    assert read(b, Q_B, 8) == {5: 1_000, 8: 10_000}
    assert view.operations == 2 * 5
    view.free()
    assert view.references() == []
    assert len(view.ends) == 0


def test_t22_a_fragment_waits_for_the_slowest_reader():
    view = Intercede((ROWS,))
    view.arrange(np.array([-1]))
    fast, slow = view.subscribe(), view.subscribe()
    view.append(*fragments(1, 2, 3))
    view.coalesce(fast, ((0, 1),), 3)
    view.free()
    assert view.ends.tolist() == [1, 2, 3]
    ends, found = view.coalesce(slow, ((0, 3),), 3)
    assert (ends.tolist(), found["count:*"][0].tolist()) == ([3], [[111]])
    view.free()
    assert view.ends.tolist() == []


def test_rows_of_one_key_and_fragment_are_rolled_up():
    """A view adds up what differs only in signature or in attributes that it does not group by."""
    view = Intercede((ROWS,))
    view.arrange(np.array([-1, -1]))
    reader = view.subscribe()
    ends, keys = np.array([5, 5, 5, 9]), np.array([0, 1, 0, 1])
    view.append(ends, keys, {"count:*": np.array([1, 2, 4, 8])})
    found_ends, found = view.coalesce(reader, ((0, 1),), 10)
    assert found_ends.tolist() == [5, 9]
    assert found["count:*"][0].tolist() == [[5, 2], [0, 8]]


def test_history_takes_as_much_room_as_is_retained():
    """G-14: a stretch of positions that moves on for ever is kept in arrays of constant size."""
    history = History(ROWS.parts, keys=3)
    for position in range(5_000):
        history.append((np.full((1, 3), position),))
        history.evict(position - 20)
    assert history.rows(4_979, 5_000)[0][:, 0].tolist() == list(range(4_979, 5_000))
    assert sum(array.nbytes for array in history._arrays) <= 64 * 3 * 8


def test_history_starts_later_only_when_nothing_is_retained():
    history = History(ROWS.parts, keys=1)
    history.append((np.array([[7]]),))
    with pytest.raises(ValueError, match="retained"):
        history.start_at(5)
    history.evict(1)
    history.start_at(5)
    history.append((np.array([[8]]),))
    assert history.row(5)[0].tolist() == [8]


def test_keys_are_numbered_once_and_forgotten_when_idle():
    space = KeySpace((1,))
    first = space.number(['["x","a"]', '["y","b"]', '["z","a"]'])
    assert first.tolist() == [0, 1, 0]
    assert space.grown().tolist() == [-1, -1]
    assert space.values(0) == ["a", "b"]
    many = [f'["x","k{i}"]' for i in range(200)]
    numbers = space.number(many)
    assert numbers.tolist() == list(range(2, 202))
    space.grown()
    space.touch(first, np.array([100, 100, 100]))
    space.touch(numbers, np.full(200, 10))
    version = space.version
    assert space.without_idle(9) is None
    assert space.without_idle(50).tolist() == [0, 1]
    assert space.version > version
    assert space.values(0) == ["a", "b"]
    assert space.number(['["x","k7"]', '["q","b"]']).tolist() == [2, 1]
