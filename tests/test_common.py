"""scikit-learn's contract, for every estimator. What does not hold is listed with its reason."""

import importlib
import pkgutil
import re
from ast import literal_eval
from inspect import getdoc, isclass, signature
from itertools import chain

import pytest
from sklearn.base import BaseEstimator, clone
from sklearn.utils.estimator_checks import parametrize_with_checks

import rulekit
from rulekit import Binarizer, Clause, Literal, RuleSet, families, learners
from rulekit._validation import Interval, check_parameters
from rulekit.families import (
    LPSVM,
    HyperplaneRuleClassifier,
    IdealDNFClassifier,
    PowerLawTreeClassifier,
    RuleClassifier,
    ScorecardClassifier,
)
from rulekit.learners import (
    BoxSearchClassifier,
    ColumnGenerationClassifier,
    FixedRuleClassifier,
    OneLevelRuleClassifier,
    TwoLevelRuleClassifier,
)

WEIGHTS_RESCALED = (
    "weights are rescaled to sum to the number of rows, so that theta keeps its unit, and cut "
    "points are quantiles of rows; a row of weight 2 and a row given twice differ in both"
)
ROWS_ARE_SPLIT = (
    "medians are those of rows and the split goes by row numbers; a row of weight 2 and a row "
    "given twice differ in both"
)

SCALED_BY_ROW = (
    "power laws are centred and scaled by rows and a node needs a number of rows; a row of weight "
    "2 and a row given twice differ in both"
)
#: Checks of classes, which a rule that is given brings along.
CLASSES_OF_THE_RULE = (
    "check_classifiers_one_label",
    "check_classifiers_classes",
    "check_classifiers_train",
)
NOT_LEARNED = "the rule answers its own labels, whatever the table's"

QUICK = [  # one of each kind; the others take 0.3 s a check and more
    OneLevelRuleClassifier(),
    IdealDNFClassifier(),
    LPSVM(),
    ScorecardClassifier(),
    FixedRuleClassifier(RuleSet((Clause((Literal("x0", ">", 0.5),)),), (1,), "dnf", 0)),
    Binarizer(),
]
SLOW = [
    RuleClassifier(cv=2),  # the same steps as with more folds
    OneLevelRuleClassifier(exact=True, screening="duality"),
    TwoLevelRuleClassifier(),
    BoxSearchClassifier(n_perturbations=1),
    ColumnGenerationClassifier(),
    HyperplaneRuleClassifier(),
    PowerLawTreeClassifier(max_power_laws=1, max_exponents=2),  # more would repeat the same steps
]


def expected_failures(estimator):
    if isinstance(estimator, (Binarizer, LPSVM)):
        return {}
    if isinstance(estimator, FixedRuleClassifier):
        alone = dict.fromkeys(CLASSES_OF_THE_RULE, NOT_LEARNED)
        return alone | {"check_sample_weight_equivalence_on_dense_data": WEIGHTS_RESCALED}
    if isinstance(estimator, PowerLawTreeClassifier):
        return {"check_sample_weight_equivalence_on_dense_data": SCALED_BY_ROW}
    ideal = isinstance(estimator, IdealDNFClassifier)
    reason = ROWS_ARE_SPLIT if ideal else WEIGHTS_RESCALED
    return {"check_sample_weight_equivalence_on_dense_data": reason}


@pytest.mark.filterwarnings("ignore::rulekit.exceptions.EmptyRuleWarning")
@pytest.mark.filterwarnings("ignore:Chances need more than 2 rows:UserWarning")
@parametrize_with_checks(QUICK, expected_failed_checks=expected_failures)
def test_estimators_keep_the_contract_of_scikit_learn(estimator, check):
    check(estimator)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::rulekit.exceptions.EmptyRuleWarning")
@pytest.mark.filterwarnings("ignore:Class .* has a single row:rulekit.exceptions.DataWarning")
@parametrize_with_checks(SLOW, expected_failed_checks=expected_failures)
def test_slow_learners_pass_scikit_learns_estimator_checks(estimator, check):
    check(estimator)


def written_learners():
    """Every class of the learners' files that can be fitted and has no public class below it."""
    packages = [pkgutil.walk_packages(p.__path__, f"{p.__name__}.") for p in (learners, families)]
    for module in chain(*packages):
        for thing in vars(importlib.import_module(module.name)).values():
            if isclass(thing) and issubclass(thing, BaseEstimator):
                below = [k for k in thing.__subclasses__() if k.__module__.startswith("rulekit.")]
                is_last = all(k.__name__.startswith("_") for k in below)
                if thing.__module__ == module.name and is_last and thing.__name__[0] != "_":
                    yield thing


def test_every_learner_is_public_and_held_to_the_contract():
    known = set(written_learners())
    assert known == {type(e) for e in (*QUICK, *SLOW)} - {Binarizer}
    names = {kind.__name__ for kind in known}
    assert names <= {*learners.__all__, *families.__all__}
    assert names <= set(rulekit.__all__)


@pytest.mark.parametrize("estimator", [*QUICK, *SLOW], ids=lambda e: type(e).__name__)
def test_constraints_are_those_of_the_parameters(estimator):
    assert estimator._parameter_constraints.keys() == estimator.get_params(deep=False).keys()


@pytest.mark.parametrize("estimator", [*QUICK, *SLOW], ids=lambda e: type(e).__name__)
def test_true_is_not_accepted_as_a_number(estimator):
    for name, accepted in estimator._parameter_constraints.items():
        numbers = [one for one in accepted if isinstance(one, Interval)]
        if numbers and "boolean" not in map(str, accepted):
            with pytest.raises(ValueError, match=f"The '{name}' parameter of .* Got True instead"):
                check_parameters(clone(estimator).set_params(**{name: True}))


def test_every_public_name_is_documented_with_its_defaults():
    modules = [m.name for m in pkgutil.walk_packages(rulekit.__path__, "rulekit.") if m.ispkg]
    packages = rulekit, *map(importlib.import_module, modules)
    public = [getattr(p, name) for p in packages for name in getattr(p, "__all__", ())]
    line = re.compile(r"(?m)^(\w.*) : .*default=(?!\w+\()(.+)$")  # no calls
    for thing in filter(callable, public):
        assert thing.__doc__, thing
        for names, default in line.findall(getdoc(thing)):
            for name in names.split(", "):
                expected = signature(thing).parameters[name].default
                assert literal_eval(default) == expected, (thing, name)


def test_learners_document_that_probabilities_may_oppose_rules():
    with_probabilities = [kind for kind in written_learners() if hasattr(kind, "predict_proba")]
    assert set(written_learners()) - set(with_probabilities) == {LPSVM}
    for kind in with_probabilities:
        text = " ".join(getdoc(kind.predict_proba).split())
        assert "need not be the one that `predict` returns" in text, kind
