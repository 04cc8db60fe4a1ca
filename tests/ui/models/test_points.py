"""Points of runs: joined by setting, one best a line and limit, and what is suggested."""

import math
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from rulekit import BoxSearchClassifier, RuleClassifier, compare_learners, suggest, to_json
from rulekit.data import Table, load_sample
from rulekit.evaluation import Comparison, LearnerGrid
from rulekit.learners import FixedRuleClassifier, search_grid
from rulekit.rules import Clause, Literal, RuleSet
from rulekit.style.wording import plural
from ui.learners.offered import settings_of_run
from ui.learners.spec import CHOSEN, QUICK, UNCOSTED, RunSpec
from ui.models.points import RunResult, drop_beaten, gap_words, reference_lines, with_gaps
from ui.picked import model_key
from ui.state import AppState, SplitSpec, update
from ui.workspace import rule_words

PLAIN = {"against": False, "robust": False, "noisy": False, "baselines": False}
SPEC = RunSpec(limits=(1, 2, 3, 4), folds=10, **PLAIN)


def measured(spec, errors, sizes, models=None, **columns):
    """Return the points of a run's first settings with these errors, and sizes over its folds."""
    figures = pd.DataFrame({"test_error": errors, "train_error": errors, **columns})
    rows = [
        {"setting": k, "learner": "x", "fold": fold, "n_clauses_used": 1.0, **figures.loc[k]}
        | {"n_conditions": int(size) + (fold < round(size % 1 * spec.folds))}
        for k, size in enumerate(sizes)
        for fold in range(spec.folds)
    ]
    return RunResult.from_comparison(
        spec, Comparison((), spec.folds, "", tuple(rows), models=models or {})
    )


def by_size(errors, **how):
    return measured(replace(SPEC, **how), errors, [1.0, 2.0, 2.7, 3.4][: len(errors)])


def test_points_have_limits_errors_and_settings_in_words():
    assert by_size([0.3, 0.2, 0.15, 0.14]).points["limit"].tolist() == [1, 2, 3, 4]
    priced = replace(SPEC, learners=("one_level",), thetas=(1.0, 2.0))
    assert measured(priced, [0.2, 0.3], [4.2, 1.0]).points["limit"].tolist() == [5, 1]
    output = measured(replace(SPEC, learners=("ideal",)), [0.3, 0.2], [1.0, 5.0])
    assert output.points["limit"].tolist() == [1, 5]  # two columns chosen, five conditions said
    few = by_size([0.3, 0.2], folds=4)
    assert "test_error_se" not in few.points
    assert few.suggestion.number == 1
    assert "test_error_se" in by_size([0.3, 0.2], folds=5).points
    output = by_size([0.3, 0.2])
    assert output.settings == settings_of_run(SPEC)[:2]
    assert output.points["label"].tolist()[1] == "Short rule, at most 2 conditions"
    assert output.specs == (SPEC, SPEC)


def test_runs_add_up_with_the_looks_of_their_families():
    one = by_size([0.3, 0.2])
    other = measured(replace(SPEC, learners=("one_level",), thetas=(1.0,)), [0.25], [1.0])
    both = other.merge(one, None)
    assert [s["learner"] for s in both.settings] == ["one_level", "search", "search"]
    assert both.points["test_error"].tolist() == pytest.approx([0.25, 0.3, 0.2])
    again = by_size([0.28, 0.19]).merge(both, None)
    assert len(again.settings) == 3
    assert again.points.loc[again.number_of(one.settings[1]), "test_error"] == pytest.approx(0.19)
    assert again.specs[again.number_of(other.settings[0])].learners == ("one_level",)
    alone = measured(replace(SPEC, learners=("scorecard",)), [0.3, 0.2], [1.0, 2.0])
    both = alone.merge(measured(replace(SPEC, against=True), [0.3] * 5, [1.0] * 5), None)
    looks = zip(both.looks(), both.settings, strict=True)
    assert {look for look, s in looks if s in alone.settings} == set(alone.looks())
    for sides, lines in ((False, 2), (True, 3)):
        rows = both.curve(sides=sides).drop_duplicates("series")
        assert rows["look"].nunique() == rows["series"].nunique() == lines


