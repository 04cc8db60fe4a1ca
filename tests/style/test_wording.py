"""Numbers in words and figures."""

import math

import pytest

from rulekit.style.wording import capital, format_measure, percent, plural, short_number


@pytest.mark.parametrize(
    ("share", "text"), [(0.0, "0.0 %"), (0.1234, "12.3 %"), (1.0, "100.0 %"), (math.nan, "—")]
)
def test_a_share_is_a_percentage_with_one_decimal(share, text):
    assert percent(share) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (3.0, "3"),
        (0.123456, "0.1235"),
        (12345.0, "12,345"),
        (12345.6, "1.235e+04"),
        (-2e6, "-2,000,000"),
    ],
)
def test_a_number_has_four_digits_and_a_large_whole_one_all(value, text):
    assert short_number(value) == text


def test_counts_means_costs_and_capitals_are_written():
    assert [plural(n, "row") for n in (0, 1, 2, 2.5)] == ["0 rows", "1 row", "2 rows", "2.5 rows"]
    shown = ["0.7 rows", "3.2 rows", "3 rows", "1 row", "1,234 rows"]
    assert [plural(n, "row") for n in (2 / 3, 29 / 9, 3.0, 1.02, 1234.0)] == shown
    assert [capital(t) for t in ("duckDB, F1", "", "é")] == ["DuckDB, F1", "", "É"]
    assert format_measure(0.1234, "test_error") == "12.3 %"
    assert format_measure(1234.56, "test_cost_per_100", "EUR") == "1235 EUR"
    assert format_measure(58.26, "test_cost_per_100") == "58.26"
    assert format_measure(math.nan, "test_cost_per_100", "EUR") == "—"
