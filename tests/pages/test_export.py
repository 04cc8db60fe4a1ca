"""The Export page: formats, the check, the record, the bundle."""

import base64
import contextlib
import io
import json
import re
import zipfile
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

from rulekit import Clause, FixedRuleClassifier, Literal, RuleSet, from_json, to_json, to_text
from tests.pages.driving import exported, loaded, text
from ui.export.formats import AUDIENCES, FORMATS, bundle, record_text, report, write_format
from ui.learners.offered import RunSpec
from ui.rule_numbers import row_name
from ui.state import NUMERIC, AppState, SplitSpec

pytestmark = pytest.mark.slow
ROOT = Path(__file__).parents[2]

SETTING = {"learner": "search", "theta": 2.0, "n_clauses": 2}
QUICK = RunSpec(thetas=(2.0,), folds=5, baselines=False).to_dict()

RENDERED = [name for name, form in FORMATS.items() if form.suffix.endswith("html")]


@pytest.fixture
def on_credit(open_app):
    return open_app(
        "export", state=AppState(table=loaded("credit"), setting=SETTING, run_settings=QUICK)
    )


def test_each_format_is_shown_and_checked_if_possible(on_credit):
    for name in (name for name in FORMATS if name not in RENDERED):
        exported(on_credit, name)
        assert not on_credit.error, name
        state = on_credit.session_state["app"]
        content = write_format(name, state, state.model)
        shown_text = to_text(state.model) if isinstance(content, bytes) else content
        assert on_credit.code[-1].value == shown_text.strip(), name
        checked = "Checked: 1,000/1,000 rows give the same class" in text(on_credit)
        assert checked is (not FORMATS[name].why_unchecked), name
        if not checked:
            assert "Checked" not in text(on_credit), name
            assert not on_credit.success, name


def test_counts_on_the_training_rows_are_beside_the_clauses(on_credit):
    state = on_credit.session_state["app"]
    X, y = state.training
    fired = state.model.clauses_fired(X)[:, 0]
    n, right = fired.sum(), (y.to_numpy()[fired] == state.positive).sum()
    words = f"decides {n} training rows, right for {right}"
    for name in ("text", "markdown", "html", "latex"):
        exported(on_credit, name)
        shown = page(on_credit) if name == "html" else on_credit.code[-1].value
        assert (f"{right} of {n}" if name == "latex" else words) in shown, name
    exported(on_credit, "csv")
    frame = pd.read_csv(io.StringIO(on_credit.code[-1].value))
    fired = state.model.clauses_fired(X)
    first = fired & (fired.cumsum(axis=1) == 1)
    assert frame["decided"].dropna().tolist() == first.sum(axis=0).tolist()


def page(app):
    """The page that Export shows rendered."""
    (frame,) = app.get("iframe")
    return base64.b64decode(frame.proto.src.partition("base64,")[2]).decode()


def test_reports_hold_test_figures_reviews_and_count_as_a_look(on_credit):
    assert on_credit.session_state["app"].test_looks == 0
    exported(on_credit, "report")
    assert not on_credit.error
    state = on_credit.session_state["app"]
    assert state.test_looks == 1
    assert "now shown for 1 rule" in text(on_credit)
    written = report(state, state.model)
    assert page(on_credit) == written
    assert "On the training cases" in written
    assert "On the test cases" in written
    assert state.table.digest in written
    assert not re.search(r"<script|https?:|src=|href=|@import|url\(", written)
    exported(on_credit, "app")
    assert not on_credit.error
    assert all(f"Errors on the {rows} rows" in page(on_credit) for rows in ("training", "test"))
    assert "When is risk high?" in page(on_credit)
    state = on_credit.session_state["app"]
    X, _ = state.testing
    first, second = (int(k) for k in X.index[:2])
    answers = [str(v) for v in state.model.predict(X.iloc[:2])]
    notes = {
        str(second + 1): {"verdict": "agree", "note": "", "answer": answers[1]},
        str(first + 1): {"verdict": "disagree", "note": "paid since", "answer": "medium"},
    }
    reviewed = report(replace(state, case_notes=notes), state.model)
    assert "2 cases looked at: 1 agree and 1 disagree." in reviewed
    one, two = (f"<td>{row_name(place, state)}</td>" for place in (first, second))
    then = f"{one}<td>medium (now {answers[0]})</td><td>disagree</td>"
    assert f"{then}<td>paid since</td>" in reviewed
    assert f"{two}<td>{answers[1]}</td><td>agree</td>" in reviewed
    assert reviewed.index(one) < reviewed.index(two)
    assert "Verdicts on single cases" not in report(state, state.model)


