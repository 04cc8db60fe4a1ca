"""Units that convert into each other."""

from fractions import Fraction

import pytest

from rulekit.data.cells.units import multiply, unit_ratio

RATIOS = {("g", "kg"): Fraction(1, 1000), ("hrs", "min"): 60, ("mg/dL", "mg/dl"): 1}
DIFFERENT = dict.fromkeys([("USD", "$"), ("m", "min"), ("mg/dl", "mmol/l")])


@pytest.mark.parametrize(("units", "ratio"), (RATIOS | DIFFERENT).items())
def test_only_units_of_one_quantity_convert(units, ratio):
    assert unit_ratio(*units) == ratio
    assert ratio is None or unit_ratio(*units[::-1]) == 1 / Fraction(ratio)
    grams = range(1, 2000)  # become the numbers that a file in kg has
    assert multiply(grams, RATIOS["g", "kg"]).tolist() == [float(f"{k}e-3") for k in grams]
