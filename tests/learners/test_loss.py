"""Wrong answers are counted as shares of weight, or as what they cost a hundred cases."""

import numpy as np
import pytest

from rulekit.data import Costs
from rulekit.learners.choice import Loss

Y = np.array(["yes", "no", "no", "yes"], dtype=object)
WEIGHT = np.array([1.0, 2.0, 3.0, 4.0])
ANSWERS = np.array(["no", "yes", "no", "yes"], dtype=object)


def test_plain_losses_are_weighted_shares_with_a_fixed_price():
    loss = Loss(Y, WEIGHT)
    assert loss.of(np.arange(4), ANSWERS) == pytest.approx(3 / 10)
    assert loss.of(np.array([0, 3]), ANSWERS[[0, 3]]) == pytest.approx(1 / 5)
    assert (loss.measure, loss.price, loss.text(0.1234)) == ("test_error", 0.002, "12.3 %")


def test_costs_are_reported_per_100_cases_with_proportional_price():
    loss = Loss(Y, WEIGHT, Costs(5, 2, "EUR").settled(["no", "yes"]))
    assert loss.of(np.arange(4), ANSWERS) == pytest.approx(100 * (1 * 5 + 2 * 2) / 10)
    assert (loss.measure, loss.text(12.34)) == ("test_cost_per_100", "12.3 EUR a 100 cases")
    assert loss.price == pytest.approx(0.2 * (5 * 5 + 5 * 2) / 10)
