import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulekit import Binarizer, BoxSearchClassifier
from rulekit.learners.literal.boxes import search_lists
from rulekit.learners.literal.several import SeveralClasses
from tests.learners.tables import mixed_table


def searched(seed, n=80, **parameters):
    X, y = mixed_table(seed, n, noise=0.2)
    grade = np.where(X["age"] > 62, "urgent", np.where(y == "yes", "soon", "later"))
    model = BoxSearchClassifier(
        n_perturbations=0, binarizer=Binarizer(n_thresholds=4), **parameters
    )
    table = model._read(X, grade, None)
    several = SeveralClasses(model, table)
    return search_lists(model, several, np.random.default_rng(0), model.n_clauses), several


@pytest.mark.slow
@given(seed=st.integers(0, 40), label_noise=st.sampled_from([0.0, 1.0]))
def test_lists_are_written_read_back_and_refined_as_they_are_counted(seed, label_noise):
    result, several = searched(seed, label_noise=label_noise)
    for entry in result.archive.entries:
        rule = result.rule(entry.boxes)
        assert rule.n_conditions == entry.n_conditions
        assert np.isclose(several.objective(rule, 0.0), entry.loss)
        again = result.boxes_of(rule)
        assert again is not None
        assert result.rule(again) == rule
        finer = result.move_cuts(rule)
        assert finer.n_conditions == rule.n_conditions
        assert several.objective(finer, 0.0) <= entry.loss + 1e-9


def test_refined_cuts_lie_between_values_that_bins_put_together():
    X = pd.DataFrame({"a": np.arange(30.0)})
    y = np.where(X["a"] < 7, "low", np.where(X["a"] < 23, "middle", "high"))
    model = BoxSearchClassifier(1.0, n_perturbations=0, binarizer=Binarizer(n_thresholds=2))
    assert model.fit(X, y).score(X, y) < 1.0
    refined = model.set_params(refine_thresholds=True).fit(X, y)
    assert refined.score(X, y) == 1.0
    assert refined.n_conditions_ == 2


def test_label_noise_weighs_rows_by_all_classes():
    result, several = searched(3, label_noise=1.0)
    assert (several.counted <= several.weight + 1e-12).all()
    assert several.counted.sum() < 0.95 * several.weight.sum()
    assert np.allclose(several.counted[result.problem.rows], result.problem.table.weight)
