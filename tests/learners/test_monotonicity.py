"""Raising a constrained column never changes a prediction the wrong way."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression

from rulekit.exceptions import DataError, EmptyRuleWarning, RuleError
from rulekit.explain import explain
from rulekit.families import (
    LPSVM,
    HyperplaneRuleClassifier,
    PowerLawTreeClassifier,
    RuleClassifier,
    ScorecardClassifier,
)
from rulekit.learners import (
    BoxSearchClassifier,
    ColumnGenerationClassifier,
    OneLevelRuleClassifier,
    TwoLevelRuleClassifier,
)
from rulekit.rules import Constraints, monotonicity_checks
from rulekit.style.phrases import Wording

LEARNERS = {
    "box search": BoxSearchClassifier(theta=0.3, n_clauses=3),
    "box search, refined": BoxSearchClassifier(theta=0.3, refine_thresholds=True),
    "box search, robust": BoxSearchClassifier(theta=0.3, robustness=0.1, form="cnf"),
    "column generation": ColumnGenerationClassifier(theta=0.3),
    "one clause": OneLevelRuleClassifier(theta=0.3),
    "one clause, proved": OneLevelRuleClassifier(theta=0.3, exact=True),
    "alternating": TwoLevelRuleClassifier(method="alternating", theta=0.3, refine=True),
    "set cover": TwoLevelRuleClassifier(method="set_cover", theta=0.3, form="cnf"),
    "points": ScorecardClassifier(max_conditions=5, calibration_folds=0),
    "plane": HyperplaneRuleClassifier(min_coverage=1, confidence_folds=0),
    "plane, which answers": HyperplaneRuleClassifier(
        LPSVM(nu=0.1), uncovered="hyperplane", confidence_folds=0
    ),
    "power laws": PowerLawTreeClassifier(max_power_laws=2, max_exponents=2, max_depth=2),
    "chosen": RuleClassifier(max_conditions=5, cv=2),
}


def table(seed, n=60):
    """Classes that rise and fall with the constrained columns, so a constraint costs accuracy."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame({"income": rng.integers(0, 8, n).astype(float)})
    X["age"] = rng.normal(size=n).round(1)
    X["member"] = rng.choice([True, False], n)
    X["town"] = rng.choice(["a", "b", "c"], n)
    bent = np.abs(X["income"] - 4) + X["age"] ** 2 - X["member"] + rng.normal(size=n)
    y = np.where(bent > np.median(bent), "good", "bad")
    X.loc[rng.random(n) < 0.1, "income"] = np.nan
    return X, y


def never_turns(model, X, name, sign, towards):
    """Raise one column of every row, step by step, and look at the answers."""
    steps = [False, True] if name == "member" else np.linspace(-4, 9, 53).tolist()
    steps = steps if sign == ">" else steps[::-1]
    raised = pd.concat([X.assign(**{name: value}) for value in steps], ignore_index=True)
    answers = (model.predict(raised) == towards).reshape(len(steps), len(X))
    return not (answers[:-1] & ~answers[1:]).any()


@pytest.mark.slow
@pytest.mark.parametrize("name", LEARNERS)
@given(
    seed=st.integers(0, 10_000),
    signs=st.tuples(*[st.sampled_from("<>")] * 3),
    towards=st.sampled_from(("good", "bad")),
    positive=st.sampled_from(("good", "bad")),
)
@pytest.mark.filterwarnings("ignore::rulekit.exceptions.EmptyRuleWarning")
@pytest.mark.filterwarnings("ignore::rulekit.exceptions.MonotonicityWarning")
def test_raising_a_constrained_column_keeps_the_class(name, seed, signs, towards, positive):
    X, y = table(seed)
    limits = Constraints(directions=dict(zip(("income", "age", "member"), signs, strict=True)),
                         towards=towards)  # fmt: skip
    if name == "plane, which answers":
        X = X.drop(columns="town").assign(member=X["member"].astype(float))  # for a sum
    model = LEARNERS[name].set_params(positive_label=positive, constraints=limits).fit(X, y)
    checks = monotonicity_checks(model)
    assert [check.kept for check in checks] == [True] * 3
    for check in checks:
        assert never_turns(model, X, check.feature, check.direction, towards)


