"""Scorecards as a learner: the rule shown is what decides, and chances go with its totals."""

import warnings
from itertools import combinations, pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import log_loss

from rulekit import Binarizer, Literal, RuleError, ScorecardClassifier, load_sample
from rulekit.exceptions import EmptyRuleWarning
from rulekit.families.scorecard import scorecard
from rulekit.families.scorecard.scorecard import LEAST_SHARE, bands_of, rule_of_bands
from rulekit.families.scorecard.solver.search import PointsPath
from rulekit.learners.shares import SHRINK
from rulekit.rules import PointsSplit
from tests.learners.tables import mixed_table


def noisy(seed=0, n=400):
    """Points of three conditions and the odds that go with them."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.normal(size=(n, 5)), columns=list("abcde")).round(2)
    total = 3.0 * (X.a > 0) + 2.0 * (X.b > 0.5) - 2.0 * (X.c > -0.5)
    y = np.where(rng.random(n) < 1 / (1 + np.exp(-total + 1.0)), "yes", "no")
    return X, y


def fitted(X, y, **settings):
    return ScorecardClassifier(**({"positive_label": "yes"} | settings)).fit(X, y)


def split_of(model):
    (clause,) = model.rule_set_.clauses
    (split,) = clause.conditions
    assert isinstance(split, PointsSplit)
    return split


@pytest.mark.parametrize("positive", ["yes", "no"])
@pytest.mark.parametrize("table", [noisy, mixed_table])
def test_the_total_decides_and_probabilities_grow_with_it(table, positive):
    X, y = table()
    model = fitted(X, y, positive_label=positive)
    split = split_of(model)
    totals = split.compute_values(model.read_columns(X))
    assert (model.predict(X) == positive).tolist() == (totals >= split.total).tolist()
    chance = model.predict_proba(X)[:, list(model.classes_).index(positive)]
    assert ((chance > 0.5) == (totals >= split.total)).all()
    by_total = pd.Series(chance).groupby(totals).agg(["min", "max"])
    assert (by_total["min"] == by_total["max"]).all()
    assert (np.diff(by_total["max"]) > 0).all()
    assert model.chances_["chance"].tolist() == by_total["max"].tolist()
    assert model.chances_["total"].tolist() == by_total.index.tolist()
    assert model.chances_["weight"].sum() == pytest.approx(len(y))
    assert all(0 < p <= 5 for p in split.points)
    assert model.n_conditions_ == len(split.conditions) <= 8


@pytest.mark.slow
def test_bands_refine_probabilities_without_changing_predictions():
    X, y = noisy()
    plain, fine = fitted(X, y), fitted(X, y, bands=5)
    assert (len(plain.bands_), plain.rule_set_) == (2, fine.rule_set_)
    assert 2 < len(fine.bands_) <= 5
    np.testing.assert_array_equal(plain.predict_proba(X), fine.predict_proba(X))
    totals = split_of(fine).compute_values(fine.read_columns(X))
    chance = fine.predict_proba(X)[:, 1]
    shown = fine.band_rule_.predict(fine.read_columns(X))
    for band in fine.bands_.itertuples():
        held = (band.from_total <= totals) & (totals <= band.to_total)
        assert band.weight == held.sum()
        assert band.share == pytest.approx((y[held] == "yes").mean())
        drawn = (y[held] == "yes").sum() + 100 * chance[held].mean()
        assert band.chance == pytest.approx(drawn / (held.sum() + 100))
        assert set(shown[held]) == {f"{round(100 * band.chance)} of 100"}


def test_planted_points_have_the_total_of_fewest_wrong_rows():
    X, y = noisy(n=4000)
    cuts = Binarizer("manual", thresholds={"a": [0], "b": [0.5], "c": [-0.5], "d": [0], "e": [0]})
    split = split_of(fitted(X, y, max_conditions=3, binarizer=cuts))
    ratio = dict(zip(map(str, split.conditions), split.points, strict=True))
    assert set(ratio) == {"a > 0", "b > 0.5", "c <= -0.5"}
    assert ratio["a > 0"] > max(ratio["b > 0.5"], ratio["c <= -0.5"])
    X, y = noisy()
    model = fitted(X, y, max_conditions=4)
    totals = split_of(model).compute_values(model.read_columns(X))
    errors = [((totals >= t) != (y == "yes")).mean() for t in np.unique(totals)]
    assert model.training_error_ == pytest.approx(min(errors))


def test_paths_hold_every_limit_and_no_useless_card_is_kept():
    X, y = mixed_table()
    path = ScorecardClassifier(4, positive_label="yes").path(X, y)
    assert path["n_conditions"].tolist() == [0, 1, 2, 3, 4]
    assert (np.diff(path["loss"]) < 0).all()
    for row in path.iloc[1:].itertuples():
        model = fitted(X, y, max_conditions=row.n_conditions)
        assert (model.rule_set_, model.training_error_) == (row.rule_set, row.train_error)
    X = pd.DataFrame({"a": np.repeat([0.0, 1.0], [60, 40])})
    y = np.where(np.arange(100) % 10 < np.where(X.a == 1, 4, 1), "yes", "no")
    with pytest.warns(EmptyRuleWarning, match="with any threshold of the total"):
        model = fitted(X, y)
    assert model.objective_ < ScorecardClassifier(0).path(X, y)["loss"][0]
    with warnings.catch_warnings():
        warnings.simplefilter("error", EmptyRuleWarning)
        assert fitted(X, y, class_weight="balanced").n_conditions_ == 1


def test_constraints_are_kept_or_refused():
    X, y = mixed_table()
    wish = Literal("flag", "==", 1.0)
    limits_given = {"forbidden": ["smoker"], "required": [wish, "bmi"], "directions": {"age": "<"}}
    split = split_of(fitted(X, y, max_conditions=4, constraints=limits_given))
    assert wish in split.conditions
    assert "bmi" in split.features
    assert "smoker" not in split.features
    for literal, points in split.given:
        assert literal.feature != "age" or (literal.op == "<=") == (points > 0)
    with pytest.raises(RuleError, match="take more than max_conditions=1"):
        fitted(X, y, max_conditions=1, constraints={"required": ["age", "bmi"]})


def test_required_conditions_have_points_and_bands_have_rows():
    X, y = noisy()
    limits_given = {"required": [Literal("a", "<=", 0)], "directions": {"a": "<"}}
    model = fitted(X, y, max_conditions=1, constraints=limits_given)
    assert split_of(model).given == ((Literal("a", "<=", 0), 1),)
    chance = model.predict_proba(X)[:, 1]
    assert np.ptp(chance) < 0.3
    rare = {"required": [Literal("a", ">", float(np.sort(X.a)[-2]))]}  # in most folds, no row
    assert split_of(fitted(X, y, max_conditions=1, constraints=rare)).n_conditions == 1
    weight = np.array([50.0, 2.0, 48.0])
    reported = {"total": [0, 1, 2], "weight": weight, "share": [0.0, 1.0, 0.9]}
    chances = pd.DataFrame(reported | {"chance": [0.1, 0.6, 0.9]})
    split = PointsSplit(TESTS[:2], (1, 1), 1)
    assert bands_of(chances, split, 3)["from_total"].tolist() == [1, 0]


@pytest.mark.slow
def test_class_weights_move_the_total_and_row_weights_probabilities():
    X, y = noisy()
    plain, weight = fitted(X, y), np.where(y == "yes", 5.0, 1.0)
    by_class = fitted(X, y, class_weight={"yes": 5.0})
    by_row = ScorecardClassifier(positive_label="yes").fit(X, y, weight)
    for model in (by_class, by_row):
        assert (model.predict(X) == "yes").sum() > (plain.predict(X) == "yes").sum()
    chances = by_class.chances_
    assert chances["weight"] @ chances["share"] == pytest.approx((y == "yes").sum())
    heavy = weight[y == "yes"].sum() / weight.sum()
    totals = split_of(by_class).compute_values(by_class.read_columns(X))
    weighed = [weight[totals == t].sum() for t in chances["total"]] @ chances["weighted_share"]
    assert weighed / weight.sum() == pytest.approx(heavy)
    assert by_class.predict_proba(X)[:, 1].mean() == pytest.approx((y == "yes").mean(), abs=0.02)
    assert weight @ by_row.predict_proba(X)[:, 1] / weight.sum() == pytest.approx(heavy, abs=0.02)


@pytest.mark.slow
def test_many_rows_leave_out_as_many_folds_as_needed(monkeypatch):
    X, y = noisy(n=1000)
    every = fitted(X, y).predict_proba(X)
    begun = []

    def counted(problem, *more):
        begun.append(len(problem.weights))
        return PointsPath(problem, *more)

    monkeypatch.setattr(scorecard, "PointsPath", counted)
    monkeypatch.setattr(scorecard, "ENOUGH", 300)
    few = fitted(X, y).predict_proba(X)
    assert begun == [800, 800], "two folds leave out 400 rows"
    assert 0 < np.abs(few - every).max() < 0.1


@pytest.mark.slow
def test_probabilities_come_true_and_do_not_flatter():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(200, 10)), rng.choice(["no", "yes"], 200)
    new, truth = rng.normal(size=(2000, 10)), rng.choice(["no", "yes"], 2000)
    losses = [log_loss(truth, fitted(X, y, calibration_folds=k).predict_proba(new)) for k in (5, 0)]
    assert losses[0] < losses[1]
    assert losses[0] == pytest.approx(np.log(2), abs=0.02)
    X, y = noisy(n=1000)
    new, truth = noisy(seed=1, n=20_000)
    chance = fitted(X, y).predict_proba(new)[:, 1]
    for low in np.arange(0.0, 1.0, 0.2):
        among = (chance >= low) & (chance < low + 0.2)
        assert (truth[among] == "yes").mean() == pytest.approx(chance[among].mean(), abs=0.06)


@pytest.mark.parametrize(
    ("rows_of_yes", "how"), [(1, "on the rows that were learned from"), (2, "on 2 folds")]
)
def test_a_class_with_two_rows_or_one_is_learned_and_reported(rows_of_yes, how):
    X = pd.DataFrame({"a": np.arange(30.0)})
    y = np.where(np.arange(30) < rows_of_yes, "yes", "no")
    reported = f"class 'yes' has {rows_of_yes}, so they were measured {how}"
    with pytest.warns(UserWarning, match=reported):
        model = fitted(X, y, binarizer=Binarizer(n_thresholds=None))
    assert reported in model.few_rows_hint_
    requested = {"calibration_folds": 0}  # not measured, as was asked
    assert fitted(X, y, binarizer=Binarizer(n_thresholds=None), **requested).few_rows_hint_ is None
    assert (model.predict(X) == y).all()
    assert model.predict_proba(X)[0, 1] > 0.5 > model.predict_proba(X)[5, 1]


@pytest.mark.parametrize(
    ("settings", "words"),
    [({"max_conditions": 0}, "max_conditions=0 allows none"), ({}, "tells the classes apart")],
)
def test_card_without_conditions_has_a_reason(settings, words):
    X, y = pd.DataFrame({"a": np.arange(30.0)}), np.repeat(["no", "yes"], [20, 10])
    with pytest.warns(EmptyRuleWarning, match=words):
        model = fitted(X if settings else X * 0, y, **settings)
    assert model.rule_set_.is_constant
    assert set(model.predict(X)) == {"no"}
    share = (10 + SHRINK * 11 / 32) / (30 + SHRINK)
    assert model.predict_proba(X)[0] == pytest.approx([1 - share, share])
    assert model.chances_.empty
    assert model.bands_.empty
    assert (model.band_rule_, model.few_rows_hint_) == (None, None)


@pytest.mark.slow
def test_text_truth_values_and_gaps_are_predicted_like_the_rule():
    X, y = load_sample("credit").xy("risk")
    model = ScorecardClassifier(positive_label="high").fit(X, y)
    blank = pd.DataFrame({name: [None] for name in X.columns}, dtype=object)
    split = split_of(model)
    unknown = sum(given for literal, given in split.given if literal.missing)
    assert model.predict(blank).tolist() == ["high" if unknown >= split.total else "low"]
    assert (model.predict(X) == y).mean() > 0.7


TESTS = tuple(Literal(name, ">", 0) for name in "abcd")


def deviance(weight, share):
    hits = weight @ share
    parts = np.array([hits, weight.sum() - hits])
    parts = parts[parts > 1e-12]
    return -(parts * np.log(parts / weight.sum())).sum()


@st.composite
def cards(draw):
    """A card of few totals, and what rows of each were."""
    points = draw(st.lists(st.integers(-3, 5).filter(bool), min_size=2, max_size=4))
    sums = {0}
    for p in points:
        sums |= {s + p for s in sums}
    met = sorted(draw(st.sets(st.sampled_from(sorted(sums)), min_size=2)))
    k = draw(st.integers(1, len(met) - 1))
    split = PointsSplit(TESTS[: len(points)], tuple(points), met[k])
    rows = [(draw(st.integers(1, 60)), draw(st.integers(0, 10)) / 10) for _ in met]
    weight, share = map(np.array, zip(*rows, strict=True))
    chance = np.sort(np.linspace(0.1, 0.9, len(met)))
    reported = {"total": met, "weight": weight.astype(float), "share": share, "chance": chance}
    return pd.DataFrame(reported), split, k


def ways(weight, decides, most):
    """Every way to cut, as places where bands begin."""
    n, least = len(weight), LEAST_SHARE * weight.sum()
    for size in range(2, most + 1):
        for cuts in combinations(range(1, n), size - 1):
            if decides not in cuts:
                continue
            runs = list(pairwise([0, *cuts, n]))
            sides = [[r for r in runs if r[0] < decides], [r for r in runs if r[0] >= decides]]
            if all(len(s) == 1 or min(weight[a:b].sum() for a, b in s) >= least for s in sides):
                yield runs


@given(cards(), st.integers(2, 5))
def test_no_way_to_cut_fits_better_and_fewer_bands_fit_worse(card, most):
    chances, split, decides = card
    weight, share = chances["weight"].to_numpy(), chances["share"].to_numpy()
    bands = bands_of(chances, split, most)
    fits = {}
    for runs in ways(weight, decides, most):
        fit = sum(deviance(weight[a:b], share[a:b]) for a, b in runs)
        fits[len(runs)] = min(fits.get(len(runs), np.inf), fit)
    rows = bands[["weight", "share"]].to_numpy()[:, :, None]
    own = sum(deviance(*row) for row in rows)
    assert own == pytest.approx(min(fits.values()), abs=1e-6)
    assert all(fit > own - 1e-6 for size, fit in fits.items() if size < len(bands))
    assert 2 <= len(bands) <= most


@pytest.mark.slow
@given(cards(), st.integers(2, 5))
def test_bands_are_every_sum_once_with_their_rows_and_mean_chance(card, most):
    chances, split, _ = card
    bands = bands_of(chances, split, most)
    lowest, highest = split.span
    covered = [t for r in bands[::-1].itertuples() for t in range(r.from_total, r.to_total + 1)]
    assert covered == list(range(lowest, highest + 1))
    assert split.total in set(bands["from_total"]), "no band holds both answers"
    spans = zip(bands["from_total"], bands["to_total"], strict=True)
    held = [chances[chances["total"].between(*span)] for span in spans]
    for row, rows in zip(bands.itertuples(), held, strict=True):
        assert row.weight == pytest.approx(rows["weight"].sum())
        assert row.share == pytest.approx(np.average(rows["share"], weights=rows["weight"]))
    assert (np.diff(bands["chance"]) <= 0).all()
    modelled = [np.average(h["chance"], weights=h["weight"]) for h in held]
    drawn = (bands["share"] * bands["weight"] + 100 * np.array(modelled)) / (bands["weight"] + 100)
    if (np.diff(drawn) < 0).all():
        assert bands["chance"].tolist() == pytest.approx(drawn.tolist())


@pytest.mark.slow
@given(cards(), st.integers(2, 5))
def test_the_rule_of_bands_gives_each_sum_the_number_of_its_band(card, most):
    chances, split, _ = card
    bands = bands_of(chances, split, most)
    rule = rule_of_bands(bands, split)
    columns = {c.feature: np.array([0.0, 1.0])[np.arange(16) >> k & 1] for k, c in enumerate(TESTS)}
    for total, shown in zip(split.compute_values(columns), rule.predict(columns), strict=True):
        (band,) = bands[(bands["from_total"] <= total) & (total <= bands["to_total"])].itertuples()
        assert shown == f"{round(100 * band.chance)} of 100"
    assert len(set(rule.labels)) == rule.n_clauses, "neighbours that say the same are one"
