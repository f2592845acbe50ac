"""Where edges lie and how many there are (V-01, V-03, V-04, V-05, V-09).

Rows T-04, T-06, I-01, I-02, I-03, I-04, I-17, I-18, I-19.
"""

from __future__ import annotations

import math
import random
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from optimizer.edges import (
    EdgeCount,
    ResidueClass,
    classes_of,
    edge_count,
    partials_per_window,
    reduce_classes,
)
from optimizer.edges.bitset import bitset_count
from optimizer.edges.estimate import density_bounds
from optimizer.edges.f1 import f1_density, intersect
from optimizer.model.window import Unit, Window

MS = 1_000


def window(r: int, s: int) -> Window:
    return Window(range=r * MS, slide=s * MS)


def small(r: int, s: int) -> Window:
    """A window whose numbers are those of the vectors."""
    return Window(range=r, slide=s, unit=Unit.TUPLES)


def edges_until(windows: list[Window], last: int, partials="pairs") -> list[int]:
    classes = [c for w in windows for c in classes_of(w, partials=partials)]
    return [x for x in range(1, last + 1) if any(x % c.modulus == c.residue for c in classes)]


def pairs(*windows: tuple[int, int]) -> list[ResidueClass]:
    return [c for w in windows for c in classes_of(small(*w), partials="pairs")]


def multiples(*slides: int) -> list[ResidueClass]:
    return [ResidueClass(modulus=s, residue=0) for s in slides]


residue_classes = st.integers(1, 24).flatmap(
    lambda m: st.builds(ResidueClass, modulus=st.just(m), residue=st.integers(0, m - 1))
)
class_sets = st.lists(residue_classes, min_size=1, max_size=8)


@pytest.mark.parametrize(
    ("windows", "expected"),
    [
        ([(8, 5)], [3, 5, 8, 10, 13, 15, 18, 20]),
        ([(5, 4)], [1, 4, 5, 8, 9, 12, 13, 16, 17, 20]),
        ([(8, 5), (5, 4)], [1, 3, 4, 5, 8, 9, 10, 12, 13, 15, 16, 17, 18, 20]),
        ([(14, 8)], [6, 8, 14, 16]),
        ([(3, 5)], [3, 5, 8, 10, 13, 15, 18, 20]),
    ],
)
def test_T_04_I_02_V_01_pairs_edges_are_start_aligned(windows, expected):
    found = edges_until([small(*w) for w in windows], 20)
    assert [x for x in found if x <= expected[-1]] == expected


def test_T_04_a_range_that_is_a_multiple_of_the_slide_has_one_fragment_per_slide():
    assert classes_of(window(60, 10), partials="pairs") == (ResidueClass(modulus=10 * MS, residue=0),)
    assert window(60, 10).overlap == 6


@given(st.integers(1, 60), st.integers(1, 40), st.integers(0, 5))
def test_X_21_every_window_begins_and_ends_at_an_edge(r, s, k):
    w = small(r, s)
    for rule in ("pairs", "panes"):
        classes = classes_of(w, partials=rule)
        for bound in (k * s, k * s + r):
            assert any(bound % c.modulus == c.residue for c in classes)


@pytest.mark.parametrize(
    ("shape", "panes", "paired", "cutty"),
    [
        ((4, 1), 4, 4, 4), ((14, 8), 7, 3, 2), ((5, 3), 5, 3, 2), ((8, 5), 8, 3, 2), ((5, 4), 5, 3, 2),
        ((6, 2), 3, 3, 3), ((8, 4), 2, 2, 2), ((12, 3), 4, 4, 4), ((3, 5), 3, 1, 1),
    ],
)  # fmt: skip
def test_I_01_I_02_I_03_I_04_V_09_partials_per_window(shape, panes, paired, cutty):
    w = small(*shape)
    assert partials_per_window(w, partials="panes") == panes
    assert partials_per_window(w, partials="pairs") == paired
    assert partials_per_window(w, partials="cutty") == cutty


@given(st.integers(1, 60), st.integers(1, 40))
def test_I_04_V_09_partials_per_window_are_the_fragments_in_it(r, s):
    w = small(r, s)
    for rule in ("panes", "pairs"):
        assert partials_per_window(w, partials=rule) == len(edges_until([w], r, rule))
    starts = [x for x in range(r) if x % s == 0]
    assert partials_per_window(w, partials="cutty") == len(starts)