def test_a_direction_leads_to_one_class_whichever_is_described():
    X, _ = table(1)
    y = np.where(X["income"] > 4, "good", "bad")
    results = {}
    for positive in ("good", "bad"):
        limits = {"directions": {"income": ">"}, "towards": "good"}
        model = BoxSearchClassifier(theta=0.3, positive_label=positive, constraints=limits)
        rule = model.fit(X, y).rule_set_
        results[positive] = [(c.op, c.missing) for k in rule.clauses for c in k.literals]
        assert model.training_error_ == 0.0
    assert results == {"good": [(">", False)], "bad": [("<=", True)]}
    X, y = table(2)
    limits = {"directions": {"income": ">"}}
    model = BoxSearchClassifier(theta=0.3, positive_label="bad", constraints=limits).fit(X, y)
    (check,) = monotonicity_checks(model)
    assert (check.towards, check.kept) == ("bad", True)
    assert never_turns(model, X, "income", ">", "bad")
    X, y = table(5)
    limits = {"directions": {"age": ">"}, "towards": "good"}
    with pytest.warns(EmptyRuleWarning):
        model = BoxSearchClassifier(theta=500.0, constraints=limits).fit(X, y)
    assert [check.kept for check in monotonicity_checks(model)] == [True]


@pytest.mark.parametrize(
    ("learner", "limits", "error", "expected"),
    [
        ("box search", {"directions": {"town": ">"}}, DataError, "but 'town' holds text, which"),
        (
            "points",
            {"directions": {"age": ">"}, "towards": "fine"},
            ValueError,
            r"`constraints.towards` must be one of the classes \('bad', 'good'\), got 'fine'",
        ),
        ("alternating", {"directions": {"wage": ">"}}, DataError, "names column 'wage', which"),
        ("box search", {"towards": "good"}, RuleError, "`towards` is read beside `directions`"),
        ("chosen", {"directions": {"age": ">"}}, ValueError, "for either .* Set `towards`"),
    ],
)
def test_unusable_constraints_raise(learner, limits, error, expected):
    X, y = table(3)
    model = LEARNERS[learner].set_params(constraints=limits, positive_label=None)
    with pytest.raises(error, match=expected):
        model.fit(X, y)


def test_plane_of_wrong_direction_is_rejected_and_lp_svm_obeys():
    X, y = table(6)
    X = X.dropna()[["income", "age"]]
    constraint = {"directions": {"income": ">"}, "towards": "good"}
    y = np.where(X["income"] > 4, "bad", "good")
    with pytest.raises(ValueError, match="the plane of LogisticRegression leads the other way"):
        HyperplaneRuleClassifier(LogisticRegression(), constraints=constraint).fit(X, y)
    svm = HyperplaneRuleClassifier(constraints=constraint | {"towards": "bad"}, confidence_folds=0)
    assert svm.fit(X, y).rule_set_.features == ("income",)
    with pytest.warns(EmptyRuleWarning):
        svm.set_params(constraints=constraint).fit(X, y)
    assert svm.linear_.coef_[0, 0] == 0.0
    with pytest.raises(ValueError, match="Planes support only `directions`"):
        svm.set_params(constraints={"forbidden": ["age"]}).fit(X, y)
    with pytest.raises(ValueError, match=r"`directions` must map .* got 'x9': '>'"):
        LPSVM(directions={"x9": ">"}).fit(X.to_numpy(), y)


def test_explanations_show_what_constraints_mean_for_a_row():
    X, _ = table(1)
    y = np.where(X["income"] > 4, "good", "bad")
    limits = {"directions": {"income": ">", "age": ">"}, "towards": "good"}
    model = BoxSearchClassifier(theta=0.3, constraints=limits).fit(X, y)
    rows = pd.DataFrame({"income": [7.0, 1.0, None], "age": 0.0, "member": True, "town": "a"})
    high, low, gap = explain(model, rows, wording=Wording(names={"income": "Wage"}))
    assert high.monotonicity == (
        "A higher Wage alone cannot change this prediction away from good.",
    )
    assert low.monotonicity == ("A lower Wage alone cannot change this prediction to good.",)
    assert gap.monotonicity == ()  # and age is not read
