"""Rules just as good: complete for one clause, honest about the rest."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from rulekit import (
    BoxSearchClassifier,
    Constraints,
    Costs,
    DataError,
    FixedRuleClassifier,
    RuleClassifier,
    RuleError,
    ScorecardClassifier,
    alternatives,
    load_sample,
)
from rulekit.binning import Binarizer
from rulekit.families import PowerLawTreeClassifier
from rulekit.rules import Clause, Literal, RuleSet
from tests.reference.near_rules import near_rules_by_force, written

pytestmark = pytest.mark.filterwarnings("ignore::rulekit.exceptions.EmptyRuleWarning")


def mixed(seed, n=60):
    """Numbers with gaps, levels and a truth value, and two classes that depend on them."""
    rng = np.random.default_rng(seed)
    age = rng.integers(20, 60, n).astype(float)
    age[rng.random(n) < 0.1] = np.nan
    town = rng.choice(["a", "b", "c"], n).astype(object)
    X = pd.DataFrame({"age": age, "town": town, "smoker": rng.random(n) < 0.4})
    ill = ((age > 40) & (town != "a")) ^ (rng.random(n) < 0.15)
    return X, np.where(ill, "ill", "well"), 0.5 + rng.random(n)


def learned(seed, n_clauses=1, **more):
    X, y, weight = mixed(seed)
    more = {"theta": 1.5, "binarizer": Binarizer(n_thresholds=2), "positive_label": "ill"} | more
    model = BoxSearchClassifier(n_clauses=n_clauses, random_state=0, **more)
    return model.fit(X, y, weight), X, y, weight


@pytest.mark.parametrize("form", ["dnf", "cnf"])
@pytest.mark.parametrize("seed", range(6))
def test_all_rules_of_one_clause_are_those_that_brute_force_finds(seed, form):
    model, X, y, weight = learned(seed, form=form)
    rivals = alternatives(model, X, y, 0.04, max_conditions=3, sample_weight=weight)
    assert rivals.complete
    described, other = ("ill", "well") if form == "dnf" else ("well", "ill")
    matrix = model.binarizer_.transform(X)
    holds, literals = matrix.values, matrix.literals
    weight = weight * len(y) / weight.sum()
    limits = 0.04 * len(y), 1, 3, rivals.selected_cost * len(y)
    wanted = near_rules_by_force(holds, y == described, weight, 1.5, *limits)
    rules = [written(rule, literals, described, other) for rule in wanted]
    expected = {rule if form == "dnf" else rule.negate() for rule in rules if rule.clauses}
    assert {rule for rule in rivals.rules if rule.clauses} == expected
    assert any(not rule.clauses for rule in rivals.rules) == any(not rule.clauses for rule in rules)


@pytest.mark.parametrize("seed", range(3))
def test_figures_of_alternatives_equal_their_predictions(seed):
    model, X, y, weight = learned(seed, n_clauses=2)
    rivals = alternatives(model, X, y, 0.08, sample_weight=weight)
    assert len(rivals.rules) > 1
    hand = model.predict(X)
    assert rivals.selected_wrong == pytest.approx(weight[hand != y].sum() / weight.sum())
    for row, rule in zip(rivals.table.itertuples(), rivals.rules, strict=True):
        answers = rule.predict(model.read_columns(X))
        assert row.wrong == pytest.approx(weight[answers != y].sum() / weight.sum())
        assert row.differs == np.mean(answers != hand)
        assert row.columns == tuple(sorted(rule.features))
        assert (row.n_conditions, row.n_clauses) == (rule.n_conditions, rule.n_clauses)
        assert row.cost <= min(rivals.table["cost"].min(), rivals.selected_cost) + 0.08 + 1e-9
        assert set(rivals.differing_rows(row.rule)) == set(np.flatnonzero(answers != hand))
    assert rivals.table["cost"].is_monotonic_increasing
    assert len(set(rivals.rules)) == len(rivals.rules)
    pairs = rivals.disagreement([0, 1])
    first, second = (rule.predict(model.read_columns(X)) for rule in rivals.rules[:2])
    assert pairs.loc[0, 1] == pairs.loc[1, 0] == np.mean(first != second)
    assert pairs.loc[0, 0] == 0


def test_costs_weigh_rows_and_shares_count_them():
    X, y, _ = mixed(0, 120)
    model = BoxSearchClassifier(n_clauses=1, costs=Costs(5, 1), positive_label="ill").fit(X, y)
    rivals = alternatives(model, X, y, 0.05)
    weight = np.where(y == "ill", 5.0, 1.0)
    weight *= len(y) / weight.sum()
    assert rivals.weighted
    assert "a wrong row counts its weight" in rivals.sentences()[0]
    for row, rule in zip(rivals.table.itertuples(), rivals.rules, strict=True):
        wrong = rule.predict(model.read_columns(X)) != y
        assert row.wrong == wrong.mean()
        cost = (weight[wrong].sum() + row.n_conditions) / len(y)
        assert row.cost == pytest.approx(cost, abs=1e-5)


@pytest.mark.parametrize("n_clauses", [1, 2])
def test_column_statements_follow_from_the_rules(n_clauses):
    model, X, y, weight = learned(1, n_clauses)
    rivals = alternatives(model, X, y, 0.02, sample_weight=weight)
    reads = [set(rule.features) for rule in rivals.rules]
    named = rivals.columns["column"].tolist()
    assert set(named) == set().union(*reads) | set(model.rule_set_.features)
    for row in rivals.columns.itertuples():
        assert row.share == np.mean([row.column in r for r in reads])
        assert row.needed == all(row.column in r for r in reads)
        if row.without is not None:
            assert row.column not in row.without.features
            answers = row.without.predict(model.read_columns(X))
            assert row.wrong == pytest.approx(weight[answers != y].sum() / weight.sum())
        assert row.as_good != row.needed


def test_stopped_search_is_marked():
    model, X, y, _ = learned(0)
    rivals = alternatives(model, X, y, 0.3, max_conditions=3, should_stop=lambda: True)
    assert not rivals.complete
    assert rivals.complete_to == 0
    few = alternatives(model, X, y, 0.3, max_conditions=3, max_rules=5)
    assert not few.complete
    assert few.margin < 0.3
    assert "there are more, and these are all within" in few.sentences()[0]


def test_alternatives_keep_constraints_in_any_order_of_rows():
    limits = Constraints(forbidden=("smoker",), directions={"age": ">"}, allow_not_equal=False)
    model, X, y, _ = learned(2, 2, constraints=limits)
    rivals = alternatives(model, X, y, 0.1, max_conditions=2)
    literals = [lit for rule in rivals.rules for c in rule.clauses for lit in c.literals]
    assert literals
    assert all(limits.allows(lit) for lit in literals)
    assert rivals.table["n_conditions"].max() <= 2
    model, X, y, weight = learned(5, 2)
    turned = np.random.default_rng(0).permutation(len(y))
    one = alternatives(model, X, y, 0.03, sample_weight=weight)
    other = alternatives(model, X.iloc[turned], y[turned], 0.03, sample_weight=weight[turned])
    assert one.rules == other.rules
    pd.testing.assert_frame_equal(one.table, other.table)


@pytest.mark.parametrize(
    "learner",
    [
        pytest.param(RuleClassifier(max_conditions=3, cv=3), marks=pytest.mark.slow),
        ScorecardClassifier(max_conditions=3),
        PowerLawTreeClassifier(max_power_laws=1, max_depth=2, random_state=0),
    ],
)
def test_rules_of_every_kind_have_alternatives(learner):
    X, y, _ = mixed(4, 150)
    X = X.assign(age=X["age"].fillna(30.0), height=np.arange(150.0) % 37).drop(columns="town")
    model = learner.fit(X, y)
    rivals = alternatives(model, X, y, 0.05, time_limit=3)
    assert rivals.selected is model.rule_set_
    assert rivals.rules
    again = alternatives(FixedRuleClassifier(model.rule_set_), X, y, 0.05, time_limit=3)
    assert again.selected_wrong == rivals.selected_wrong


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"within": -0.1}, "'within' parameter of alternatives must be a float"),
        ({"within": 5}, "'within' parameter of alternatives must be a float"),
        ({"theta": -1.0}, "'theta' parameter of alternatives must be a float"),
        ({"max_conditions": 0}, "'max_conditions' .* must be an int in the range"),
        ({"max_rules": 2.5}, "'max_rules' .* must be an int in the range"),
        ({"time_limit": 0}, "'time_limit' parameter of alternatives must be a float"),
        ({"learner": 3}, "'learner' .* must be an instance of"),
    ],
)
def test_a_wrong_parameter_is_refused_in_words(wrong, words):
    model, X, y, _ = learned(0)
    with pytest.raises(ValueError, match=words):
        alternatives(model, X, y, **wrong)


def test_models_without_a_rule_or_with_several_outcomes_are_refused():
    _, X, y, _ = learned(0)
    with pytest.raises(RuleError, match="without `rule_set_`"):
        alternatives(BoxSearchClassifier(), X, y)
    parts = [Clause((Literal("age", ">", cut),)) for cut in (50.0, 30.0)]
    several = FixedRuleClassifier(RuleSet(tuple(parts), ("old", "middle"), "dnf", "young"))
    with pytest.raises(DataError, match="need two classes; this model has 3"):
        alternatives(several, X, y)


def test_columns_with_equal_content_replace_each_other():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.normal(size=200), "c": rng.normal(size=200)})
    X["b"] = np.exp(X["a"])
    y = (X["a"] > 0.2) ^ (rng.random(200) < 0.05)
    model = BoxSearchClassifier(theta=3.0, n_clauses=1, random_state=0).fit(X, y)
    rivals = alternatives(model, X, y)
    (hand,) = model.rule_set_.features
    other = {"a": "b", "b": "a"}[hand]
    row = rivals.columns.set_index("column").loc[hand]
    assert (row["as_good"], row["needed"], row["instead"]) == (True, False, (other,))
    message = rivals.sentences({hand: "Hand", other: "Other"})
    assert any(s.startswith("Hand can be left out: Other takes its place") for s in message)
    assert "These are all rules of one clause and at most 1 condition." in message[0]


@pytest.mark.slow
def test_column_of_the_rule_can_be_left_out_on_a_sample():
    X, y = load_sample("breast_cancer").xy("diagnosis")
    model = BoxSearchClassifier(theta=5.0, n_clauses=1, random_state=0).fit(X, y)
    result = alternatives(model, X, y)
    most_used = result.columns.iloc[0]
    assert most_used["as_good"]
    wrong = (most_used["without"].predict(model.read_columns(X)) != y.to_numpy()).mean()
    start = f"{most_used['column']} can be left"
    (message,) = [s for s in result.sentences() if s.startswith(start)]
    words = f"{100 * wrong:.1f} % of the rows instead of {100 * result.selected_wrong:.1f} % are"
    assert f"{words} wrong." in message
    assert wrong <= result.selected_wrong + 0.02


def test_needed_column_is_reported_with_its_cost():
    X, y, _ = mixed(3, 400)
    y = np.where(X["age"] > 40, "ill", "well")
    model = BoxSearchClassifier(theta=1.0, n_clauses=1, positive_label="ill").fit(X, y)
    result = alternatives(model, X, y)
    row = result.columns.iloc[0]
    assert (row["column"], row["needed"], row["as_good"]) == ("age", True, False)
    (message,) = [s for s in result.sentences() if "age" in s]
    assert message.endswith(
        f"reads age: the best rule found without it is wrong in {100 * row['wrong']:.1f} % of the "
        f"rows instead of {100 * result.selected_wrong:.1f} %."
    )


@pytest.mark.slow
def test_differences_of_a_rule_are_described_by_a_correct_clause():
    X, y = load_sample("breast_cancer").xy("diagnosis")
    X = X[["worst radius", "worst texture", "worst smoothness"]]
    model = BoxSearchClassifier(theta=3.0, n_clauses=1, random_state=0).fit(X, y)
    rivals = alternatives(model, X, y, 0.05)
    result = 0
    for k in range(len(rivals.rules)):
        if (where := rivals.differs_where(k)) is not None:
            result += 1
            held = np.flatnonzero(where.mask(model.read_columns(X)))
            assert where.n_conditions <= 2
            assert 2 * len(set(held) & set(rivals.differing_rows(k))) > len(held)
    assert result > 0


def test_first_sentence_states_completeness():
    model, X, y, weight = learned(0)
    rivals = alternatives(model, X, y, 0.1, max_conditions=2, sample_weight=weight)
    n = len(rivals.rules)
    assert rivals.sentences()[0] == (
        f"{n} rules cost at most 10.0 % of the rows more than the best (a wrong row counts its "
        "weight, a condition 1.5). These are all rules of one clause and at most 2 conditions."
    )
    short = replace(rivals, complete=False, complete_to=1)
    assert short.sentences()[0].endswith(
        "All rules of one clause and at most 1 condition are among them; of those up to 2 "
        "conditions time allowed a part."
    )
    longer = replace(short, max_clauses=2)
    assert longer.sentences()[0].endswith("searched for, and there may be more.")
    none = replace(rivals, rules=())
    assert none.sentences() == [
        "No rule over these conditions costs at most 10.0 % of the rows more than the selected "
        "rule; a wrong row counts its weight, a condition 1.5."
    ]


def test_pairs_have_a_mean_and_a_largest_difference():
    model, X, y, weight = learned(1)
    rivals = alternatives(model, X, y, 0.1, sample_weight=weight)
    answers = [rivals.rules[k].predict(rivals.X) for k in rivals.leading[:20]]
    shares = [np.mean(a != b) for k, a in enumerate(answers) for b in answers[k + 1 :]]
    assert len(shares) > 1
    message = rivals.sentences()[-1]
    assert f"{100 * np.mean(shares):.1f} % of the rows on average" in message
    assert f"{100 * np.max(shares):.1f} % at most" in message
