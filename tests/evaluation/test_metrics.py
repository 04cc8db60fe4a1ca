"""Measures: compared with scikit-learn's, and at the places where they are not defined."""

import math
import warnings

import numpy as np
import pandas as pd
import pytest
from fairlearn import metrics as fair
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics as sk
from sklearn.metrics import brier_score_loss

from rulekit import Costs, FixedRuleClassifier
from rulekit.data import row_groups
from rulekit.data.groups import GROUP_MEASURES
from rulekit.evaluation import brier_score, group_metrics, metrics, reliability
from rulekit.rules import Clause, Literal, RuleSet, wilson_interval
from tests.strategies.rules import clauses

ROWS = st.lists(
    st.tuples(st.sampled_from("ab"), st.sampled_from("ab"), st.sampled_from([0.5, 1.0, 2.0])),
    min_size=1,
    max_size=12,
)


def parts(rows):
    y, predicted, weight = zip(*rows, strict=True)
    return list(y), list(predicted), list(weight)


@given(ROWS)
def test_measures_of_predictions_equal_scikit_learns(rows):
    y, predicted, weight = parts(rows)
    error = 1 - sk.accuracy_score(y, predicted, sample_weight=weight)
    assert metrics.error_rate(y, predicted, weight) == pytest.approx(error)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it warns of classes that are predicted only
        error = 1 - sk.balanced_accuracy_score(y, predicted, sample_weight=weight)
    assert metrics.balanced_error_rate(y, predicted, weight) == pytest.approx(error)
    counts = metrics.confusion_counts(y, predicted, "b", weight)
    assert sum(counts.values()) == sum(weight)
    if "b" not in y + predicted:
        assert math.isnan(metrics.f1_score(counts))
    else:
        f1 = sk.f1_score(y, predicted, pos_label="b", sample_weight=weight)
        assert metrics.f1_score(counts) == pytest.approx(f1)


@given(ROWS, st.lists(st.sampled_from([0.0, 0.25, 0.5, 1.0]), min_size=12, max_size=12))
def test_area_with_ties_and_weights_equals_scikit_learn(rows, scores):
    y, _, weight = parts(rows)
    scores = scores[: len(y)]
    area = metrics.area_under_roc(y, scores, "b", weight)
    if len(set(y)) == 1:
        assert math.isnan(area)
    else:
        expected = sk.roc_auc_score([c == "b" for c in y], scores, sample_weight=weight)
        assert area == pytest.approx(expected)


def test_rates_and_scores_need_weight_and_probabilities():
    assert math.isnan(metrics.error_rate([1, 0], [1, 1], [0, 0]))
    predicted = np.array(["yes", "no"], dtype=object)
    assert metrics.error_rate(np.array(["yes", "yes"]), predicted) == 0.5
    costs = Costs(miss=7, false_alarm=1)
    assert metrics.cost_per_100([1, 0, 0, 0], [0, 1, 0, 0], costs) == 200
    assert metrics.cost_per_100([1, 0, 0, 0], [0, 1, 0, 0], costs, [1, 1, 2, 4]) == 100
    assert metrics.cost_per_100([1, 0, 0, 0], [0, 1, 0, 0], costs, positive=0) == 200
    assert metrics.cost_per_100([1, 1, 0], [0, 1, 0], costs, positive=0) == pytest.approx(100 / 3)
    assert metrics.cost_per_100([1, 1, 0], [1, 1, 0], costs) == 0
    with pytest.raises(ValueError, match="must hold a probability, from 0 to 1"):
        reliability([True], [1.5])
    with pytest.raises(ValueError, match="must hold a probability, from 0 to 1"):
        brier_score([True], [0.5, 0.5])
    assert np.isnan(brier_score([], []))


PREDICTED = st.lists(
    st.tuples(st.booleans(), st.sampled_from([0.0, 0.1, 0.25, 0.3, 0.7, 0.95, 1.0])), min_size=1
)


@given(PREDICTED)
def test_tenths_and_brier_score_equal_scikit_learn(rows):
    true, chance = map(np.array, zip(*rows, strict=True))
    table = reliability(true, chance)
    assert table["rows"].sum() == len(rows)
    assert table["rows"] @ table["share"] == pytest.approx(true.sum())
    assert table["rows"] @ table["stated"] == pytest.approx(chance.sum())
    for row in table.to_dict("records"):
        last = row["high"] == 1.0
        own = (chance >= row["low"] - 1e-9) & (last | (chance < row["high"] - 1e-9))
        assert row["rows"] == own.sum() > 0
        assert row["share"] == pytest.approx(true[own].mean())
        assert row["low95"] <= row["share"] + 1e-9
        assert row["share"] <= row["high95"] + 1e-9
    assert brier_score(true, chance) == pytest.approx(brier_score_loss(true, chance))


