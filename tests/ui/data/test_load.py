"""Proposed columns of a wide file, and settings and rules from files."""

import json

import pytest
from click.testing import CliRunner

from rulekit.cli.command import rulekit
from rulekit.data import Limits, load_sample
from rulekit.export import from_json, from_text, to_json
from tests.pages.driving import opened, routed, text
from ui.data.load import propose_columns
from ui.export.formats import write_format
from ui.learners.offered import RunSpec
from ui.state import AppState

NAMES = [*(f"gene_{k}" for k in range(5_000)), "Age", "ill"]
MOST = Limits().max_columns


def test_words_and_names_select_columns_with_the_target():
    columns = propose_columns(NAMES, "ill")
    assert len(columns) == MOST
    assert columns == (*NAMES[: MOST - 1], "ill")
    assert propose_columns(NAMES, "ill", "age, GENE_499 ,") == (
        "gene_499",
        *(f"gene_{k}" for k in range(4_990, 5_000)),
        "Age",
        "ill",
    )
    columns = propose_columns(NAMES, "ill", "", ["gene_4000"])
    assert len(columns) == MOST
    assert "gene_4000" in columns
    assert propose_columns(NAMES, "ill", "no such", ["Age"]) == ("Age", "ill")


RULE = '1. IF guarantor = "no" AND late_payments > 1 THEN high\nOTHERWISE low'
QUICK = RunSpec(thetas=(2.0,), folds=5, baselines=False).to_dict()


@pytest.fixture
def app(tmp_path, monkeypatch):
    monkeypatch.setenv("RULEKIT_WORKSPACE", str(tmp_path / "workspace"))
    with routed():
        yield opened("data", state=AppState(table=load_sample("credit")))


def taken(app, content, turn=0):
    file = app.file_uploader(key=f"upload_rule_{turn}")
    return file.upload("rule.json", content.encode(), "application/json").run()


def ran(*words):
    result = CliRunner().invoke(rulekit, [str(word) for word in words])
    assert result.exit_code == 0, result.output
    return result.stdout


@pytest.mark.slow
def test_a_rule_of_the_command_scores_the_same_rows_in_the_app(app, tmp_path):
    requested = ("--target", "risk", "--learner", "one-clause", "-o", tmp_path / "rule.json")
    ran("learn", "sample:credit", *requested)
    app = taken(app, (tmp_path / "rule.json").read_text())
    state = app.session_state["app"]
    X, _ = state.data
    scored = json.loads(ran("score", tmp_path / "rule.json", "sample:credit", "--json"))
    assert state.rule_selected
    assert [case["answer"] for case in scored["cases"]] == state.model.predict(X).tolist()
    assert write_format("json", state, state.model) == (tmp_path / "rule.json").read_text()


@pytest.mark.slow
def test_a_rule_of_the_app_scores_the_same_rows_by_the_command(tmp_path, monkeypatch):
    monkeypatch.setenv("RULEKIT_WORKSPACE", str(tmp_path / "workspace"))
    setting = {"learner": "search", "theta": 2.0, "n_clauses": 2}
    state = AppState(table=load_sample("credit"), setting=setting, run_settings=QUICK)
    with routed():
        app = opened("export", state=state)
    state = app.session_state["app"]
    exported = tmp_path / "exported.json"
    exported.write_text(write_format("json", state, state.model))
    (saved,) = (tmp_path / "workspace").glob("*/analysis.json")
    answers = state.model.predict(load_sample("credit").frame).tolist()
    assert len(set(answers)) == 2
    for file in (exported, saved):
        scored = json.loads(ran("score", file, "sample:credit", "--json"))
        assert [case["answer"] for case in scored["cases"]] == answers
    assert json.loads(ran("compare", exported, saved, "--json"))["same"]


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("{", "The text is not JSON"),
        ('{"schema": 7}', "must have schema 1"),
        (to_json(from_text(RULE.replace("high", "bad"))), "The rule predicts 'bad', but"),
        (to_json(from_text(RULE.replace("guarantor", "patron"))), "reads column 'patron'"),
        (to_json(from_text("1. IF purpose > 3 THEN high\nOTHERWISE low")), "'purpose'"),
    ],
)
def test_unfit_input_is_reported_and_changes_nothing(app, content, sentence):
    app = taken(app, content)
    assert sentence in text(app)
    assert app.session_state["app"].model is None


@pytest.mark.slow
def test_a_second_file_takes_the_place_of_the_first(app):
    app = taken(app, to_json(from_text(RULE)))
    later = from_text(RULE.replace("> 1", "> 2"))
    app = taken(app, to_json(later), turn=1)
    assert app.session_state["app"].model.rule_set_ == later
    assert from_json(app.session_state["app"].rule_json) == later
