"""What the number of rows guarantees: the theorem's figures, and that they hold."""

from math import log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulekit.families.ideal_dnf.ideal_dnf import SampleGuarantee, margins_of


@given(st.integers(1, 10**9), st.integers(0, 12), st.sampled_from((0.8, 0.95, 0.999)))
def test_the_separation_is_the_least_that_the_theorem_allows(n, k, confidence):
    known = SampleGuarantee(n, k, confidence)
    assert n == pytest.approx(2 * log(2 ** (k + 2) / (1 - confidence)) / known.separation**2)


@given(st.integers(0, 10), st.sampled_from((0.01, 0.1, 0.5)))
def test_requested_rows_give_the_requested_excess_error(k, excess):
    rows = SampleGuarantee(1, k).rows_for(excess)
    assert SampleGuarantee(rows, k).excess_error <= excess
    assert SampleGuarantee(max(rows - 1, 1), k).excess_error > excess * (1 - 1e-6) or rows == 1


def test_types_beyond_the_margin_are_correct_as_often_as_guaranteed():
    rng = np.random.default_rng(0)
    truth = rng.dirichlet(np.ones(16)).reshape(8, 2)
    wrong = 0
    for _ in range(300):
        counts = rng.multinomial(2000, truth.ravel()).reshape(8, 2)
        known = SampleGuarantee(2000, 3)
        lead = counts[:, 1] - counts[:, 0]
        settled = np.abs(lead) >= known.margin
        wrong += bool(((lead > 0) != (truth[:, 1] > truth[:, 0]))[settled].any())
    assert wrong <= 0.05 * 300


def test_the_sentences_hold_the_numbers_that_can_be_computed_again():
    known = SampleGuarantee(38_474, 3, margins=(9000, 5, 800, 0))
    result = " ".join(known.sentences())
    for part in ("8 types", "38,474 rows", "95 %", f"{known.margin:,} rows", "2 of the 4 types"):
        assert part in result
    assert f"{100 * known.excess_error:.3g} percentage points" in result


def test_too_few_rows_give_no_guarantee():
    known = SampleGuarantee(300, 6)
    result = " ".join(known.sentences())
    assert known.excess_error == 1.0
    assert "nothing is guaranteed" in result
    assert f"{known.rows_for(0.1):,} rows" in result


def test_margins_are_leads_of_types_that_occur():
    assert margins_of(np.array([[3, 1], [0, 0], [2, 7]])) == (2, 5)


@pytest.mark.parametrize("confidence", [0.0, 1.0, 1.5])
def test_certainty_is_not_to_be_had(confidence):
    with pytest.raises(ValueError, match="`confidence` must lie between 0 and 1"):
        SampleGuarantee(10, 1, confidence)


def test_a_table_without_rows_is_refused():
    with pytest.raises(ValueError, match="`n_rows` must be at least 1"):
        SampleGuarantee(0, 1)


def test_an_impossible_error_is_refused():
    with pytest.raises(ValueError, match=r"`excess_error` must lie in \(0, 1\]"):
        SampleGuarantee(10, 1).rows_for(0.0)