FAIR = {
    "found": fair.true_positive_rate,
    "false_alarms": fair.false_positive_rate,
    "called_positive": fair.selection_rate,
}
RULE = RuleSet((Clause((Literal("x", ">", 0),)),), ("yes",), "dnf", "no")


def generated(n=600, seed=0):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame({"x": rng.normal(size=n), "town": rng.choice(["a", "b", "c"], n)})
    return X, np.where(X["x"] + (X["town"] == "a") + rng.normal(size=n) > 0, "yes", "no")


def agree_with_fairlearn(model, X, y, group, positive):
    """Set every share, and with no group left out every gap, beside fairlearn's own."""
    result = group_metrics(model, X, y, group, positive=positive, few=1)
    groups = row_groups(X[group], group).of_rows
    true, called = (np.asarray(v, dtype=object) == positive for v in (y, model.predict(X)))
    wrong = np.asarray(model.predict(X), dtype=object) != np.asarray(y, dtype=object)
    for name, measure in FAIR.items():
        theirs = fair.MetricFrame(
            metrics=measure, y_true=true, y_pred=called, sensitive_features=groups
        )
        ours = result.table[name].sort_index()
        known = ours.notna()  # of no rows fairlearn says 0
        assert ours[known].tolist() == pytest.approx(theirs.by_group.sort_index()[known].tolist())
        assert result.overall[name] == pytest.approx(theirs.overall)
        if known.all():
            assert result.gaps[name].size == pytest.approx(theirs.difference())
    error = pd.Series(wrong.astype(float)).groupby(groups).mean()
    assert result.table["error"].sort_index().tolist() == pytest.approx(error.tolist())


def test_gaps_and_their_intervals_equal_fairlearn_and_newcombe():
    X, y = generated()
    agree_with_fairlearn(RULE, X, y, "town", "yes")
    agree_with_fairlearn(RULE, X, y, "x", "no")
    # Newcombe 1998, table II: 56 of 70 against 48 of 80, method 10
    X = pd.DataFrame({"x": np.r_[np.ones(56), -np.ones(14), np.ones(48), -np.ones(32)]})
    X["g"] = ["a"] * 70 + ["b"] * 80
    gap = group_metrics(RULE, X, ["no"] * 150, "g").gaps["called_positive"]
    assert (gap.high, gap.low) == ("a", "b")
    assert gap.size == pytest.approx(0.2)
    assert gap.interval == pytest.approx((0.0524, 0.3339), abs=5e-5)
    assert not gap.by_chance


PLAIN = ("age", "size", "colour", "town", "smoker")


def rules():
    """Rules of up to three clauses, each giving one of three classes."""
    pairs = st.tuples(clauses("and", 3, PLAIN), st.sampled_from(("yes", "no", "perhaps")))
    return st.lists(pairs, max_size=3).map(
        lambda given: RuleSet(tuple(c for c, _ in given), tuple(v for _, v in given), "dnf", "no")
    )


@pytest.mark.slow
@given(rules(), st.integers(0, 10_000))
def test_figures_equal_a_plain_count(rule, seed):
    rng = np.random.default_rng(seed)
    n = 40
    X = {name: rng.choice([-1.0, 0.25, 2.5], n) for name in ("age", "size")}
    X |= {name: rng.choice(["red", "grey"], n) for name in ("colour", "town")}
    X = pd.DataFrame(X | {"smoker": rng.choice([True, False], n)})
    y = rng.choice(["yes", "no", "perhaps"], n)
    result = group_metrics(rule, X, y, "smoker", positive="yes", few=1)
    answers = rule.predict(X)
    for label, row in result.table.iterrows():
        mine = [i for i in range(n) if str(X["smoker"][i]) == label]
        among = {
            "rows": mine,
            "positives": [i for i in mine if y[i] == "yes"],
            "negatives": [i for i in mine if y[i] != "yes"],
        }
        for measure, whole in GROUP_MEASURES.items():
            rows = among[whole]
            counts = answers != y if measure == "error" else answers == "yes"
            hit = [i for i in rows if counts[i]]
            assert row[whole] == len(rows)
            if not rows:
                assert math.isnan(row[measure])
                assert (row[f"{measure}_low"], row[f"{measure}_high"]) == (0.0, 1.0)
                continue
            assert row[measure] == pytest.approx(len(hit) / len(rows))
            interval = row[f"{measure}_low"], row[f"{measure}_high"]
            assert interval == pytest.approx(wilson_interval(len(hit), len(rows)))


