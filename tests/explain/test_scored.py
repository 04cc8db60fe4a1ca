"""A rule applied to new cases: answers and clauses, drift first, then and now."""

import re

import numpy as np
import pandas as pd
import pytest
from scipy.stats import fisher_exact

from rulekit import BoxSearchClassifier, DataError, explain, load_sample
from rulekit.explain import score
from rulekit.rules import Clause, Literal, PointsSplit, RuleSet

TABLE = load_sample("credit")
X, Y = TABLE.xy()
SEARCH = BoxSearchClassifier(
    max_conditions=6, n_clauses=3, theta=0.2, n_perturbations=0, random_state=0
)


@pytest.fixture(scope="module")
def model():
    return SEARCH.fit(X[:600], Y[:600])


@pytest.mark.slow
@pytest.mark.parametrize("form", ["dnf", "cnf"])
def test_answers_clauses_and_missing_match_the_rule_by_row(form):
    from sklearn.base import clone

    model = clone(SEARCH).set_params(form=form).fit(X[:600], Y[:600])
    scores = score(model, X[600:])
    rule = model.rule_set_
    reported = rule if form == "dnf" else rule.negate()
    assert scores.answers.tolist() == model.predict(X[600:]).tolist()
    for i in range(len(scores)):
        row = model.read_columns(X.iloc[[600 + i]])
        masks = [clause.condition_masks(row)[0] for clause in reported.clauses]
        holding = [k + 1 for k, mask in enumerate(masks) if mask.all()]
        assert scores.clauses[i] == (holding[0] if holding else 0)
        assert scores.missing[i] == (0 if holding else min((~mask).sum() for mask in masks))


def test_unread_columns_may_be_missing_new_or_anything(model):
    part = X.loc[600:, list(model.rule_set_.features)[::-1]].assign(extra=1.0)
    assert score(model, part).answers.tolist() == model.predict(X[600:]).tolist()
    unread = next(name for name in X.columns if name not in model.rule_set_.features)
    part = X.loc[600:620].assign(**{unread: "?"})
    assert score(model, part).explain_rows([0])[0].prediction == model.predict(X.loc[600:600])[0]
    some = Y[800:].astype(object).where(np.arange(200) < 50)
    scores = score(model, X[800:], outcomes=some, before=(X[600:800], Y[600:800]))
    assert scores.figures[0].n_now == 50
    turned = Y[800:].map({"high": "low", "low": "high"})
    scores = score(model, X[800:], outcomes=turned, before=(X[600:800], Y[600:800]))
    assert scores.figures[0].worse
    assert scores.sentence.startswith("The rule no longer holds as it did: ")


@pytest.mark.slow
def test_the_smallest_change_of_each_row_turns_its_answer(model):
    scores = score(model, X[600:700], training=(X[:600], Y[:600]))
    table = scores.table(changes=True)
    assert list(table.index) == list(X.index[600:700])
    for i, explained in enumerate(scores.explain_rows(range(100))):
        assert table["smallest change"].iloc[i] == explained.counterfactual.sentence
        after = X.iloc[[600 + i]].copy()
        for change in explained.counterfactual.changes:
            after[change.feature] = after[change.feature].astype(object)
            after.loc[after.index[0], change.feature] = change.new
        assert model.predict(after.infer_objects())[0] != scores.answers[i]


def test_then_and_now_are_the_counts_and_fisher_s_test_of_them(model):
    scores = score(model, X[800:], outcomes=Y[800:], before=(X[600:800], Y[600:800]))
    whole = scores.figures[0]
    right = [int((model.predict(X[a:b]) == Y[a:b]).sum()) for a, b in ((600, 800), (800, 1000))]
    assert (whole.n_then, whole.n_now) == (200, 200)
    assert [whole.right_then, whole.right_now] == right
    counts = [[right[0], 200 - right[0]], [right[1], 200 - right[1]]]
    assert whole.chance == fisher_exact(counts, alternative="greater").pvalue
    assert "still holds" in scores.sentence
    assert len(scores.figures) == 1 + model.rule_set_.n_clauses
    one = score(model, X[800:801], outcomes=Y[800:801], before=(X[600:800], Y[600:800]))
    assert re.match(r"Too few cases .*: wrong for [01] of 1 case\.", one.sentence)


