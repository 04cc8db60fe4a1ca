"""The choice of a rule repeated on resamples: what is drawn, what is counted, who is refused."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from rulekit import (
    BoxSearchClassifier,
    Costs,
    DataError,
    FixedRuleClassifier,
    RuleClassifier,
    RuleError,
    ScorecardClassifier,
    stability,
)
from rulekit.evaluation import Stability
from rulekit.evaluation.trust.stability import Resample
from rulekit.families import IdealDNFClassifier, PowerLawTreeClassifier
from rulekit.learners import OneLevelRuleClassifier
from rulekit.rules import Clause, Literal, PointsSplit, RuleSet

pytestmark = pytest.mark.filterwarnings("ignore::rulekit.exceptions.EmptyRuleWarning")


def planted(seed, n=1000, noise=0.05):
    """Eight columns of numbers, of which two clauses read four."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.normal(size=(n, 8)), columns=[f"x{k}" for k in range(8)])
    y = ((X.x0 > 0.3) & (X.x1 < 0.5)) | ((X.x2 > 0.8) & (X.x3 > 0))
    return X, np.where(y ^ (rng.random(n) < noise), "ill", "well")


def learned(seed=0, n=150, **more):
    X, y = planted(seed, n)
    learner = BoxSearchClassifier(theta=3.0, n_perturbations=0, positive_label="ill", **more)
    return learner.fit(X, y), X, y


def rules(found):
    return [r.rule for r in found.resamples]


@pytest.mark.slow
def test_a_resample_is_the_rule_that_its_rows_teach():
    model, X, y = learned()
    weight = np.linspace(1, 2, len(y))
    report = stability(model, X, y, n_resamples=5, sample_weight=weight)
    for k, made in enumerate(report.resamples):
        rng = np.random.default_rng([0, k])
        times = np.zeros(len(y))
        for label in pd.unique(y):  # of each class as many as there are
            rows = np.flatnonzero(y == label)
            for i in rng.integers(len(rows), size=len(rows)):
                times[rows[i]] += 1
        drawn = times > 0
        again = clone(model).set_params(random_state=int(rng.integers(2**31)))
        again.fit(X[drawn], y[drawn], (times * weight)[drawn])
        assert made.rule == again.rule_set_
        assert made.left_out.tolist() == np.flatnonzero(~drawn).tolist()
        assert made.wrong.tolist() == (again.predict(X[~drawn]) != y[~drawn]).tolist()
        usual = "ill" if (times * weight)[y == "ill"].sum() > weight.sum() else "well"
        assert made.usual_wrong.tolist() == (y[~drawn] != usual).tolist()


@pytest.mark.slow
def test_groups_and_workers_leave_resamples_whole():
    model, X, y = learned()
    one = stability(model, X, y, n_resamples=5, random_state=3)
    two = stability(model, X, y, n_resamples=5, random_state=3, n_jobs=2)
    assert rules(one) == rules(two)
    pd.testing.assert_frame_equal(one.cuts, two.cuts)
    assert rules(stability(model, X, y, n_resamples=5, random_state=4)) != rules(one)
    groups = np.arange(len(y)) // 5
    report = stability(model, X, y, n_resamples=4, groups=groups)
    for made in report.resamples:
        left = np.isin(np.arange(len(y)), made.left_out)
        assert all(len(set(left[groups == g])) == 1 for g in np.unique(groups))


def test_errors_are_weighted_by_class_weights():
    model, X, y = learned(costs=Costs(miss=9, false_alarm=1))
    report = stability(model, X, y, n_resamples=3)
    share = report.weight[y == "ill"].mean() / report.weight[y == "well"].mean()
    assert share == pytest.approx(9)
    assert all((r.usual_wrong == (y[r.left_out] == "well")).all() for r in report.resamples)
    assert "weighed as in learning" in report.sentences()[0]


@pytest.mark.slow
def test_planted_columns_return_at_a_size_selected_again():
    X, y = planted(0)
    report = stability(RuleClassifier().fit(X, y), X, y, n_resamples=30)
    returned = report.columns.set_index("column")["returned"]
    assert (returned[["x0", "x1", "x2", "x3"]] > 27).all()
    assert (returned.drop(["x0", "x1", "x2", "x3"]) < 9).all()
    assert set(report.returning) == {"x0", "x1", "x2", "x3"}
    noise = np.random.default_rng(1).permutation(y)
    report = stability(RuleClassifier().fit(X, noise), X, noise, n_resamples=20)
    assert not report.beats_chance
    assert report.returning == []
    assert report.sentences()[0].startswith("Nothing returns: on rows left out")
    X, y = planted(2, 200)
    model = RuleClassifier(max_conditions=4, cv=2, refine=False).fit(X, y)
    report = stability(model, X, y, n_resamples=3)
    assert len({rule.n_conditions for rule in rules(report)}) > 1
    assert all(rule.n_conditions <= 4 for rule in rules(report))


