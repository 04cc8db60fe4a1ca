"""scikit-learn's contract, for every estimator. What does not hold is listed with its reason."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from rulekit.binarize import Binarizer
from rulekit.estimators import (
    OneLevelRuleClassifier,
    PowerLawTreeClassifier,
    TwoLevelRuleClassifier,
)

WEIGHTS_RESCALED = (
    "weights are rescaled to sum to the number of rows, so that theta keeps its unit, and cut "
    "points are quantiles of rows; a row of weight 2 and a row given twice differ in both"
)


def expected_failures(estimator):
    if isinstance(estimator, Binarizer):
        return {}
    return {"check_sample_weight_equivalence_on_dense_data": WEIGHTS_RESCALED}


@pytest.mark.filterwarnings("ignore::rulekit.exceptions.EmptyRuleWarning")
@parametrize_with_checks(
    [OneLevelRuleClassifier(), TwoLevelRuleClassifier(), PowerLawTreeClassifier(), Binarizer()],
    expected_failed_checks=expected_failures,
)
def test_estimators_keep_the_contract_of_scikit_learn(estimator, check):
    check(estimator)