@pytest.mark.parametrize(
    ("clause", "name"),
    [(1, "clause 1 is"), (2, "clause 2 is"), (1, "total from 2 is"), (2, "total 1 is")],
)
def test_a_clause_that_alone_is_worse_is_named(clause, name):
    one, two = Literal("a", "==", 1.0), Literal("a", "==", 2.0)
    conditions = [one, two]
    if name.startswith("total"):
        conditions = [PointsSplit((one, two), (2, 1), total) for total in (2, 1)]
    clauses = tuple(Clause((condition,)) for condition in conditions)
    rule = RuleSet(clauses, ("yes", "maybe"), "dnf", "no")
    X = pd.DataFrame({"a": np.repeat([0.0, 1.0, 2.0], [5000, 20, 20])})
    before = np.repeat(["no", "yes", "maybe"], [5000, 20, 20])
    now = before.copy()
    now[X["a"] == clause] = "no"
    before[:20] = "yes"  # wrong as often as now
    scores = score(rule, X, outcomes=now, before=(X, before))
    assert "as a whole (wrong for 0.4 % of these 5,040 cases" in scores.sentence
    assert scores.sentence.endswith(f"but {name} wrong more often.")


def test_drift_is_reported_first_and_a_retyped_column_refused(model):
    name = next(f for f in model.rule_set_.features if TABLE.column(f).is_number)
    shifted = X[600:].assign(**{name: X[name] + 3 * X[name].std()})
    kinds = {(n.column, n.kind) for n in score(model, shifted, reference=TABLE).drift}
    assert (name, "moved") in kinds
    texts = X[600:].assign(**{name: X[name].astype(str)})
    assert score(model, texts, reference=X).drift == score(model, texts, reference=TABLE).drift
    with pytest.raises(DataError, match=rf"cannot predict these cases.*{name}"):
        score(model, X[600:].assign(**{name: "many"}), reference=TABLE)
    with pytest.raises(DataError, match=rf"cannot predict these cases.*{name}"):
        score(model, X[600:].drop(columns=name), reference=TABLE)


def test_outcomes_of_another_length_and_no_rows_are_refused(model):
    rule = RuleSet((Clause((Literal("a", ">", 1),)),), ("yes",), "dnf", "no")
    with pytest.raises(DataError, match="2 values for 1 rows"):
        score(rule, pd.DataFrame({"a": [1.0]}), outcomes=["yes", "no"])
    with pytest.raises(DataError, match="no rows"):
        score(model, X[:0])


@pytest.mark.slow
def test_cases_without_unread_columns_are_explained_and_written(model):
    read = list(model.rule_set_.features)
    unread = next(name for name in X.columns if name not in read)
    scores = score(model, X.loc[600:620].drop(columns=unread), training=(X[:600], Y[:600]))
    whole = score(model, X.loc[600:620], training=(X[:600], Y[:600]))
    assert [e.sentence for e in scores.explain_rows([0, 1])] == [
        e.sentence for e in whole.explain_rows([0, 1])
    ]
    pd.testing.assert_frame_equal(scores.table(changes=True), whole.table(changes=True))


def test_a_list_counts_the_rows_that_each_clause_decides():
    clauses = (Clause((Literal("a", ">", 2.0),)), Clause((Literal("a", ">", 0.0),)))
    rule = RuleSet(clauses, ("yes", "no"), "dnf", "yes")
    X, y = pd.DataFrame({"a": [0.0, 1.0, 2.0, 3.0]}), np.array(["yes", "no", "yes", "no"])
    scores = score(rule, X, outcomes=y, before=(X, y))
    assert [(f.n_now, f.right_now) for f in scores.figures] == [(4, 2), (1, 0), (2, 1)]
    pasts = [e.past for e in explain(rule, X, training=(X, y))]
    assert [(p.n, p.n_same) for p in (pasts[3], pasts[1])] == [(1, 0), (2, 1)]
