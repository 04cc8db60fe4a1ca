"""Whether stated probabilities come true: tenth by tenth, and in one number."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import brier_score_loss

from rulekit.evaluation import brier_score, reliability

ROWS = st.lists(
    st.tuples(st.booleans(), st.sampled_from([0.0, 0.1, 0.25, 0.3, 0.7, 0.95, 1.0]),
              st.sampled_from([0.0, 1.0, 2.5])),
    min_size=1,
).filter(lambda rows: any(w for _, _, w in rows))  # fmt: skip


@given(ROWS)
def test_each_weighted_row_is_in_one_tenth_and_means_match(rows):
    true, chance, weight = map(np.array, zip(*rows, strict=True))
    table = reliability(true, chance, weight)
    assert table["weight"].sum() == pytest.approx(weight.sum())
    assert table["weight"] @ table["share"] == pytest.approx(weight @ true)
    assert table["weight"] @ table["stated"] == pytest.approx(weight @ chance)
    for row in table.to_dict("records"):
        last = row["high"] == 1.0
        own = (chance >= row["low"] - 1e-9) & (last | (chance < row["high"] - 1e-9)) & (weight > 0)
        assert row["rows"] == own.sum() > 0
        assert row["share"] == pytest.approx(np.average(true[own], weights=weight[own]))
        assert row["low95"] <= row["share"] + 1e-9
        assert row["share"] <= row["high95"] + 1e-9


@given(ROWS)
def test_brier_score_equals_scikit_learn(rows):
    true, chance, weight = map(np.array, zip(*rows, strict=True))
    expected = brier_score_loss(true, chance, sample_weight=weight)
    assert brier_score(true, chance, weight) == pytest.approx(expected)


def test_non_probabilities_are_refused():
    with pytest.raises(ValueError, match="must hold a probability, from 0 to 1"):
        reliability([True], [1.5])
    with pytest.raises(ValueError, match="must hold a probability, from 0 to 1"):
        brier_score([True], [0.5, 0.5])


def test_rows_without_weight_have_no_score():
    assert np.isnan(brier_score([True], [0.5], [0.0]))
