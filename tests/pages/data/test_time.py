"""Test rows that are the latest ones or of a second file, and folds of a column: set on Data."""

from dataclasses import replace

import pytest

from tests.pages.data.steps import GOOD, reading_options, upload
from tests.pages.driving import errors, on_tab, opened, text
from ui.state import AppState

pytestmark = pytest.mark.slow


def test_latest_rows_are_tested_and_errors_drawn_by_month(open_app):
    app = open_app("data", sample="credit")
    box = next(s for s in app.selectbox if s.label == "Test rows are")
    assert box.options == ["drawn at random", "the latest by opened_on"]
    app = box.set_value("opened_on").run()
    state = app.session_state["app"]
    assert state.split.by == "opened_on"
    first = state.dates("opened_on").iloc[state.rows()[1]].min()
    assert f"test rows from {first:%Y-%m-%d}" in text(app)
    setting = {"learner": "search", "max_conditions": 2}
    state = AppState(table=state.table, split=state.split, setting=setting)
    app = on_tab(opened("rules", state=state), "Stability")
    assert "Error by month of opened_on" in text(app)
    table = app.dataframe[-1].value
    assert set(table["rows"]) == {"training", "test"}
    assert table.groupby("rows")["n"].sum().to_dict() == {"training": 700, "test": 300}


OWN = b"Age,glucose,ill,note\n" + b"".join(
    b"%d,%d,%s,x\n" % (35 + k, 95 - k, (b"yes", b"no", b"")[k % 3]) for k in range(12)
)


def with_own_rows(app, content, name="later.csv"):
    field = next(f for f in app.file_uploader if f.label == "A second file, of test rows")
    return field.upload(name, content).run()


def the_split(app):
    """Return the numbers of training and test rows."""
    state = app.session_state["app"]
    return len(state.training[0]), len(state.testing[0])


def test_rows_of_a_second_file_are_the_test_rows(open_app):
    app = upload(open_app(), GOOD).button(key="use_suggestion").click().run()
    before = app.session_state["app"]
    app = with_own_rows(app, OWN)
    assert not errors(app)
    state = app.session_state["app"]
    assert the_split(app) == (40, 8)  # four rows have no outcome
    assert state.testing[0]["age"].tolist() == [35, 36, 38, 39, 41, 42, 44, 45]
    assert "test rows of later.csv" in text(app)
    assert next(s for s in app.slider if s.label.startswith("Rows held")).disabled
    again = open_app(query={"analysis": app.query_params["analysis"]})
    assert again.session_state["app"].fit_key == state.fit_key
    mark = next(s for s in reading_options(app).selectbox if s.label == "Decimal mark")
    app = mark.set_value(".").run()
    assert the_split(app) == (40, 8)  # also of a table read again
    aimless = replace(state, table=state.table.with_roles({"ill": "feature"}))
    app.session_state["app"] = aimless
    mark = next(s for s in reading_options(app.run()).selectbox if s.label == "Decimal mark")
    assert "Then load 'later.csv' again" in errors(mark.set_value(",").run())
    setting = {"learner": "search", "max_conditions": 2}
    shown = AppState(table=state.table, split=state.split, setting=setting)
    assert "The test rows are those of later.csv" in text(opened("rules", state=shown))
    again.button(key="drop_test_rows").click().run()
    assert again.session_state["app"].fit_key == before.fit_key


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"age,ill\n40,yes\n50,no\n", "'later.csv' has no column 'glucose'"),
        (b"age,glucose,ill\nold,9,yes\nyoung,8,no\n", "'age' holds text in 'later.csv', and num"),
        (b"age,glucose,ill\n40,9,maybe\n50,8,no\n", "has the outcome 'maybe'; the table has not"),
        (b"age,glucose,ill\n40,9,\n50,8,\n", "No row of 'later.csv' has an outcome in 'ill'"),
        (b"", "later.csv"),
    ],
)
def test_second_file_that_does_not_fit_is_a_sentence(open_app, content, message):
    app = upload(open_app(), GOOD).button(key="use_suggestion").click().run()
    app = with_own_rows(app, content)
    assert message in errors(app)
    assert the_split(app) == (28, 12)


def test_folds_of_a_column_are_those_of_the_search(open_app):
    lines = GOOD.splitlines()
    parts = [b"%d,%s\n" % (1 + k % 4, line) for k, line in enumerate(lines[1:])]
    app = upload(open_app(), b"part," + lines[0] + b"\n" + b"".join(parts))
    app = app.button(key="use_suggestion").click().run()
    app.session_state["own_rows"] = True
    app = app.run()
    folds = next(s for s in app.selectbox if s.label == "Folds of cross-validation")
    assert folds.options[:2] == ["at random", "by the values of part"]
    app = folds.set_value("part").run()
    state = app.session_state["app"]
    assert state.features == ["age", "glucose"]
    numbers = state.table.frame.loc[state.training[0].index, "part"].to_numpy()
    assert [set(numbers[test]) for _, test in state.folds(10)] == [{1}, {2}, {3}, {4}]
    app = opened("models", state=AppState(table=state.table, split=state.split))
    assert "Cross-validation: the 4 folds of part" in text(app)
    assert "run_folds" not in [c.key for c in app.segmented_control]