def test_quick_points_go_after_their_search_unless_current():
    quick = by_size([0.3, 0.2, 0.18], thorough=False)
    assert all(QUICK in s for s in quick.settings)
    assert set(quick.curve()["series"]) == {"Short rule"}
    hand = quick.settings[1]
    output = by_size([0.29, 0.19]).merge(quick, hand)
    left = [s for s in output.settings if QUICK in s]
    assert left == [hand, quick.settings[2]]  # three conditions have not been searched
    number = output.number_of(hand)
    assert number not in output.curve().index
    assert output.curve(selected=number).loc[number, "series"] == "Short rule, quick search"
    assert output.points.loc[number, "test_error"] == 0.2
    backwards = quick.merge(by_size([0.29, 0.19]), None)
    assert [s["max_conditions"] for s in backwards.settings if QUICK in s] == [3]
    assert output.line(hand) == {1: 0, 2: output.number_of(hand), 3: 3}


def test_models_are_found_by_their_setting_and_go_with_their_point():
    quick = measured(replace(SPEC, thorough=False), [0.3], [1.0], {0: "quick"})
    full = measured(SPEC, [0.3], [1.0], {0: "full"})
    output = full.merge(quick, None)
    assert output.models == {model_key(full.settings[0]): "full"}


def test_curves_keep_the_best_of_a_limit_and_f1_as_a_loss():
    spec = replace(SPEC, learners=("alternating",), thetas=(1.0, 2.0), clauses=(1, 2))
    output = measured(spec, [0.2, 0.3, 0.25, 0.24], [2.0, 1.0, 2.0, 4.0])
    shown = output.curve()
    assert shown["limit"].tolist() == [2, 1, 4]
    assert shown["on_front"].tolist() == [True, True, False]
    output = measured(SPEC, [0.25], [1.0], test_f1=[0.8])
    assert output.points.loc[0, "one_minus_f1"] == pytest.approx(0.2)
    assert output.measures("one_minus_f1")
    assert not output.measures("one_minus_auc")


def test_curve_and_slider_hold_the_best_rule_for_either_outcome():
    spec = replace(SPEC, against=True)
    output = measured(spec, [0.3, 0.1, 0.1, 0.1, 0.2, 0.2, 0.2, 0.05], [1.0, 2.0, 3.0, 4.0] * 2)
    first, last = output.settings[0], output.settings[-1]
    assert "describes" in last
    assert sorted(output.curve().index) == [1, 2, 4, 7]
    assert sorted(output.curve(sides=True).index) == list(range(8))
    assert output.line(last) == {1: 4, 2: 1, 3: 2, 4: 7}
    assert output.line(first) == {1: 0, 2: 1, 3: 2, 4: 7}  # at its own limit itself
    assert output.line({"edited": "by hand"}) == {}


def test_suggestions_are_undominated_points_at_their_limit():
    lucky = [0.3, 0.2, 0.15, 0.1, 0.4, 0.4, 0.4, 0.095]
    output = measured(replace(SPEC, against=True), lucky, [1.0, 2.0, 3.0, 4.0] * 2)
    assert output.suggestion.number == 3
    assert sorted(output.curve().index) == [0, 1, 2, 3]
    assert output.line(output.settings[0])[4] == 3
    assert sorted(output.curve(selected=7).index) == [0, 1, 2, 3, 7]
    bumpy = by_size([0.20, 0.26, 0.27, 0.19])
    assert bumpy.suggestion.number in bumpy.curve().query("on_front").index
    empty = measured(SPEC, [0.20, 0.20, 0.199, 0.199], [0.0, 0.0, 2.0, 2.0])
    assert empty.points.loc[empty.suggestion.number, "n_conditions"] > 0
    assert RunResult().suggestion is None