@pytest.mark.parametrize(
    "learner",
    [
        ScorecardClassifier(max_conditions=2),
        OneLevelRuleClassifier(theta=4.0),
        pytest.param(PowerLawTreeClassifier(max_power_laws=1, max_depth=1), marks=pytest.mark.slow),
        pytest.param(IdealDNFClassifier(max_variables=2), marks=pytest.mark.slow),
        pytest.param(RuleClassifier(forms=("points",), cv=2), marks=pytest.mark.slow),
    ],
)
def test_rules_of_every_kind_can_be_learned_again(learner):
    X, y = planted(1, 120)
    model = learner.fit(X, y)
    report = stability(model, X, y, n_resamples=3)
    assert report.n_made == 3
    read = {f for rule in (model.rule_set_, *rules(report)) for f in rule.features}
    assert set(report.columns["column"]) == read
    assert "on rows left out of a resample" in report.sentences()[0]


@pytest.mark.slow
def test_three_outcomes_are_distinguished_by_learners_that_can():
    X, y = planted(1, 120)
    y = np.where(X["x5"] > 1, "hurt", y)
    model = PowerLawTreeClassifier(max_power_laws=1, max_depth=2, random_state=0).fit(X, y)
    assert stability(model, X, y, n_resamples=2).n_made == 2


@pytest.mark.slow
def test_budgets_and_stops_end_the_work():
    model, X, y = learned()
    assert stability(model, X, y, budget_seconds=1e-9).n_made == 2
    seen = []
    stability(model, X, y, n_resamples=6, on_progress=seen.append)
    assert [found.n_made for found in seen] == [1, 2, 3, 4, 5, 6]
    seen = []
    how = {"on_progress": seen.append, "should_stop": lambda: len(seen) >= 1}
    found = stability(model, X, y, **how)
    assert found.n_made == 5
    assert found.sentences()[0].startswith("5 of 100 resamples are made")


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (
            {"n_resamples": 1},
            r"'n_resamples' parameter of stability must be an int in the range .2",
        ),
        ({"n_resamples": 2.5}, "'n_resamples' .* must be an int"),
        ({"budget_seconds": 0}, r"'budget_seconds' .* of stability must be a float in .*0.0"),
        ({"n_jobs": 0}, "'n_jobs' parameter of stability must be an int"),
        ({"random_state": None}, "'random_state' .* must be an int"),
    ],
)
def test_a_wrong_parameter_is_refused_in_words(wrong, words):
    model, X, y = learned()
    with pytest.raises(ValueError, match=words):
        stability(model, X, y, **wrong)


def test_stability_rejects_unusable_input():
    model, X, y = learned()
    with pytest.raises(RuleError, match="without `rule_set_`"):
        stability(BoxSearchClassifier(), X, y)
    with pytest.raises(DataError, match="written or changed by hand"):
        stability(FixedRuleClassifier(model.rule_set_).fit(X, y), X, y)
    with pytest.raises(DataError, match="the same number of rows"):
        stability(model, X, y[:-1])
    for groups, words in (
        ([1, 2], "a group for each of the 150 rows"),
        ([None] * 150, "150 have none"),
        ([1] * 150, "all rows are in one"),
        (np.where(y == "ill", "one", "other"), "too few groups with rows of the rarer class"),
    ):
        with pytest.raises(DataError, match=words):
            stability(model, X, y, groups=groups)


N = 100
X = {"age": np.arange(N, dtype=float), "town": np.array(["a", "b"] * 50, dtype=object)}
Y = np.where(X["age"] > 40, "ill", "well")


def rule(*clauses):
    made = [Clause(tuple(Literal(*test) for test in tests)) for tests in clauses]
    return RuleSet(tuple(made), ("ill",) * len(made), "dnf", "well")


def resample(made, left=range(20, 60)):
    left = np.array(left)
    wrong = made.predict({k: v[left] for k, v in X.items()}) != Y[left]
    return Resample(made, left, wrong, Y[left] == "well")


HAND = rule([("age", ">", 40.0)], [("town", "==", "a"), ("age", "<=", 10.0)])
OTHERS = (
    rule([("age", ">", 42.0)]),
    rule([("age", ">", 60.0)], [("town", "==", "a"), ("age", "<=", 20.0)]),
    rule([("town", "==", "b")]),
    rule([("age", ">", 40.0), ("town", "==", "a")]),
)
FOUND = Stability(HAND, tuple(map(resample, OTHERS)), 4, X, Y, np.ones(N))


