"""The shortest formula: against trying every set of primes, and against SymPy."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sympy import symbols
from sympy.logic import And, Not, Or, simplify_logic

from rulekit.families.ideal_dnf.solver.prime_implicants import minimum_dnf, prime_implicants
from tests.reference import prime_implicants as plain


def random_table(k, free, seed):
    rng = np.random.default_rng(seed)
    open_, yes = rng.random(2**k) < free, rng.random(2**k) < 0.5
    return yes & ~open_, ~yes & ~open_


@st.composite
def truth_tables(draw, max_columns):
    k = draw(st.integers(0, max_columns))
    return random_table(k, draw(st.sampled_from((0.0, 0.4, 0.9))), draw(st.integers(0, 2**16)))


@given(truth_tables(5))
def test_primes_equal_quine_mccluskey(table):
    on, off = table
    names = {tuple(cube) for cube in prime_implicants(on, off).tolist()}
    assert names == plain.primes(on.tolist(), off.tolist())


@given(truth_tables(3))
def test_no_set_of_primes_is_cheaper(table):
    on, off = table
    formula = minimum_dnf(on, off)
    assert formula.proved
    assert formula.cost == plain.least_cost(on.tolist(), off.tolist())
    assert formula.cost == plain.cost(formula.cubes.tolist())


@given(truth_tables(8))
def test_the_formula_is_right_on_every_type_that_is_on_or_off(table):
    on, off = table
    holds = minimum_dnf(on, off).holds()
    assert holds[on].all()
    assert not holds[off].any()


def sympy_cost(on, k):
    """Terms plus literals, and literals, of SymPy's simplified formula."""
    names = symbols(f"x0:{k}")
    terms = [
        And(*(n if (code >> (k - 1 - j)) & 1 else Not(n) for j, n in enumerate(names)))
        for code in np.flatnonzero(on).tolist()
    ]
    formula = simplify_logic(Or(*terms), form="dnf", force=True)
    if formula in (True, False):
        return int(formula == True), 0  # noqa: E712  SymPy's truth is an object of its own
    parts = formula.args if isinstance(formula, Or) else (formula,)
    literals = sum(len(part.args) if isinstance(part, And) else 1 for part in parts)
    return len(parts) + literals, literals


SIZES = [(k, seed) for k in (2, 3, 4, 5, 6) for seed in range(21)] + [(7, 0), (7, 1), (8, 0)]


def assert_no_longer_than_sympy(k, seed):
    on, _ = random_table(k, 0.4, seed)
    formula = minimum_dnf(on, ~on)
    cost, literals = sympy_cost(on, k)
    assert formula.proved
    assert formula.cost <= cost
    assert (formula.cubes >= 0).sum() <= literals
    np.testing.assert_array_equal(formula.holds(), on)


@pytest.mark.parametrize("k", [2, 3, 4, 5, 6, 7, 8])
def test_formula_is_not_longer_than_sympys(k):
    for size, seed in SIZES:
        if size == k:
            assert_no_longer_than_sympy(k, seed)


@pytest.mark.paper  # SymPy takes seconds for each of these
@pytest.mark.parametrize(("k", "seed"), [(9, 0), (9, 1), (10, 0), (10, 1)])
def test_long_formula_is_not_longer_than_sympys(k, seed):
    assert_no_longer_than_sympy(k, seed)


def test_don_t_cares_never_make_a_formula_longer():
    for seed in range(20):
        on, off = random_table(6, 0.4, seed)
        assert minimum_dnf(on, off).cost <= minimum_dnf(on, ~on).cost


@pytest.mark.slow
def test_when_time_is_up_the_formula_is_right_and_its_bound_holds():
    on, off = random_table(10, 0.4, 1)
    hurried, best = minimum_dnf(on, off, time_limit=1e-3), minimum_dnf(on, off)
    assert hurried.holds()[on].all()
    assert not hurried.holds()[off].any()
    assert hurried.bound <= best.cost <= hurried.cost


def test_constant_truth_tables_have_constant_formulas():
    none = np.zeros(8, dtype=bool)
    assert minimum_dnf(none, ~none).cubes.shape == (0, 3)
    assert minimum_dnf(~none, none).cubes.tolist() == [[-1, -1, -1]]
    assert minimum_dnf(none, none).cost == 0
    assert minimum_dnf(np.array([True]), np.array([False])).cubes.shape == (1, 0)
    assert minimum_dnf(np.array([False]), np.array([True])).cubes.shape == (0, 0)
