"""Clicks on the curve; the table of compared learners: rows, suggested points, colours."""

from dataclasses import replace
from types import SimpleNamespace
from urllib.parse import quote

import numpy as np
import pandas as pd
import pytest

from rulekit import RuleSet, load_sample
from tests.ui.models.test_points import SPEC, measured
from ui.learners.offered import LEARNERS, look_of
from ui.models import curve
from ui.models.curve import comparisons, learners_table
from ui.models.points import RunResult
from ui.picked import model_key
from ui.state import AppState

RUN = replace(SPEC, learners=("search", "scorecard", "ideal"), budget=60.0)
ALWAYS = "always no", 0.45
NO_SHORT_RULE = "no rule within 12 conditions"


@pytest.fixture
def found():
    first = measured(SPEC, [0.30, 0.20, 0.20, 0.20], [1.0, 2.0, 2.7, 3.4], seconds=0.5)
    cards = measured(replace(SPEC, learners=("scorecard",)), [0.4], [0.0], seconds=2.0)
    return cards.merge(first, None)


def test_each_learner_has_a_row_with_its_best_short_point(found):
    table, numbers = learners_table(found, [RUN], False, ALWAYS)
    names = [LEARNERS[key].name for key in ("search", "ideal", "scorecard")]
    assert table["learner"].tolist() == names
    own = [k for k, s in enumerate(found.settings) if s["learner"] == "search"]
    assert numbers == [found.suggest(own).number, None, found.number_of(found.settings[0])]
    search, ideal, card = table.to_dict("records")
    error = found.points.loc[numbers[0], "test_error"]
    assert search["error"] == pytest.approx(100 * error)
    assert search[curve.BEATS] == pytest.approx(100 * (0.3 - error))
    assert search["seconds"] == pytest.approx(4 * 0.5 * 10)
    assert ideal["remark"] == "not finished in 1 min"
    assert card["remark"] == "no better than one condition"
    assert np.isnan(card["error"])
    assert card["seconds"] == pytest.approx(20)


def test_learners_are_sorted_by_error_pending_or_left_out(found):
    cards = measured(replace(SPEC, learners=("scorecard",)), [0.1], [2.0]).merge(found, None)
    longer = measured(replace(SPEC, learners=("ideal",)), [0.05], [13.0]).merge(cards, None)
    table, _ = learners_table(longer, [RUN], False, ("always no", 0.15))
    names = [LEARNERS[key].name for key in ("scorecard", "search", "ideal")]
    assert table["learner"].tolist() == names
    assert table["remark"].tolist()[1:] == ["no better than always no", NO_SHORT_RULE]
    table, numbers = learners_table(RunResult(), [RUN], True, ALWAYS)
    assert table["remark"].tolist() == ["not finished yet"] * 3
    assert numbers == [None] * 3
    other = replace(RUN, costs=(5.0, 1.0)).to_dict()
    state = AppState(runs=(RUN.to_dict(), other, replace(SPEC, budget=None).to_dict()))
    assert comparisons(state, SPEC) == [RUN]


def test_marks_of_the_curve_references_and_constant_rules_are_in_the_table(found):
    figures = {"name": ["tree", "tree", "random forest"], "test_error": [0.4, 0.18, 0.19]}
    lines = pd.DataFrame(figures | {"n_conditions": [1.0, 5.0, np.nan]})
    model = SimpleNamespace(rule_set_=RuleSet((), (), "dnf", "no"))
    with_lines = replace(found, references=lines, models={model_key(found.settings[0]): model})
    table, numbers = learners_table(with_lines, [RUN], False, ALWAYS)
    rows = table.set_index("learner")
    looks = [look_of({"learner": key}) for key in ("search", "ideal", "scorecard")]
    assert rows["mark"][:"random forest"].tolist()[1] != rows["mark"]["tree"]
    for look in looks:
        assert look.image in rows["mark"].tolist()
        assert quote(look.colour) in look.image
    assert rows["error"]["tree"] == pytest.approx(18)
    assert rows["conditions"]["tree"] == 5
    assert numbers[table["learner"].tolist().index("random forest")] is None
    card = LEARNERS["scorecard"].name
    assert rows["remark"][card] == "constant: always no"
    points = with_lines.points.copy()
    points.loc[0, ["test_error", "limit"]] = 0.1, 5  # the rules of the folds are not constant
    table, _ = learners_table(replace(with_lines, points=points), [RUN], False, ALWAYS)
    assert table.set_index("learner")["remark"][card] == "constant: always no"
    assert found.looks()[-1] == looks[0]


def test_no_rule_of_a_curve_beats_one_prediction_for_all_rows(found):
    state = AppState(table=load_sample("planted_dnf"))
    wrong = 1 - state.training[1].value_counts(normalize=True).iloc[0]
    for least, beats in ((0.9, False), (0.9, True), (1.0, True)):
        drawn = replace(found, points=found.points.assign(test_error=wrong * least))
        assert bool(curve.no_rule_words(drawn, state, beats)) == (not beats or least == 1)
    few = drawn.points.iloc[:1].assign(test_error=wrong * 0.9, n_conditions=0.0)  # by its folds
    assert curve.no_rule_words(replace(drawn, points=pd.concat([drawn.points, few])), state, True)
    constant = SimpleNamespace(rule_set_=RuleSet((), (), "dnf", "no"))
    assert curve.no_rule_words(drawn, state, beats, constant).startswith("More rows, ")
    specs = tuple(replace(spec, class_weight="balanced") for spec in drawn.specs)
    assert not curve.no_rule_words(replace(drawn, specs=specs), state, beats)


def test_clauses_of_the_selected_rule_are_listed_without_its_point_s(found, monkeypatch):
    tables, model = [], SimpleNamespace(rule_set_=RuleSet((), (), "dnf", "no"))
    monkeypatch.setattr(curve, "_pick_point", lambda _, table, *rest: tables.append(table))
    monkeypatch.setattr(curve, "app_state", lambda: AppState(setting=found.settings[0]))
    monkeypatch.setattr(curve, "get_model", lambda: model)
    curve.points_table(found, found.points.loc[[0, 2]], "limit", "test_error", "")
    assert tables[0]["clauses"].dropna().tolist() == [0]


def test_click_on_a_figure_drawn_before_a_run_added_points_picks_its_point(monkeypatch):
    older = measured(SPEC, [0.30, 0.25, 0.20, 0.15], [1.0, 2.0, 2.7, 3.4])
    cards = measured(replace(SPEC, learners=("scorecard",)), [0.4], [0.0])
    joined = cards.merge(older, None)
    drawn, picked = [], []
    monkeypatch.setattr(curve, "app_state", AppState)
    monkeypatch.setattr(curve, "chart", lambda figure, *_, **__: drawn.append(figure))
    monkeypatch.setattr(curve, "choose", lambda result, k: picked.append(result.settings[k]))
    curve.draw(older, older.curve(), "front", "limit", "test_error")
    (points,) = [trace.customdata for trace in drawn[0].data if trace.customdata is not None]
    for (point,) in points:
        curve._pick_clicked(joined, point)
    assert picked == list(older.settings) != list(joined.settings[:4])