@pytest.mark.parametrize(
    ("errors", "limit"),
    [
        ([0.30, 0.20, 0.199, 0.1985], 3),
        ([0.30, 0.20, 0.15, 0.10], 4),
        ([0.20, 0.20, 0.30, 0.19], 1),
        ([0.40, 0.30, 0.10, 0.11], 4),
    ],
)
def test_suggestion_has_the_lowest_estimate_and_a_short_reason(errors, limit):
    output = by_size(errors)
    before, after = [errors[0], *errors[:-1]], [*errors[1:], errors[-1]]
    sizes = output.points["n_conditions"]
    expected = np.average([before, errors, after], axis=0, weights=[1, 2, 1]) + 0.002 * sizes
    forest = output.points.assign(forest_loss=0.4, forest_conditions=sizes)
    for result, estimates in (
        (output, expected),
        (replace(output, points=forest), (expected - 0.002 * sizes) / 3 + 0.8 / 3 + 0.002 * sizes),
    ):
        suggested = result.suggestion
        assert suggested.estimates.tolist() == pytest.approx(estimates.tolist())
        assert len(suggested.why.split()) <= 25
    suggested = output.suggestion
    assert suggested.number == limit - 1
    assert suggested.words == f"at most {plural(limit, 'condition')}"
    assert suggested.estimates.idxmin() == limit


@pytest.mark.slow
def test_page_and_library_suggest_the_same_point():
    X, y = (part.iloc[:150] for part in load_sample("credit").xy())
    choice = RuleClassifier(random_state=0, time_limit=60).fit(X, y).choice_
    settings = choice.table[list(search_grid(y))].to_dict("records")
    points = choice.table.assign(limit=choice.table["n_conditions"].round().astype(int))
    page = RunResult(
        tuple({"learner": "search", **s} for s in settings), (SPEC,) * len(points), points
    )
    assert page.suggestion.number == suggest(choice.table)["default"] == choice.default
    search = BoxSearchClassifier(positive_label="high", n_perturbations=0)
    family = LearnerGrid(
        "Short rule", search, {"max_conditions": list(SPEC.limits)}, whole_front=True
    )
    output = compare_learners(X, y, learners=[family], cv=5)
    page = RunResult.from_comparison(SPEC, output)
    assert page.suggestion.number == output.suggest()["default"]


CHOICE = {"learner": "search", CHOSEN: 2.0, "n_clauses": 2}


def with_choice(errors, error, size, **setting):
    """Return the points of a thorough search, with what RuleClassifier selects at the end."""
    output = by_size(errors)
    row = output.points.iloc[[0]].assign(test_error=error, limit=size, n_conditions=float(size))
    points = pd.concat([output.points, row], ignore_index=True)
    settings = (*output.settings, CHOICE | setting)
    estimates = pd.Series({1: 0.3, size: 0.2})
    specs = (SPEC,) * len(settings)
    return replace(output, settings=settings, specs=specs, points=points, estimates=estimates)


def test_rule_that_the_library_selects_is_suggested():
    output = with_choice([0.3, 0.2, 0.15, 0.14], 0.18, 3)
    assert output.suggestion.number == 4
    assert output.suggestion.words == "3 conditions"
    assert output.suggestion.estimates is output.estimates
    uncosted = with_choice([0.3, 0.2], 0.18, 3, **{UNCOSTED: True}).suggestion
    for suggested in (output.suggestion, uncosted, replace(output, estimates=None).suggestion):
        assert 3 < len(suggested.why.split()) <= 25
    curve = output.curve()
    assert curve["series"].unique().tolist() == ["Short rule"]
    assert curve["limit"].tolist() == [1, 2, 4, 3]
    assert 4 in curve.index  # in the place of the point of three conditions
    assert output.line(CHOICE) == output.line(output.settings[0]) == {1: 0, 2: 1, 3: 4, 4: 3}
    assert not len(output.get_price_points("n_conditions", "test_error"))


