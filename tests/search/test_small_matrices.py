"""Small matrices against LAPACK."""

import numpy as np
import pytest
from scipy import linalg

from rulekit.search.small_matrices import narrowest, solved


def test_consistent_overdetermined_equations_are_solved():
    rng = np.random.default_rng(0)
    A, x = rng.standard_normal((50, 7, 4)), rng.standard_normal((50, 4, 2))
    A[:, 0] = 0.0  # an equation that says nothing comes first
    np.testing.assert_allclose(solved(A, np.einsum("kmn,knr->kmr", A, x)), x, atol=1e-11)


@pytest.mark.parametrize("p", [1, 2, 3, 5])
def test_the_narrowest_direction_has_the_least_generalised_eigenvalue(p):
    rng = np.random.default_rng(p)
    own, around = (np.einsum("kan,kbn->kab", B, B) for B in rng.standard_normal((2, 40, p, 2 * p)))
    given = own.copy()
    w, share = narrowest(own, around)
    assert (own == given).all()
    least = [linalg.eigh(a, b, eigvals_only=True)[0] for a, b in zip(own, around, strict=True)]
    np.testing.assert_allclose(share, least, rtol=1e-9)
    np.testing.assert_allclose(np.einsum("ka,kab,kb->k", w, own, w), least, rtol=1e-9)
    np.testing.assert_allclose(np.einsum("ka,kab,kb->k", w, around, w), 1.0, rtol=1e-9)