def test_columns_cuts_and_clauses_are_counted_once_a_rule():
    assert FOUND.columns.values.tolist() == [["age", True, 3], ["town", True, 3]]
    above, below = FOUND.cuts.itertuples(index=False)
    assert tuple(above)[:5] == ("age", "above", 40.0, 3, 2)  # 60 is a fifth of the rows away
    assert (above.low, above.middle, above.high) == (40.0, 42.0, 60.0)
    assert tuple(below)[:5] == ("age", "below", 10.0, 1, 0)
    first, second, *others = FOUND.clauses.itertuples(index=False)
    assert (first.number, first.returned) == (1, 2)
    assert (second.number, second.returned) == (2, 1)
    assert {(row.clause, row.number, row.returned) for row in others} == {
        ("town == b", 0, 1),
        ("age > 40 AND town == a", 0, 1),
    }
    result = replace(OTHERS[0], labels=("well",), default="ill")
    changed = replace(FOUND, resamples=(resample(result),))
    assert changed.clauses["returned"].tolist() == [0, 0, 1]


def test_only_learned_rules_that_returned_are_claimed():
    changed = replace(FOUND, selected=OTHERS[0])
    assert changed.cuts["selected"].tolist()[0] == 42.0
    assert np.isnan(changed.cuts["selected"].tolist()[1])
    assert changed.cuts["side"].tolist() == ["above", "below"]
    weekday = Clause((Literal("day", "<=", 4.0, part="weekday"),))  # no number of the column
    changed = replace(FOUND, selected=replace(OTHERS[0], clauses=(weekday,)))
    assert set(changed.cuts["column"]) == {"age"}
    changed = replace(FOUND, resamples=())
    assert changed.sentences() == ["0 of 4 resamples are made."]
    assert changed.returning == []
    assert np.isnan(changed.same_answers).all()
    assert changed.cuts["returned"].tolist() == [0, 0]


def test_a_scorecard_returns_by_its_conditions_not_as_a_clause():
    card = PointsSplit((Literal("age", ">", 40.0), Literal("town", "==", "a")), (2, 1), 2)
    other = replace(card, conditions=(Literal("age", ">", 60.0), card.conditions[1]))
    hand, made = (replace(OTHERS[0], clauses=(Clause((c,)),)) for c in (card, other))
    result = Stability(hand, (resample(hand), resample(made)), 2, X, Y, np.ones(N))
    (sentence,) = [s for s in result.sentences() if "directions" in s]
    assert sentence == (
        "Number of the 2 rules with points on the same columns in the same directions: "
        "total from 2 in 2."
    )


def test_overlap_and_answers_are_compared_row_by_row():
    def share(a, b):
        return (a & b).sum() / (a | b).sum()

    held = [r.clauses_fired(X).T for r in OTHERS]
    for k, own in enumerate(HAND.clauses_fired(X).T):
        best = [max(share(own, other) for other in each) for each in held]
        assert FOUND.clauses["overlap"][k] == pytest.approx(np.mean(best))
    same = (np.array([r.predict(X) for r in OTHERS]) == HAND.predict(X)).mean(axis=0)
    assert FOUND.same_answers.tolist() == same.tolist()


def test_left_out_errors_are_averaged_by_row_with_weights():
    weight = np.linspace(1, 2, N)
    made = (resample(OTHERS[0], range(30, 50)), resample(OTHERS[1], range(40, 80)))
    changed = replace(FOUND, resamples=made, weight=weight)
    rows = np.arange(30, 80)
    wrong = [np.mean([r.wrong[r.left_out == i][0] for r in made if i in r.left_out]) for i in rows]
    usual = [
        np.mean([r.usual_wrong[r.left_out == i][0] for r in made if i in r.left_out]) for i in rows
    ]
    error, usual_error, spread = changed.left_out
    assert error == pytest.approx(np.average(wrong, weights=weight[30:80]))
    assert usual_error == pytest.approx(np.average(usual, weights=weight[30:80]))
    gain = np.array(usual) - wrong
    share = weight[30:80] / weight[30:80].sum()
    centred = gain - share @ gain
    assert spread == pytest.approx(np.sqrt((share**2 * centred**2).sum()))


def test_only_rules_that_hold_on_other_rows_return_anything():
    good = tuple(resample(OTHERS[0]) for _ in range(5))
    changed = replace(FOUND, resamples=good, n_requested=10)
    assert changed.beats_chance
    assert changed.returning == ["age"]
    message = changed.sentences({"age": "Age"})
    assert message[0].startswith("5 of 10 resamples are made")
    assert "Of 5 rules, 4 or more read Age (5); of the given rule, fewer read town (0)." in message
    assert any(
        s.startswith("Age above 40: 5 rules cut it on this side, eight of ten of them at 42; 5 so")
        for s in message
    )
    changed = replace(changed, resamples=tuple(r._replace(wrong=~r.wrong) for r in good))
    assert not changed.beats_chance
    assert changed.returning == []
    assert "Nothing returns" in changed.sentences()[1]
    assert len(changed.sentences()) == 2
