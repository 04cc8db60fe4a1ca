"""The Explain page: which case, why, what if, similar cases, the review."""

import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from rulekit import load_sample, to_json
from rulekit.rules import (
    Clause,
    Factor,
    LinearSplit,
    Literal,
    PointsSplit,
    PowerLaw,
    PowerLawSplit,
    RuleSet,
)
from tests.pages.driving import on_tab, text
from tests.ui import tasks
from ui.explain.cards import case_list
from ui.learners.hyperplane import HYPERPLANE
from ui.learners.offered import RunSpec
from ui.learners.tree import TREE
from ui.rule_numbers import ANSWER, ROW, TRUTH, row_name
from ui.runs import jobs
from ui.state import AppState, ColumnName

SETTING = {"learner": "alternating", "theta": 2.0, "n_clauses": 2}
QUICK = RunSpec(thetas=(2.0,), folds=5, baselines=False).to_dict()


@pytest.fixture
def on_credit(open_app):
    def opened(query=None, **setting):
        setting = {**SETTING, **setting}
        state = AppState(table=load_sample("credit"), setting=setting, run_settings=QUICK)
        return open_app("explain", query=query, state=state)

    return opened


def number_shown(app):
    heading = next(h.value for h in app.header if h.value.startswith("Row "))
    return re.match(r"Row (\d+)", heading)[1]


def verdict(app):
    return next(m.value for m in app.markdown if m.value.startswith("###"))


def test_page_reports_a_running_first_search(open_app, tmp_path):
    app = open_app("explain", sample="iris")
    owner = app.session_state["analysis_id"]
    job = jobs.registry().start(f"{owner}/first", "First rules", tasks.Deaf(tmp_path / "number"))
    assert "The search has no rule yet" in text(app.run())
    job.cancel()
    assert "No model is picked yet" in text(app.run())


@pytest.mark.slow
def test_cases_are_shown_searched_and_narrowed(on_credit):
    app = on_credit()
    state = app.session_state["app"]
    assert number_shown(app) == str(state.testing[0].index[0] + 1)  # people count rows from 1
    assert f"### Predicted {state.model.predict(state.testing[0].iloc[[0]])[0]}\n\n" in text(app)
    assert "training rows (" in text(app)
    position = int(state.testing[0].index[0])
    assert row_name(position, replace(state, table=load_sample("iris"))) == f"Row {position + 1}"
    column = state.column_with_role("id")
    words = f"Row {position + 1}, {column} {state.table.frame[column].iloc[position]}"
    assert row_name(position, state) == words
    X, _ = state.testing
    assert app.dataframe[0].proto.placeholder == "missing"
    fired = state.model.rule_set_.clauses_fired(state.model.read_columns(X))
    app.selectbox(key="explain_clause_2").set_value("clause 2 matches").run()
    assert f"{fired[:, 1].sum()} cases" in text(app)
    app.selectbox(key="explain_group").set_value("guarantor").run()
    group = (X["guarantor"] == sorted(X["guarantor"].unique())[0]).to_numpy()
    assert f"{(fired[:, 1] & group).sum()} cases" in text(app)
    app.selectbox(key="explain_clause_2").set_value("no clause matches").run()
    assert f"{(~fired.any(axis=1) & group).sum()} cases" in text(app)


@pytest.mark.slow
def test_predictions_are_one_sentence_and_wrong_ones_are_listed(on_credit):
    app = on_credit()
    model, (X, _) = app.session_state["app"].model, app.session_state["app"].testing
    number = int(X.index[model.predict(X) == model.rule_set_.default][-1]) + 1
    app.text_input(key="explain_words").set_value(str(number)).run()
    assert verdict(app).count("clause") == 2  # no clause matches, closest is clause 2
    others = [e.label for e in app.expander if e.label.startswith("Clause ")]
    assert len(others) == model.rule_set_.n_clauses
    assert all("does not match" in label for label in others)
    app.text_input(key="explain_words").set_value("")
    app.segmented_control(key="explain_show").set_value("errors").run()
    assert "The prediction is wrong." in text(app)
    app.text_input(key="explain_words").set_value("zebra").run()
    assert "No case fits" in text(app)