def test_the_suggestion_is_the_smallest_limit_with_its_figures():
    output = by_size([0.3, 0.2, 0.15, 0.15])
    estimates = {"forest_loss": [0.3, 0.1, 0.1, 0.2], "forest_conditions": [1.0, 2.0, 2.0, 4.0]}
    output = replace(
        output, points=output.points.assign(**estimates, train_error=[0.4, 0.3, 0.2, 0.1])
    )
    assert output.suggestion.number == 1
    assert output.suggestion.estimates.idxmin() == 2
    other = output.points.assign(forest_conditions=[1.0, 3.0, 2.0, 4.0])
    assert replace(output, points=other).suggestion.number == 2
    assert replace(output, points=other).suggestion.words == "2 conditions (at most 3 conditions)"
    errors, sizes = [0.3, 0.2, 0.2, 0.2], [1.0, 2.0, 2.0, 2.0]
    assert measured(SPEC, errors, sizes).suggestion.number == 1
    other = measured(SPEC, errors, sizes, train_error=[0.3, 0.2, 0.1, 0.1])
    assert other.suggestion.number == 2


def test_selected_rules_replace_others_within_the_gap():
    older, newer = with_choice([0.3, 0.2], 0.1, 2), with_choice([0.3], 0.2, 1, **{CHOSEN: 5.0})
    assert [s for s in newer.merge(older, None).settings if CHOSEN in s] == [newer.settings[-1]]
    kept = newer.merge(older, older.settings[-1])
    assert [s[CHOSEN] for s in kept.settings if CHOSEN in s] == [5.0, 2.0]
    assert kept.settings[kept.suggestion.number] == newer.settings[-1]
    output = replace(with_choice([0.3, 0.2], 0.1, 2), max_gap=0.2)
    assert replace(output, gaps=(0.0, 0.5, 0.1)).suggestion.number == 2
    limited = replace(output, gaps=(0.0, 0.1, 0.5)).suggestion
    assert limited.number == 1
    assert "Among the 2 of 3 rules" in limited.about
    output = with_choice([0.3], 0.2, 1)
    assert output.is_searched
    stopped = by_size([0.3])
    assert not stopped.is_searched
    assert replace(stopped, specs=(replace(SPEC, form="cnf"),)).is_searched
    assert not replace(stopped, specs=(replace(SPEC, budget=60.0),)).is_searched


def test_price_sweep_is_on_the_curve_but_not_suggested():
    spec = replace(SPEC, view="prices", thetas=(1.0, 2.0), clauses=(1, 1))
    priced = measured(spec, [0.01, 0.02], [20.0, 2.0])
    assert priced.suggestion.number == 1
    both = priced.merge(by_size([0.3, 0.2]), None)
    assert both.points["limit"].dtype == int
    shown = both.curve()
    assert set(shown["limit"]) == {1, 2}  # the point of twenty conditions is on its own tab
    assert both.suggestion.number in both.curve().query("series == 'Short rule'").index
    assert len(both.get_price_points("n_conditions", "test_error")) == 2


def test_reference_models_are_lines_and_no_points():
    one = by_size([0.3, 0.2])
    lines = RunResult(references=pd.DataFrame({"name": ["forest"], "test_error": [0.1]}))
    both = lines.merge(one, None)
    assert both.points["limit"].tolist() == [1, 2]
    assert both.points["limit"].dtype == int
    assert both.references is lines.references
    table = pd.DataFrame(
        {
            "name": ["forest", "tree", "tree"],
            "test_error": [0.2, 0.3, 0.25],
            "n_conditions": [float("nan"), 1.0, 3.0],
        }
    )
    line, trees = reference_lines(table, "limit", "test_error")
    assert (line.name, line.value) == ("forest", 0.2)
    assert trees.curve == ((1.0, 0.3), (3.0, 0.25))
    assert reference_lines(None, "limit", "test_error") == []


def test_a_rule_keeps_its_own_costs_and_error():
    output = by_size([0.3, 0.2], costs=(5.0, 1.0))
    own = AppState(setting=output.settings[1], run_settings=output.specs[1].to_dict())
    assert output.number_of_rule(own) == 1
    before = replace(own, run_settings=replace(output.specs[1], costs=()).to_dict())
    assert output.number_of(before.setting) == 1
    assert output.number_of_rule(before) is None
    rule = RuleSet((Clause((Literal("a", ">", 5.0),)),), ("x",), "dnf", "y")
    state = AppState(model=SimpleNamespace(rule_set_=rule), rule_json=to_json(rule), error=0.2)
    assert rule_words(state) == "1 condition, 20.0 % wrong in folds"
    output = by_size([0.3, 0.25], costs=(5.0, 1.0))
    plain = replace(output.specs[0], costs=()).to_dict()
    kept = replace(state, result=output, setting=output.settings[0], run_settings=plain)
    assert rule_words(kept) == "1 condition, 20.0 % wrong in folds"
    assert update(state, rule_json=None).error is None


