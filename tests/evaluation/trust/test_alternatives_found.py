"""What alternatives say in words, and where their answers differ."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from rulekit import BoxSearchClassifier, alternatives, load_sample
from tests.evaluation.trust.test_alternatives import learned, mixed


def test_columns_with_equal_content_replace_each_other():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.normal(size=200), "c": rng.normal(size=200)})
    X["b"] = np.exp(X["a"])
    y = (X["a"] > 0.2) ^ (rng.random(200) < 0.05)
    model = BoxSearchClassifier(theta=3.0, n_clauses=1, random_state=0).fit(X, y)
    found = alternatives(model, X, y)
    (hand,) = model.rule_set_.features
    other = {"a": "b", "b": "a"}[hand]
    row = found.columns.set_index("column").loc[hand]
    assert (row["as_good"], row["needed"], row["instead"]) == (True, False, (other,))
    message = found.sentences({hand: "Hand", other: "Other"})
    assert any(s.startswith("Hand can be left out: Other takes its place") for s in message)
    assert "These are all rules of one clause and at most 1 condition." in message[0]


@pytest.mark.slow
def test_column_of_the_rule_can_be_left_out_on_a_sample():
    X, y = load_sample("breast_cancer").xy("diagnosis")
    model = BoxSearchClassifier(theta=5.0, n_clauses=1, random_state=0).fit(X, y)
    found = alternatives(model, X, y)
    most_used = found.columns.iloc[0]
    assert most_used["as_good"]
    wrong = (most_used["without"].predict(model.read_columns(X)) != y.to_numpy()).mean()
    (message,) = [
        s for s in found.sentences() if s.startswith(f"{most_used['column']} can be left")
    ]
    assert (
        f"{100 * wrong:.1f} % of the rows instead of {100 * found.selected_wrong:.1f} % are wrong."
        in message
    )
    assert wrong <= found.selected_wrong + 0.02


def test_needed_column_is_reported_with_its_cost():
    X, y, _ = mixed(3, 400)
    y = np.where(X["age"] > 40, "ill", "well")
    model = BoxSearchClassifier(theta=1.0, n_clauses=1, positive_label="ill").fit(X, y)
    found = alternatives(model, X, y)
    row = found.columns.iloc[0]
    assert (row["column"], row["needed"], row["as_good"]) == ("age", True, False)
    (message,) = [s for s in found.sentences() if "age" in s]
    assert message.endswith(
        f"reads age: the best rule found without it is wrong in {100 * row['wrong']:.1f} % of the "
        f"rows instead of {100 * found.selected_wrong:.1f} %."
    )


@pytest.mark.slow
def test_differences_of_a_rule_are_described_by_a_correct_clause():
    X, y = load_sample("breast_cancer").xy("diagnosis")
    X = X[["worst radius", "worst texture", "worst smoothness"]]
    model = BoxSearchClassifier(theta=3.0, n_clauses=1, random_state=0).fit(X, y)
    found = alternatives(model, X, y, 0.05)
    result = 0
    for k in range(len(found.rules)):
        where = found.differs_where(k)
        rows = found.differing_rows(k)
        if where is None:
            continue
        result += 1
        held = np.flatnonzero(where.mask(model.read_columns(X)))
        assert where.n_conditions <= 2
        assert 2 * len(set(held) & set(rows)) > len(held)
    assert result > 0


def numbers_in_words(found):
    return found.sentences()[0]


def test_first_sentence_states_completeness():
    model, X, y, weight = learned(0)
    found = alternatives(model, X, y, 0.1, max_conditions=2, sample_weight=weight)
    n = len(found.rules)
    assert numbers_in_words(found) == (
        f"{n} rules cost at most 10.0 % of the rows more than the best (a wrong row counts its "
        "weight, a condition 1.5). These are all rules of one clause and at most 2 conditions."
    )
    short = replace(found, complete=False, complete_to=1)
    assert numbers_in_words(short).endswith(
        "All rules of one clause and at most 1 condition are among them; of those up to 2 "
        "conditions time allowed a part."
    )
    longer = replace(short, max_clauses=2)
    assert numbers_in_words(longer).endswith("searched for, and there may be more.")
    none = replace(found, rules=())
    assert none.sentences() == [
        "No rule over these conditions costs at most 10.0 % of the rows more than the rule in "
        "hand; a wrong row counts its weight, a condition 1.5."
    ]


def test_pairs_have_a_mean_and_a_largest_difference():
    model, X, y, weight = learned(1)
    found = alternatives(model, X, y, 0.1, sample_weight=weight)
    answers = [found.rules[k].predict(found.X) for k in found.leading[:20]]
    shares = [np.mean(a != b) for k, a in enumerate(answers) for b in answers[k + 1 :]]
    assert len(shares) > 1
    message = found.sentences()[-1]
    assert f"{100 * np.mean(shares):.1f} % of the rows on average" in message
    assert f"{100 * np.max(shares):.1f} % at most" in message