def test_small_groups_are_listed_but_not_in_gaps():
    X, y = generated()
    X.loc[:9, "town"] = "tiny"
    X.loc[:9, "x"] = 9.0
    outcome = group_metrics(RULE, X, y, "town")
    assert outcome.table.loc["tiny", "called_positive"] == 1.0
    assert "tiny" not in (outcome.gaps["called_positive"].high, outcome.gaps["called_positive"].low)
    assert outcome.small["error"] == ("tiny",)
    (result,) = [s for s in outcome.sentences() if "fewer than 30 rows" in s]
    shares = "Error, True positive rate of yes, False positive rate of yes, Predicted yes"
    assert result == f"Not compared where town is tiny (fewer than 30 rows): {shares}."
    two = X["town"].isin(["a", "tiny"])
    alone = group_metrics(RULE, X[two], y[two], "town")
    assert alone.gaps == {}
    words = "Not compared: Error. Fewer than two groups have 30 rows or more."
    assert words in alone.sentences()
    town = ["a"] * 30 + ["b"] * 29
    X = pd.DataFrame({"x": np.tile([1.0, -1.0], 30)[:59], "town": town})
    result = group_metrics(RULE, X, ["yes"] * 59, "town")
    assert result.small["found"] == ("b",)


def test_sentences_list_the_largest_gap_first_with_figures():
    X, y = generated()
    result = group_metrics(RULE, X, y, "town")
    sizes = [gap.size for gap in result.gaps.values()]
    assert f"A gap of {100 * max(sizes):.1f} points" in result.sentences()[0]
    assert len(result.sentences()) == 4


@pytest.mark.parametrize(
    ("names", "words"),
    [
        (("a", "b"), "Predicted yes: a 100.0 %, b 0.0 %. A gap"),
        ((2, 0), "Predicted yes: 100.0 % for n 2, 0.0 % for n 0. A gap"),
        (("z2", "z0"), "Predicted yes: 100.0 % for n z2, 0.0 % for n z0. A gap"),
    ],
)
def test_the_number_of_a_group_is_behind_its_share(names, words):
    X, y = generated()
    predicted = RULE.predict({"x": X["x"].to_numpy()}) == "yes"
    result = group_metrics(RULE, X, y, row_groups(pd.Series(np.where(predicted, *names)), "n"))
    assert any(sentence.startswith(words) for sentence in result.sentences())


def test_groups_come_from_any_column_with_missing_ones_apart():
    X, y = generated()
    inside = group_metrics(RULE, X, y, "town")
    outside = group_metrics(RULE, X[["x"]], y, X["town"])
    assert outside.name == "town"
    pd.testing.assert_frame_equal(inside.table, outside.table)
    X.loc[:99, "town"] = None
    assert group_metrics(RULE, X, y, "town").table["rows"]["missing"] == 100
    model = FixedRuleClassifier(RULE).fit(X, y)
    of_model, of_rule = (group_metrics(one, X, y, "town").table for one in (model, RULE))
    pd.testing.assert_frame_equal(of_model, of_rule)


def test_a_rule_of_several_outcomes_is_counted_class_by_class():
    rule = RuleSet((*RULE.clauses, Clause((Literal("x", "<", -1),))), ("yes", "no"), "dnf", "so")
    X, y = generated()
    words = r"counted for one class\. Set `positive` to one of 'no', 'so', 'yes'"
    with pytest.raises(ValueError, match=words):
        group_metrics(rule, X, y, "town")
    called = group_metrics(rule, X, y, "town", positive="no").overall["called_positive"]
    assert called == pytest.approx((X["x"] < -1).mean())


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"group": "city"}, r"`group` names column 'city', which the table does not have"),
        ({"group": ["a"]}, r"all 1 rows are in group 'a'"),
        ({"group": ["a", "b"]}, r"`group` must have a value for each of the 600 rows; it has 2"),
        ({"group": np.arange(600).astype(str)}, r"at most 50 .* has 600 different values"),
        ({"y": ["no"]}, r"`y` must have a value for each of the 600 rows; it has 1"),
        ({"y": [None] * 600}, r"`y` must hold a class in every row; it is missing in 600"),
        ({"positive": "maybe"}, r"`positive` must be one of .* \('no', 'yes'\), got 'maybe'"),
        ({"few": 0}, r"`few` must be a whole number of rows, 1 or more; got 0"),
    ],
)
def test_bad_input_is_refused_in_words(change, expected):
    X, y = generated()
    given = {"group": "town", "y": y} | change
    with pytest.raises(ValueError, match=expected):
        group_metrics(RULE, X, **given)