N = 400
LIMIT = RunSpec(gap_column="sex", max_gap=0.2)


@pytest.fixture(scope="module")
def state():
    sex = np.array(["f", "m"] * (N // 2))
    score = np.arange(N) % 8
    y = np.where(score > 3, "yes", "no")
    frame = pd.DataFrame({"score": score.astype(float), "sex": sex, "y": y})
    table = Table.from_frame(frame).with_roles({"y": "target"}, positive_label="yes")
    return AppState(table=table, split=SplitSpec(test_share=0.0))


@pytest.fixture(scope="module")
def result(state):
    """Two points: a rule that reads the sex and is better on the folds, and one that does not."""
    rules = [Literal("sex", "==", "f"), Literal("score", ">", 5.0)]
    settings = tuple({"learner": "search", "max_conditions": k} for k in (1, 2))
    models = {
        model_key(setting): FixedRuleClassifier(
            RuleSet((Clause((test,)),), ("yes",), "dnf", "no")
        ).fit(*state.training)
        for setting, test in zip(settings, rules, strict=True)
    }
    points = pd.DataFrame(
        {
            "learner": "Short rule",
            "limit": [1, 2],
            "folds": 10,
            "test_error": [0.1, 0.2],
            "test_error_se": 0.01,
            "train_error": [0.1, 0.2],
            "n_conditions": [1.0, 1.0],
            "n_clauses_used": 1.0,
        }
    )
    return RunResult(settings, (RunSpec(),) * 2, points, models)


def test_only_rules_within_the_gap_are_suggested_and_it_is_said(result, state):
    assert result.suggestion.number == 0
    limited = with_gaps(result, LIMIT, state)
    assert limited.gaps == (1.0, 0.0)
    assert limited.suggestion.number == 1
    assert "Among the 1 of 2 rules with a gap of at most 20 points" in limited.suggestion.about
    assert gap_words(limited, 0, state) == (
        "Gap by sex: 100.0 points on the training rows (20 points allowed)."
    )
    assert with_gaps(limited, LIMIT, state) is limited
    unknown = replace(limited, gaps=(math.nan, 0.0))
    assert gap_words(unknown, 0, state) == (
        "The gap by sex cannot be measured: its groups are too small."
    )
    assert with_gaps(result, RunSpec(), state) is result
    assert gap_words(result, 0, state) == ""
    again = with_gaps(with_gaps(result, LIMIT, state), RunSpec(), state)
    assert again.suggestion.number == result.suggestion.number
    only = replace(result, settings=result.settings[:1], points=result.points[:1])
    limited = with_gaps(only, LIMIT, state)
    assert limited.suggestion.number == 0
    assert "No rule here keeps a gap of at most 20 points" in limited.suggestion.about


def test_only_a_rule_that_beats_a_constant_is_suggested(result, state):
    """The rule that is better on the folds errs on every other training row, as a constant does."""
    assert result.suggestion.number == 0
    output = drop_beaten(result, state)
    assert (output.suggestion.number, output.suggestion.beats) == (1, True)
    alone = replace(result, settings=result.settings[:1], points=result.points[:1])
    assert not drop_beaten(alone, state).suggestion.beats
    costs = replace(RunSpec(), costs=(1.0, 9.0))  # always "no" costs less than the better rule
    dear = replace(result, specs=(costs,) * 2)
    assert drop_beaten(dear, state).suggestion.beats
    dear = replace(dear, specs=(replace(costs, costs=(1.0, 0.1)),) * 2)
    assert not drop_beaten(dear, state).suggestion.beats
