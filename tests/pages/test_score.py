"""Score: the rule applied to a second table, drift told first, then and now, files out."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from rulekit import FixedRuleClassifier, ScorecardClassifier, Table, from_text, load_sample, to_json
from rulekit.rules import scorecard_of
from tests.pages.driving import text
from ui.state import AppState

pytestmark = pytest.mark.slow

TABLE = load_sample("credit")
X, Y = TABLE.xy()


@pytest.fixture
def scoring(swept_credit):
    return swept_credit.switch_page("pages/score.py").run()


def uploaded(app, frame):
    content = frame.to_csv(index=False).encode()
    return app.file_uploader(key="score_file").upload("new.csv", content, "text/csv").run()


def answers(app):
    """Return the listed cases in the order of their rows."""
    return next(d.value for d in app.dataframe if "predicted" in d.value.columns).sort_values("row")


def test_columns_are_listed_that_have_the_names_of_the_page_s_own(open_app):
    n = 40
    frame = pd.DataFrame({"row": np.arange(n) % 7, "clause": np.arange(n) % 3})
    frame["ill"] = np.where(frame["row"] > 3, "yes", "no")
    table = Table.from_frame(frame).with_roles({"ill": "target"}, positive_label="yes")
    model = FixedRuleClassifier(from_text("1. IF row > 3 AND clause > 0 THEN yes\nOTHERWISE no"))
    state = AppState(table=table)
    model.fit(*state.training)
    state = replace(state, model=model, rule_json=to_json(model), setting={"edited": "text"})
    app = open_app("score", state=state)
    assert not app.error
    shown = answers(app)
    X = state.testing[0].sort_index()
    assert shown["row (row)"].tolist() == X["row"].tolist()
    assert shown["clause (clause)"].tolist() == X["clause"].tolist()


def test_cases_of_a_scorecard_are_listed_by_total(open_app):
    state = AppState(table=TABLE)
    model = ScorecardClassifier(positive_label=state.positive).fit(*state.training)
    edited = {"rule_json": to_json(model), "setting": {"edited": "text"}}
    app = open_app("score", state=replace(state, model=model, **edited))
    assert not app.error
    shown = answers(app)
    assert "clause" not in shown
    (split,) = scorecard_of(model.rule_set_)
    likely = shown["total"] == f"from {split.total}"
    assert shown["predicted"].eq(state.positive).equals(likely)
    assert set(shown["total"]) == {f"from {split.total}", f"below {split.total}"}
    assert "Correct predictions of the rows in a range of totals" in text(app)


def test_second_tables_are_predicted_and_differences_come_first(scoring):
    state = scoring.session_state["app"]
    app = uploaded(scoring, X.assign(risk=Y).iloc[:400])
    table = answers(app)
    assert table["predicted"].tolist() == state.model.predict(X.iloc[:400]).tolist()
    assert table["actual"].tolist() == Y[:400].tolist()
    shown = next(d for d in app.dataframe if "predicted" in d.value.columns)
    assert shown.proto.placeholder == "missing"
    assert "The rule still holds" in app.success[0].value.replace("\\", "")
    read = scoring.session_state["app"].model.rule_set_.features
    name = next(f for f in read if TABLE.column(f).is_number)
    app = uploaded(scoring, X.assign(**{name: X[name] * 3 + 100}))
    assert f"Column '{name}' has moved" in app.warning[0].value.replace("\\", "")
    assert "The outcomes of these cases are not known" in text(app)
    app = uploaded(scoring, X.drop(columns=read[0]))
    assert "which the table does not have" in app.error[0].value.replace("\\", "")
    assert not [d for d in app.dataframe if "predicted" in d.value.columns]


def test_cases_without_unread_columns_are_scored_and_downloaded(scoring):
    """Levels in other letters are read as the known ones on request; close cases come first."""
    model = scoring.session_state["app"].model
    read = list(model.rule_set_.features)
    text_column = next((f for f in read if not TABLE.column(f).is_number), None)
    part = X[read].iloc[:50]
    if text_column is not None:
        part = part.assign(**{text_column: part[text_column].str.upper()})
    app = uploaded(scoring, part)
    assert not app.error
    assert len(app.get("download_button")) >= 3
    if text_column is not None:
        app = app.toggle[0].set_value(True).run()
        assert not app.error
    assert answers(app)["predicted"].tolist() == model.predict(X.iloc[:50]).tolist()
