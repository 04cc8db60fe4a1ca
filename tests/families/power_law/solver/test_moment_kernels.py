"""Moments of power laws, against their definition."""

import numpy as np
import pytest

from rulekit.families.power_law.solver import moment_kernels
from rulekit.families.power_law.solver.laws import PowerTable
from rulekit.families.power_law.solver.moment_kernels import FLAT, moments


@pytest.mark.parametrize("size", [1, 2, 3])
def test_they_are_means_and_mean_products_of_the_scaled_power_laws(size):
    rng = np.random.default_rng(size)
    table = PowerTable(rng.uniform(0.2, 2.0, (83, 4)))
    structures = rng.integers(-3, 4, (20, size, 4)).astype(np.int8)
    structures[0, 0] = 0  # a power law that is 1 throughout
    weight = rng.uniform(0.5, 2.0, 83)
    inside = np.where(rng.random(83) < 0.4, weight, 0.0)
    found = moments(table.powers, structures, weight, inside)
    for k, structure in enumerate(structures):
        laws = table.laws(structure).values
        for (mean, second), rows in ((found[:2], weight), (found[2:], inside)):
            np.testing.assert_allclose(mean[k], laws @ rows / rows.sum(), atol=1e-9)
            expected = np.einsum("an,bn,n->ab", laws, laws, rows) / rows.sum()
            np.testing.assert_allclose(second[k], expected, atol=1e-9)
    assert found[0][0, 0] == 0.0


def test_constant_columns_are_the_same_as_in_power_laws():
    from rulekit.families.power_law.solver import laws

    assert laws.FLAT == FLAT == moment_kernels.FLAT