@pytest.mark.slow
def test_presenter_mode_shows_this_case_alone(on_credit):
    chosen = str(AppState(table=load_sample("credit")).testing[0].index[17] + 1)
    app = on_credit(query={"row": chosen})
    assert number_shown(app) == chosen
    assert "Actual: " in text(app)
    app.button(key="presenter_on").click().run()
    assert app.title[0].value.startswith(f"Row {chosen}")
    assert "Actual: " not in text(app)
    assert [*app.dataframe, *app.tabs] == []
    assert [chart.key for chart in app.get("plotly_chart")] == ["flow_case"]
    app.button(key="presenter_off").click().run()
    assert number_shown(app) == chosen
    assert app.dataframe


SIGNS = re.compile(r"[<>=≤≥≠±×÷θντλ%*^→✓✗_#|~]")
JARGON = re.compile(
    r"\b(clauses?|conditions?|literals?|thresholds?|columns?|dnf|cnf|theta|prices?|truly|decided|"
    r"runs?|sweeps?|settings?|folds?|training|tests?|planes?|box(es)?|splits?|trees?|power laws?|"
    r"formulas?|errors?|models?|and not|true|false)\b",
    re.IGNORECASE,
)


def seen(app):
    """Return every text of the page: words, labels, options, tables."""
    for element in app.main:
        for name in ("value", "label", "help", "options", "placeholder"):
            result = getattr(element, name, None)
            if isinstance(result, pd.DataFrame):
                yield from map(str, [*result.columns, *result.index, *result.to_numpy().ravel()])
            elif isinstance(result, (str, list, tuple)):
                yield from [result] if isinstance(result, str) else map(str, result)


def spoken(reported):
    reported = re.sub(r"^(#+ |- )|\*\*", "", reported, flags=re.MULTILINE)  # of Markdown itself
    return reported.replace("\\", "").replace("\u2060", "")


