"""`fit_table`: what is planted is found, and every figure is that of all rows."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from rulekit import BoxSearchClassifier, Constraints, Costs, RuleClassifier
from rulekit.data import columns_of
from rulekit.data.columns.conform import infer as infer_schema
from rulekit.exceptions import DataError, EmptyRuleWarning, StoppedError, UnseenValuesWarning
from rulekit.learners.from_table.fit import tallies
from rulekit.learners.from_table.rows import Parts, TableRows
from rulekit.rules import Clause, Literal, RuleSet, clause_statistics
from tests.engine_tables import as_arrow, everywhere
from tests.learners.tables import in_engine, mixed_table

pytestmark = pytest.mark.slow

pytest.importorskip("ibis")
N = 60_000
CUTS = {"x0": 0.337, "x1": 0.712, "x2": 0.611, "x3": 0.458}


def planted(n=N, seed=0, noise=0.1):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(rng.random((n, 6)), columns=[f"x{j}" for j in range(6)])
    holds = (frame["x0"] > CUTS["x0"]) & (frame["x1"] <= CUTS["x1"])
    holds |= (frame["x2"] > CUTS["x2"]) & (frame["x3"] > CUTS["x3"])
    return frame.assign(y=np.where(holds ^ (rng.random(n) < noise), "yes", "no")), holds


def learner(**given):
    settings = {"theta": 2.0, "n_clauses": 3, "n_perturbations": 0, "random_state": 0}
    settings |= {"refine_thresholds": True, "positive_label": "yes"}
    return BoxSearchClassifier(**settings | given)


@pytest.fixture(scope="module")
def fitted():
    frame, holds = planted()
    model = learner().fit_table(in_engine(frame), "y", test_share=0.2, sample_rows=3000)
    return frame, holds, model


def test_planted_rule_is_found_with_its_error(fitted):
    frame, holds, model = fitted
    cuts = {c.feature: c.value for clause in model.rule_set_.clauses for c in clause.conditions}
    assert set(cuts) == set(CUTS)
    assert all(abs(cuts[name] - CUTS[name]) < 0.003 for name in CUTS)
    wrong = np.mean(np.where(holds, "yes", "no") != frame["y"])
    result = model.table_certificate_
    assert (result.training.errors + result.test.errors) / N < wrong + 0.001


def test_a_rule_of_a_table_knows_levels_ranges_and_gaps_of_training_rows():
    rng = np.random.default_rng(4)
    day = pd.Timestamp("2020-05-01") + pd.to_timedelta(rng.integers(0, 900, 3000), "D")
    frame = pd.DataFrame({"town": rng.choice(["Ulm", "Bonn", "Kiel"], 3000), "day": day,
                          "n": rng.integers(1, 90, 3000), "paid": rng.random(3000) < 0.5,
                          "x": rng.normal(size=3000)})  # fmt: skip
    y = (frame["town"] == "Ulm") & (frame["n"] > 40) | (frame["day"] > "2021-09-01") & frame["paid"]
    frame["y"] = np.where(y & (frame["x"] < 1.2), "yes", "no")
    frame.loc[::9, "x"] = np.nan
    model = BoxSearchClassifier(theta=0.5, n_clauses=4, random_state=0)
    model.fit_table(in_engine(frame), "y", sample_rows=2000)
    expected = infer_schema(frame[list(model.rule_set_.features)])
    assert {"town", "n", "paid"} <= set(model.rule_set_.features)
    for column in model.rule_set_.schema.columns:
        theirs = expected.column(column.name)
        for part in ("kind", "levels", "low", "high", "gaps"):
            assert getattr(column, part) == getattr(theirs, part), column
    with pytest.warns(UnseenValuesWarning, match="'Rom'"):
        model.rule_set_.predict(frame.assign(town="Rom"))


def test_every_figure_counts_all_rows(fitted):
    frame, _, model = fitted
    X, result = frame.drop(columns="y"), model.table_certificate_
    answers = model.predict(X)
    assert result.training.errors + result.test.errors == int((answers != frame["y"]).sum())
    assert result.n_rows == result.training.n + result.test.n == N
    assert 0.19 < result.test.n / N < 0.21
    learned_from, held_back = str(result).splitlines()[:2]
    assert f"{result.training.errors:,} wrong" in learned_from
    by = f"by a hash of the whole row and the seed {result.seed}"
    assert f"{by}: {result.test.errors:,} wrong" in held_back
    assert model.training_error_ == pytest.approx(result.training.error)
    assert model.n_conditions_ == model.rule_set_.n_conditions == 4
    assert model.objective_ == pytest.approx(model.training_error_ * 3000 + 2.0 * 4)
    # shares of all rows learned from: a fifth of the rows here took no part
    whole = model.predict_proba(X)
    fired = model.clauses_fired(X).any(axis=1)
    truth = (frame["y"] == "yes").to_numpy()
    assert whole[fired, 1].mean() == pytest.approx(truth[fired].mean(), abs=0.01)
    assert (model.get_rules()["share"] > 0.85).all()
    step = result.steps
    assert step["wrong"].min() == result.training.errors
    assert (step["error"] == step["wrong"] / result.training.n).all()


@pytest.mark.slow
def test_the_rule_depends_on_the_seed_and_not_on_the_order_of_rows(fitted):
    frame, _, model = fitted
    mixed = frame.sample(frac=1, random_state=1)
    again = learner().fit_table(in_engine(mixed), "y", test_share=0.2, sample_rows=3000)
    assert again.rule_set_ == model.rule_set_
    pd.testing.assert_frame_equal(again.table_certificate_.steps, model.table_certificate_.steps)
    other = learner(random_state=1).fit_table(in_engine(frame), "y", test_share=0.2)
    assert other.table_certificate_.test.n != model.table_certificate_.test.n


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"class_weight": "balanced"},
        {"costs": Costs(miss=3, false_alarm=1, positive="yes")},
        {"constraints": Constraints(forbidden=("town",), required=("flag",))},
        {"form": "cnf"},
    ],
    ids=lambda given: " ".join(given) or "plain",
)
def test_table_within_the_sample_size_gives_the_rule_of_fit(given):
    X, y = mixed_table(n=700)
    model = learner(**given).fit_table(in_engine(X.assign(y=y)), "y")
    # rows are drawn in the order of their hash, on which this learner does not depend
    plain = learner(**given).fit(X, y)
    assert model.rule_set_ == plain.rule_set_
    assert model.training_error_ == pytest.approx(plain.training_error_)
    np.testing.assert_allclose(model.predict_proba(X), plain.predict_proba(X), rtol=1e-9)
    np.testing.assert_allclose(model.decision_function(X), plain.decision_function(X), rtol=1e-9)


@pytest.mark.slow
def test_a_rare_class_weighs_in_a_sample_what_it_weighs_in_the_table():
    frame, holds = planted(noise=0.0)
    rare = holds & (np.random.default_rng(5).random(N) < 0.02)
    frame = frame.assign(y=np.where(rare, "yes", "no"))
    with pytest.warns(EmptyRuleWarning, match="answers 'no' to every row"):
        plain = learner().fit_table(in_engine(frame), "y", sample_rows=3000)
    assert plain.rule_set_.is_constant  # one in fifty is no reason to answer yes
    even = learner(class_weight="balanced").fit_table(in_engine(frame), "y", sample_rows=3000)
    assert set(even.rule_set_.features) == set(CUTS)
    result = even.table_certificate_.training
    recall, alarms = result.confusion[1, 1] / result.confusion[1].sum(), result.confusion[0]
    assert recall > 0.97
    assert even.training_error_ == pytest.approx((1 - recall + alarms[1] / alarms.sum()) / 2)


@pytest.mark.slow
def test_several_classes_are_a_list_counted_on_all_rows():
    frame, _ = planted(20_000, noise=0.0)
    parts = np.select([frame["x0"] > 0.7, frame["x1"] > 0.6], ["high", "mid"], "low")
    frame = frame.assign(y=parts)
    model = learner(positive_label=None, n_clauses=1)
    model.fit_table(in_engine(frame), "y", sample_rows=2000)
    answers = model.predict(frame.drop(columns="y"))
    assert model.table_certificate_.training.errors == (answers != parts).sum()
    assert model.training_error_ < 0.001
    assert model.classes_.tolist() == ["high", "low", "mid"]


@pytest.mark.slow
@pytest.mark.parametrize("forms", [("rule",), ("points",)])
def test_the_learner_to_start_with_does_so_too(forms):
    frame, _ = planted(20_000)
    given = {"cv": 2, "max_conditions": 4, "forms": forms, "positive_label": "yes"}
    model = RuleClassifier(**given)
    model.fit_table(in_engine(frame), "y", test_share=0.3, sample_rows=1500)
    X = frame.drop(columns="y")
    result = model.table_certificate_
    assert result.training.errors + result.test.errors == (model.predict(X) != frame["y"]).sum()
    assert model.choice_.form == forms[0]
    assert model.predict_proba(X).shape == (len(X), 2)
    if forms == ("rule",):
        assert model.learner_.rule_set_ == model.rule_set_
        assert set(model.rule_set_.features) == set(CUTS)
        held = clone(model).set_params(refine=False)
        held.fit_table(in_engine(frame), "y", test_share=0.3, sample_rows=1500)
        assert held.training_error_ > model.training_error_


@pytest.mark.slow
@everywhere
def test_every_engine_draws_learns_and_counts(put):
    frame, _ = planted(8000)
    frame["town"] = np.where(frame["x0"] > 0.9, None, np.where(frame["x1"] > 0.5, "Ulm", "Köln"))
    table = put(as_arrow(columns_of(frame)))
    model = learner().fit_table(table, "y", test_share=0.25, sample_rows=2000)
    result = model.table_certificate_
    assert result.training.n + result.test.n == 8000
    assert 0.2 < result.test.n / 8000 < 0.3
    answers = model.predict(frame.drop(columns="y"))
    assert result.training.errors + result.test.errors == (answers != frame["y"]).sum()
    assert set(model.rule_set_.features) == set(CUTS)
    assert model.training_error_ < 0.115
    again = learner().fit_table(table, "y", test_share=0.25, sample_rows=2000)
    assert again.rule_set_ == model.rule_set_


def test_impossible_requests_are_refused_in_a_sentence():
    frame, _ = planted(300)
    table = in_engine(frame)
    for error, message, call in (
        (ValueError, "must be a table of ibis, got DataFrame", (frame, "y", {})),
        (ValueError, "`sample_rows` must be .* got 5", (table, "y", {"sample_rows": 5})),
        (ValueError, "`test_share` must be .* got 1", (table, "y", {"test_share": 1})),
        (DataError, "has no column 'z'", (table, "z", {})),
    ):
        with pytest.raises(error, match=message):
            learner().fit_table(call[0], call[1], **call[2])
    gaps = RuleClassifier(groups="x0", max_gap=0.1, positive_label="yes")
    with pytest.raises(ValueError, match="does not support `groups` and `max_gap`"):
        gaps.fit_table(table, "y")


def test_callback_gets_progress_and_can_stop():
    frame, _ = planted(5000)
    result = []

    def watch(share, what):
        result.append((share, what))
        if what.startswith("Counting"):
            raise StoppedError("enough")

    with pytest.raises(StoppedError, match="enough"):
        learner().fit_table(in_engine(frame), "y", sample_rows=1000, on_progress=watch)
    assert [w.split()[0] for _, w in result] == ["Drawing", "Learning", "Counting"]
    assert all(0 <= share <= 1 for share, _ in result)


@pytest.mark.parametrize("form", ["dnf", "cnf"])
def test_a_tally_counts_a_rule_and_its_clauses_to_the_row(form):
    X, y = mixed_table(n=900)
    op = "and" if form == "dnf" else "or"
    clauses = (
        Clause((Literal("age", ">", 50.0), Literal("bmi", ">", 27.0, True)), op),
        Clause((Literal("town", "in", ("Ulm", "Kiel")), Literal("smoker", "==", True)), op),
    )
    rule = RuleSet(clauses, ("yes", "yes"), form, "no")
    rows = TableRows(in_engine(X.assign(y=y)), "y", None, Parts(test_share=0.4))
    outcome = tallies(rule, rows.count_kinds(rule), ["no", "yes"])
    answers = rule.predict(X)
    assert sum(t.n for t in outcome) == 900
    assert sum(t.errors for t in outcome) == int((answers != y).sum())
    both = outcome[0].confusion + outcome[1].confusion
    assert both[1, 0] == int(((y == "yes") & (answers == "no")).sum())
    for k, result in enumerate(clause_statistics(rule, X, y)):
        assert sum(t.matched[k] for t in outcome) == result.n
        assert sum(t.right[k] for t in outcome) == result.positives
