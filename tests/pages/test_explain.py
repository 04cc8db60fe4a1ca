"""The Explain page: which case, why, what if, similar cases, the review."""

import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from rulekit.data import load_sample
from rulekit.rules import Clause, Literal, RuleSet
from ui.cases import row_name
from ui.explain.choice import case_list
from ui.learners.offered import RunSpec
from ui.state import AppState

SETTING = {"learner": "alternating", "theta": 2.0, "n_clauses": 2}
QUICK = RunSpec(thetas=(2.0,), folds=5, baselines=False).to_dict()


def text(app):
    elements = [*app.caption, *app.warning, *app.error, *app.info, *app.markdown, *app.success]
    return " ".join(e.value for e in elements).replace("\\", "").replace("\u2060", "")


@pytest.fixture
def on_credit(open_app):
    def opened(query=None, **setting):
        return open_app(
            "explain",
            query=query,
            state=AppState(
                table=load_sample("credit"), setting={**SETTING, **setting}, run_settings=QUICK
            ),
        )

    return opened


def number_shown(app):
    heading = next(h.value for h in app.subheader if h.value.startswith("Row "))
    return re.match(r"Row (\d+)", heading)[1]


def verdict(app):
    return next(m.value for m in app.markdown if m.value.startswith("###"))


def test_without_a_model_the_page_points_to_models(open_app):
    app = open_app("explain", sample="iris")
    assert not app.exception
    assert "No model is picked yet" in text(app)


def test_without_a_table_the_page_says_so(open_app):
    assert "No table is loaded yet" in text(open_app("explain"))


def test_the_first_test_row_is_explained_at_once(on_credit):
    app = on_credit()
    assert not app.exception
    state = app.session_state["app"]
    first = state.testing[0].index[0] + 1  # people count rows from 1
    assert number_shown(app) == str(first)
    answer = state.model.predict(state.testing[0].iloc[[0]])[0]
    assert f"The answer is '{answer}'" in text(app)
    assert "past cases decided in the same way" in text(app)


def test_the_row_in_the_address_is_the_one_explained(on_credit):
    row = load_sample("credit")
    number = str(AppState(table=row).testing[0].index[17] + 1)
    app = on_credit(query={"row": number})
    assert number_shown(app) == number


def test_a_row_is_called_by_its_number_in_the_file_and_by_its_label(on_credit):
    app = on_credit()
    state = app.session_state["app"]
    position = int(state.testing[0].index[0])
    unlabelled = replace(state, table=load_sample("iris"))
    assert row_name(position, unlabelled) == f"Row {position + 1}"
    column = state.column_with_role("id")
    label = state.table.frame[column].iloc[position]
    assert row_name(position, state) == f"Row {position + 1}, {column} {label}"


def test_errors_only_lists_and_explains_a_wrong_decision(on_credit):
    app = on_credit()
    app.segmented_control(key="explain_show").set_value("errors").run()
    assert not app.exception
    assert "so the answer is wrong" in text(app)


def test_a_search_that_finds_nothing_says_so(on_credit):
    app = on_credit()
    app.text_input(key="explain_words").set_value("zebra").run()
    assert not app.exception
    assert "No case fits" in text(app)


def test_presenter_mode_speaks_of_reasons_and_draws_nothing(on_credit):
    app = on_credit()
    app.toggle(key="presenter").set_value(True).run()
    assert not app.exception
    assert "clause" not in verdict(app)
    assert "Truly" not in text(app)
    assert not app.get("plotly_chart")


def test_what_if_says_when_the_answer_changes_and_can_be_reset(on_credit):
    app = on_credit()
    state = app.session_state["app"]
    row = state.testing[0].iloc[[0]]
    before = state.model.predict(row)[0]
    number = next(n for n in app.number_input if "late" in n.label)
    changed = row.assign(late_payments=99)
    number.set_value(99.0).run()
    after = state.model.predict(changed)[0]
    expected = f"changes from {before} to {after}" if after != before else f"stays {after}"
    assert expected in text(app)
    assert "Outside the training range" in text(app)
    app.button(key="whatif_reset").click().run()
    assert f"stays {before}" in text(app)


def test_other_clauses_are_not_called_near_another_answer_where_one_has_decided(on_credit):
    app = on_credit()
    model, (X, _) = app.session_state["app"].model, app.session_state["app"].testing
    answers = model.predict(X)
    seen = set()
    for wanted in (model.rule_set_.labels[0], model.rule_set_.default):
        number = int(X.index[answers == wanted][-1]) + 1
        app.text_input(key="explain_words").set_value(str(number)).run()
        assert not app.exception
        (answer,) = model.predict(X.loc[[int(number_shown(app)) - 1]])
        decided = answer == model.rule_set_.labels[0]
        assert ("Other clauses, the nearest first" in text(app)) == decided
        assert ("nearest to another answer" in text(app)) == (not decided)
        seen.add(decided)
    assert seen == {True, False}


def test_a_review_is_kept_with_the_analysis(on_credit):
    app = on_credit()
    number = int(app.session_state["app"].testing[0].index[0]) + 1
    app.text_input(key=f"note_{number}").set_value("income is out of date")
    app.button(key="review_disagree").click().run()
    entry = app.session_state["app"].case_notes[str(number)]
    assert (entry["verdict"], entry["note"]) == ("disagree", "income is out of date")
    assert "You said: disagree" in text(app)


def test_a_rule_without_conditions_is_explained_too(on_credit):
    app = on_credit(theta=1e6)
    assert not app.exception
    assert "the rule reads no column" in text(app)


# Cases -----------------------------------------------------------------------------------

OLD = Literal("age", ">", 50.0)
RULE = RuleSet((Clause((OLD, Literal("bmi", ">=", 30.0))),), ("ill",), "dnf", "well")


def cases():
    return pd.DataFrame(
        {
            "row": [7, 8, 9],
            "truly": ["ill", "well", "ill"],
            "decided": ["ill", "ill", "ill"],
            "town": ["Bonn", "Ulm", "Ulm"],
            "bmi": [31.0, 32.0, 33.0],
        }
    )


FAR = np.array([0.5, 0.04, 0.01])


@pytest.mark.parametrize(
    ("show", "words", "rows"),
    [
        ("all", "", [7, 8, 9]),
        ("errors", "", [8]),
        ("near", "", [9, 8]),
        ("all", "ULM ill", [8, 9]),
        ("all", "7", [7]),
        ("all", "zebra", []),
        ("all", "(", []),
    ],
)
def test_cases_are_filtered_searched_and_ordered(show, words, rows):
    found = case_list(cases(), RULE, show=show, words=words, distance=FAR)
    assert found["row"].tolist() == rows


def test_the_columns_of_the_rule_come_first():
    found = case_list(cases(), RULE, show="all", words="", distance=FAR)
    assert list(found.columns) == ["row", "truly", "decided", "bmi", "town"]
