"""Edge spaces and the lattice against the Bit Set and F1 (rows I-17, I-18, I-19, T-06; X-03)."""

from __future__ import annotations

import math
import random
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from optimizer.edges.bitset import bitset_count
from optimizer.edges.bitset_space import BitSetSpace
from optimizer.edges.classes import ResidueClass, classes_of
from optimizer.edges.count import count_atoms, edge_count
from optimizer.edges.f1 import f1_density
from optimizer.edges.lattice import Lattice
from optimizer.edges.lattice_space import LatticeSpace
from optimizer.edges.sample import sampled_density
from optimizer.edges.space import Atoms, atom_of
from optimizer.edges.subset_space import SubsetSpace
from optimizer.model.window import Unit, Window

MODULI = (1, 2, 3, 4, 5, 6, 8, 9, 10, 12, 15, 16, 18, 20, 24, 25, 27, 30)

atoms = st.lists(
    st.sampled_from(MODULI).flatmap(lambda m: st.tuples(st.just(m), st.integers(0, m - 1))),
    min_size=1,
    max_size=7,
).map(lambda pairs: Atoms(*np.array(pairs, dtype=np.int64).T))


def random_classes(chance: random.Random) -> list[ResidueClass]:
    moduli = [chance.choice(MODULI) for _ in range(chance.randint(1, 7))]
    return [ResidueClass(modulus=m, residue=chance.randrange(m)) for m in moduli]


def test_I_17_I_18_I_19_f1_lattice_and_bit_set_agree_on_ten_thousand_class_sets():
    chance = random.Random(11)
    for _ in range(10_000):
        classes = random_classes(chance)
        marked, length = bitset_count(classes)
        lattice = Lattice.of(classes)
        assert lattice is not None
        assert (lattice.count(classes), lattice.length) == (marked, length)
        assert f1_density(classes, max_terms=10**6) == Fraction(marked, length)


@given(atoms, st.data())
@settings(deadline=None)
def test_I_19_all_spaces_give_the_same_rate_to_the_last_bit(given_, data):
    """Equal to the last bit, so that greedy merging breaks its ties alike and makes the same plan."""
    spaces = [LatticeSpace.of(given_), BitSetSpace(given_), SubsetSpace.of(given_)]
    rows = np.array(data.draw(st.lists(st.integers(0, len(given_) - 1), min_size=1, unique=True)))
    classes = [c for row in rows.tolist() for c in given_.classes(row)]
    expected = edge_count(classes)
    assert {space.rate(rows) for space in spaces} == {expected.edge_rate}
    assert count_atoms(given_.take(rows)).edge_rate == expected.edge_rate
    everything = spaces[0].rates(spaces[0].masks | spaces[0].masks[0])
    assert everything.tolist() == spaces[1].rates(spaces[1].masks | spaces[1].masks[0]).tolist()


@given(st.integers(1, 200), st.integers(1, 60), st.sampled_from(["pairs", "panes", "cutty"]))
def test_I_01_I_02_I_03_atoms_have_the_classes_of_their_windows(r, s, partials):
    atom = atom_of(np.array([r]), np.array([s]), partials)
    window = Window(range=r, slide=s, unit=Unit.ABSTRACT)
    assert set(atom.classes(0)) == set(classes_of(window, partials=partials))
    assert atom.rates[0] == pytest.approx(edge_count(atom.classes(0)).edge_rate)


def test_without_offsets_the_lattice_is_that_of_the_divisors():
    slides = [1000, 500, 250, 200, 100]
    lattice = Lattice.of([ResidueClass(modulus=s, residue=0) for s in slides])
    # Powers that no slide has are not told apart: 1, 2, 4, 8 of two and 1, 25, 125 of five.
    assert (lattice.length, lattice.size) == (1000, 4 * 3)
    assert lattice.weights.sum() == 1000


def test_composite_slides_beyond_floating_point_are_still_counted():
    primes = [1_000_003, 1_000_033, 1_000_037, 1_000_039]
    space = LatticeSpace.of(Atoms(np.array(primes), np.zeros(4, dtype=np.int64)))
    assert space.length is None
    expected = 1 - math.prod(1 - Fraction(1, p) for p in primes)
    assert space.rate(np.arange(4)) == pytest.approx(float(expected), rel=1e-12)


def test_too_many_cells_are_not_made():
    chance = random.Random(5)
    unrelated = [ResidueClass(modulus=chance.randrange(2, 9_999), residue=0) for _ in range(500)]
    assert Lattice.of(unrelated) is None
    assert Lattice.of([ResidueClass(modulus=2**61 - 1, residue=5)]) is None
    assert SubsetSpace.of(Atoms(np.arange(1, 40), np.zeros(39, dtype=np.int64))) is None


def test_subsets_are_exact_where_the_composite_slide_is_astronomic():
    chance = random.Random(6)
    moduli = np.array([chance.randrange(10**11, 10**12) for _ in range(6)])
    given_ = Atoms(moduli, moduli // 3)
    space = SubsetSpace.of(given_)
    for _ in range(20):
        rows = np.array(chance.sample(range(6), chance.randint(1, 6)))
        classes = [c for row in rows.tolist() for c in given_.classes(row)]
        expected = f1_density(classes, max_terms=10**6)
        assert space.rate(rows) == expected.numerator / expected.denominator


@pytest.mark.parametrize("dense", [False, True])
def test_sampled_bounds_hold_and_are_close(dense):
    """Against the exact count of classes that have one, drawn a hundred times over."""
    chance = random.Random(8)
    choices = [m for m in MODULI if m > 1] if dense else [210, 330, 462, 770, 1155, 2310]
    for _ in range(100):
        classes = list(
            {ResidueClass(modulus=m, residue=chance.randrange(m)) for m in chance.choices(choices, k=12)}
        )
        exact = edge_count(classes)
        assert exact.error is None
        low, high = sampled_density(classes, draws=4096)
        assert low <= exact.edge_rate <= high
        assert high - low <= (0.3 if dense else 0.2) * exact.edge_rate


def test_sampling_is_repeatable_and_sparser_classes_only_widen_the_bound():
    classes = [ResidueClass(modulus=m, residue=0) for m in (997, 1009, 2**40)]
    assert sampled_density(classes) == sampled_density(classes)
    low, high = sampled_density(classes[2:])
    assert (low, high) == (2**-40, 2**-40)


def test_hundreds_of_unrelated_slides_have_a_rate_within_a_stated_error():
    chance = random.Random(9)
    slides = np.unique([chance.randrange(500, 10_000) for _ in range(400)])
    found = count_atoms(Atoms(slides, np.zeros_like(slides)))
    assert found.edges is None and found.error is not None
    assert found.error < 0.05 * found.edge_rate
    # An independent count over a long stretch, which differs from the density by chance only.
    stretch = np.zeros(20_000_000, dtype=np.bool_)
    for slide in slides.tolist():
        stretch[::slide] = True
    assert abs(stretch.mean() - found.edge_rate) < found.error + 0.001


def test_hundreds_of_thousands_of_classes_over_a_short_composite_slide():
    chance = np.random.default_rng(3)
    slides = chance.choice([100_800, 50_400, 25_200, 7_200], size=200_000)
    found = count_atoms(Atoms(slides, chance.integers(0, slides)))
    assert (found.composite_slide, found.error) == (100_800, None)
    assert 0 < found.edges <= 100_800