MASS = (Factor("amount"), Factor("age", -1, floor=1.0))
CLAUSE = Clause((Literal("amount", ">", 3000.0), Literal("amount", "<=", 9000.0)))
TOWN = Clause(
    (
        Literal("employment", "in", ("unemployed", "permanent")),
        Literal("guarantor", "!=", "no"),
        Literal("savings", "not-missing"),
        Literal("age", ">=", 25.0, missing=True),
    )
)
KINDS = {
    "literals": RuleSet((CLAUSE, TOWN), ("high", "high"), "dnf", "low"),
    "sums": RuleSet(
        (
            Clause((LinearSplit((("amount", 0.01), ("age", -1.0)), ">", 3.0),)),
            Clause((PowerLawSplit((PowerLaw(2.0, MASS),), 150.0, 90.0),)),
            Clause((PowerLawSplit((PowerLaw(1.0, MASS),), 27.0, inside=False),)),
        ),
        ("high", "high", "high"),
        "dnf",
        "low",
    ),
    "points": RuleSet(
        (Clause((PointsSplit((*CLAUSE.conditions, *TOWN.conditions[:2]), (1, 1, 2, 1), 3),)),),
        ("high",),
        "dnf",
        "low",
    ),
    "nothing": RuleSet((), (), "dnf", "low"),
}
KINDS["cnf"] = KINDS["literals"].negate()
LEARNED = {
    "tree": {"learner": TREE, "theta": 0.05, "max_exponents": 2, "max_depth": 2},
    "plane": {"learner": HYPERPLANE, "theta": 0.1, "n_clauses": 2},
    "ideal": {"learner": "ideal", "max_variables": 3},
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", [*KINDS, *LEARNED, "classes"])
def test_presenter_mode_has_no_signs_and_no_jargon(open_app, kind):
    table = load_sample("credit")
    names = {c: ColumnName(c.replace("_", " ").title()) for c in table.frame.columns}
    state = AppState(table=table, run_settings=QUICK, wording=names, setting={"edited": "a test"})
    if kind in KINDS:
        state = replace(state, rule_json=to_json(KINDS[kind]))
    elif kind in LEARNED:
        state = replace(state, setting=LEARNED[kind])
    else:
        iris, tree = load_sample("iris"), LEARNED["tree"]
        state = AppState(table=iris, setting=tree, run_settings=QUICK, every_class=True)
    app = open_app("explain", state=state)
    app.button(key="presenter_on").click().run()
    answers = app.session_state["app"].model.predict(app.session_state["app"].testing[0])
    for answer in sorted(set(answers)):
        app.session_state["explain_case"] = int(np.flatnonzero(answers == answer)[0])
        app.run()
        assert not app.error
        reported = [spoken(t) for t in seen(app)]
        assert "Back to Explain" in reported
        assert [t for t in reported if t.startswith(f"Predicted {answer}")]
        assert not [t for t in reported if SIGNS.search(t) or JARGON.search(t)]
        charts = {chart.key for chart in app.get("plotly_chart")}
        assert (kind in ("tree", "classes")) == ("case_b_1" in charts)


def test_smallest_change_leaves_age_alone_until_it_is_allowed(open_app):
    rule = RuleSet((Clause((Literal("age", ">", 40.0),)),), ("high",), "dnf", "low")
    state = AppState(
        table=load_sample("credit"), setting={"edited": "a test"}, rule_json=to_json(rule)
    )
    app = open_app("explain", state=state)
    assert "No change gives another prediction while age stays as it is." in text(app)
    app = on_tab(app, "What if?").multiselect(key="explain_fixed").set_value([]).run()
    assert re.search(r"The prediction would be \w+ if age were", text(app))


@pytest.mark.slow
def test_what_if_shows_changed_predictions_and_can_be_reset(on_credit):
    app = on_tab(on_credit(), "What if?")
    state = app.session_state["app"]
    row = state.testing[0].iloc[[0]]
    before = state.model.predict(row)[0]
    number = next(n for n in app.number_input if "late" in n.label)
    changed = row.assign(late_payments=99)
    number.set_value(99.0).run()
    after = state.model.predict(changed)[0]
    shown = text(app) + " ".join(e.value for e in app.success)
    assert (f"changes from {before}" if after != before else f"stays {after}") in shown
    assert "No training case has such a value" in shown
    app.button(key="whatif_reset").click().run()
    assert f"stays {before}" in text(app)


@pytest.mark.slow
def test_a_review_is_kept_with_the_analysis(on_credit):
    app = on_tab(on_credit(), "Do you agree?")
    number = int(app.session_state["app"].testing[0].index[0]) + 1
    app.text_input(key=f"note_{number}").set_value("income is out of date")
    app.button(key="review_disagree").click().run()
    entry = app.session_state["app"].case_notes[str(number)]
    assert (entry["verdict"], entry["note"]) == ("disagree", "income is out of date")
    assert "Your review: disagree" in text(app)


@pytest.mark.slow
def test_a_rule_without_conditions_is_explained_too(on_credit):
    app = on_credit(theta=1e6)
    assert "the rule reads no column" in text(app)


def cases():
    rows = [(7, "ill", "ill", "Bonn", 31.0), (8, "well", "ill", "Ulm", 32.0)]
    rows.append((9, "ill", "ill", "Ulm", np.nan))
    return pd.DataFrame(rows, columns=[ROW, TRUTH, ANSWER, "town", "bmi"])


FAR = np.array([0.5, 0.04, 0.01])


@pytest.mark.parametrize(
    ("show", "words", "rows"),
    [
        ("all", "", [7, 8, 9]),
        ("errors", "", [8]),
        ("near", "", [9, 8]),
        ("all", "ULM ill", [8, 9]),
        ("errors", "ulm", [8]),
        ("all", "7", [7]),
        ("all", "missing", [9]),
        ("all", "zebra", []),
        ("all", "(", []),
    ],
)
def test_cases_are_filtered_searched_and_ordered(show, words, rows):
    result = case_list(cases(), show=show, words=words, distance=FAR)
    assert result["row"].tolist() == rows