@pytest.mark.parametrize(
    ("slides", "composite", "edges"),
    [
        ((2, 4), 4, 2), ((5, 4), 20, 8), ((5, 4, 1), 20, 20), ((2, 3), 6, 4), ((2, 3, 4), 12, 8),
        ((3, 5, 7), 105, 57), ((2, 2), 2, 1), ((6, 10, 15), 30, 8),
    ],
)  # fmt: skip
def test_I_18_T_06_V_03_f1_over_slides(slides, composite, edges):
    assert f1_density(multiples(*slides)) == Fraction(edges, composite)
    assert edge_count(multiples(*slides)) == EdgeCount(
        edge_rate=edges / composite, edges=edges, composite_slide=composite, error=None
    )


@pytest.mark.parametrize(("windows", "edges"), [([(8, 5), (5, 4)], 14), ([(8, 5)], 8), ([(5, 4)], 10)])
def test_I_19_T_06_V_04_f1_with_offsets(windows, edges):
    assert f1_density(pairs(*windows)) == Fraction(edges, 20)
    assert edge_count(pairs(*windows)).edge_rate == edges / 20


def test_T_06_V_05_the_composite_slide_is_the_lcm_of_the_slides_also_of_those_that_add_no_edge():
    found = edge_count(pairs((6, 2), (8, 4)))
    assert (found.composite_slide, found.edges, found.edge_rate) == (4, 2, 0.5)


@given(class_sets)
@settings(max_examples=300, deadline=None)
def test_I_17_I_18_I_19_f1_equals_the_bit_set(classes):
    marked, length = bitset_count(classes)
    assert f1_density(classes, max_terms=10**6) == Fraction(marked, length)
    assert edge_count(classes) == EdgeCount(
        edge_rate=marked / length, edges=marked, composite_slide=length, error=None
    )


@given(residue_classes, residue_classes)
def test_I_19_an_intersection_has_the_common_members(one, two):
    found = intersect(one, two)
    length = math.lcm(one.modulus, two.modulus)
    common = [x for x in range(length) if x % one.modulus == one.residue and x % two.modulus == two.residue]
    assert common == ([] if found is None else [found.residue])
    assert found is None or found.modulus == length


@given(class_sets)
def test_reduction_keeps_the_edges_and_leaves_no_class_inside_another(classes):
    reduced = reduce_classes(classes)
    length = math.lcm(*(c.modulus for c in classes))
    members = {x for c in classes for x in range(c.residue, length, c.modulus)}
    assert members == {x for c in reduced for x in range(c.residue, length, c.modulus)}
    assert not any(a != b and a.contains(b) for a in reduced for b in reduced)


@given(class_sets, st.sampled_from([1, 10, 100, 10**6]))
def test_bounds_are_certain(classes, longest):
    marked, length = bitset_count(classes)
    low, high = density_bounds(classes, longest=longest)
    assert low - 1e-12 <= marked / length <= high + 1e-12


def test_f1_stops_at_its_cap_instead_of_expanding():
    primes = [101, 103, 107, 109, 113, 127, 131, 137, 139, 149, 151, 157, 163]
    assert f1_density(multiples(*primes), max_terms=100) is None
    assert f1_density(multiples(*primes), max_terms=10_000) is not None


def test_coprime_slides_are_exact_although_their_composite_slide_is_astronomic():
    primes = [p for p in range(1_000, 2_000) if all(p % d for d in range(2, 45))]
    found = edge_count(multiples(*primes))
    assert found.edges is None
    assert found.error is not None and found.error < 1e-15
    assert found.edge_rate == pytest.approx(1 - math.prod(1 - 1 / p for p in primes), rel=1e-12)


def test_unrelated_slides_get_an_interval_and_not_a_guess():
    chosen = random.Random(3)
    classes = [
        c
        for _ in range(10_000)
        for c in classes_of(
            window(chosen.randrange(1, 10**6), chosen.randrange(10**4, 10**8)), partials="pairs"
        )
    ]
    found = edge_count(classes)
    assert found.error is not None and found.edges is None and found.composite_slide is None
    assert found.edge_rate > found.error
    assert found.edge_rate + found.error <= 1


def test_ten_thousand_structured_queries_are_exact():
    chosen = random.Random(4)
    slides = (10, 15, 20, 30, 60, 90, 300, 600, 900, 1800, 3600)
    windows = [window(1000 * chosen.randrange(1, 9000), 1000 * chosen.choice(slides)) for _ in range(10_000)]
    classes = [c for w in windows for c in classes_of(w, partials="pairs")]
    found = edge_count(classes)
    marked, length = bitset_count(
        {ResidueClass(modulus=c.modulus // 10**6, residue=c.residue // 10**6) for c in classes}
    )
    assert (found.edges, found.composite_slide, found.error) == (marked, length * 10**6, None)


def test_no_edges_at_all():
    assert edge_count([]).edge_rate == 0.0


def test_a_class_is_a_residue_of_its_modulus():
    with pytest.raises(ValueError, match="residue"):
        ResidueClass(modulus=3, residue=3)