def test_formats_are_folded_and_notes_go_into_the_record(on_credit):
    offered = on_credit.radio(key="export_Format").options
    assert offered == ["Text for a document", "Excel", "SQL, Python or JavaScript"]
    folded = [e.label.partition(":")[0] for e in on_credit.expander]
    assert folded == [*AUDIENCES, "Everything together"]
    assert not any(e.proto.expanded for e in on_credit.expander)
    assert "Checked" not in " ".join(h.value for h in (*on_credit.title, *on_credit.header))
    assert {b.key for b in on_credit.get("download_button")} >= {"download_format", "download_zip"}
    assert "Checked: 1,000/1,000" in text(on_credit)
    on_credit.text_area(key="export_notes").set_value("asked by the board").run()
    state = on_credit.session_state["app"]
    record = json.loads(record_text(state, state.model))
    assert record["notes"] == "asked by the board"


def test_the_address_holds_the_key_of_the_format_and_opens_it(on_credit, open_app):
    exported(on_credit, "duckdb")
    assert on_credit.query_params["export_format"] == "duckdb"
    state = on_credit.session_state["app"]
    linked = open_app("export", state=state, query={"export_format": "postgresql"})
    assert linked.radio(key="export_Format").value == "code"
    assert linked.selectbox(key="export_language").value == "postgresql"
    assert linked.header[0].value == "SQL for PostgreSQL"
    linked = open_app("export", state=state, query={"export_format": "latex"})
    assert linked.radio(key="export_Format").value is None
    assert linked.radio(key="export_For readers").value == "latex"
    assert [e.proto.expanded for e in linked.expander] == [True, False, False, False]
    strange = open_app("export", state=state, query={"export_format": "SQL for DuckDB"})
    assert strange.radio(key="export_Format").value == "text"
    assert "Unknown format in the address: SQL for DuckDB" in text(strange)


def test_report_without_test_rows_omits_them(open_app):
    state = AppState(table=loaded("credit"), setting=SETTING, run_settings=QUICK)
    app = exported(open_app("export", state=replace(state, split=SplitSpec(0.0))), "report")
    state = app.session_state["app"]
    assert state.test_looks == 0
    assert "test cases" not in report(state, state.model)


@pytest.mark.parametrize("sample", ["credit", "iris"])
def test_the_script_run_beside_the_samples_learns_the_rule_again(open_app, sample, capsys):
    state = AppState(table=loaded(sample), setting=SETTING, run_settings=QUICK)
    app = exported(open_app("export", state=state), "script")
    assert "Not checked on this table" in text(app)
    state = app.session_state["app"]
    with contextlib.chdir(ROOT):
        exec(compile(app.code[-1].value, "script", "exec"), {})
    assert capsys.readouterr().out == to_text(state.model) + "\n"


def test_the_script_of_an_uploaded_file_reads_it_as_the_page_did(open_app, tmp_path, capsys):
    lines = [
        f"{k % 9},5;{k or 'none'};{k % 2 + 1};{'ja' if k % 9 > 5 else 'nö'}" for k in range(90)
    ]
    content = "\n".join(["größe;zahl;gewicht;krank", *lines]).encode("cp1252")
    app = open_app()
    app.file_uploader[0].upload("fälle.csv", content).run()
    state = app.session_state["app"]
    table = state.table.as_numeric("zahl").with_roles({"krank": "target", "gewicht": "weight"})
    app.session_state["app"] = replace(
        state,
        table=table.with_roles({}, positive_label="ja"),
        options=state.options | {NUMERIC: ["zahl"]},
        setting=SETTING,
        run_settings=QUICK,
    )
    app.switch_page("pages/export.py").run()
    exported(app, "script")
    (tmp_path / "fälle.csv").write_bytes(content)
    with contextlib.chdir(tmp_path):
        exec(compile(app.code[-1].value, "script", "exec"), {})
    assert "größe" in capsys.readouterr().out


def test_a_rule_changed_by_hand_has_every_format_but_the_script(on_credit):
    state = on_credit.session_state["app"]
    model = FixedRuleClassifier(state.model.rule_set_).fit(*state.training)
    on_credit.session_state["app"] = state = replace(
        state, model=model, setting={"edited": "a"}, rule_json=to_json(model)
    )
    exported(on_credit.run(), "script")
    assert "by hand was not learned" in text(on_credit)
    assert "download_format" not in {b.key for b in on_credit.get("download_button")}
    with zipfile.ZipFile(io.BytesIO(bundle(state, model))) as archive:
        assert "rule.script.py" not in archive.namelist()
        assert len(archive.namelist()) == len(FORMATS) + 1


def test_bundle_has_every_expressible_format_and_is_the_same_again(on_credit):
    state = on_credit.session_state["app"]
    content = bundle(state, state.model)
    assert bundle(state, state.model) == content
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        assert len(archive.namelist()) == len(FORMATS) + 2
        assert from_json(archive.read("rule.json").decode()) == state.model.rule_set_
    rule = RuleSet((Clause((Literal("purpose", "==", ""),)),), ("good",), "dnf", "bad")
    model = FixedRuleClassifier(rule).fit(*state.training)
    with zipfile.ZipFile(io.BytesIO(bundle(state, model))) as archive:
        assert "rule.xlsx" not in archive.namelist()
        assert "Excel: In a spreadsheet an empty text" in archive.read("left-out.txt").decode()
        assert "rule.json" in archive.namelist()
