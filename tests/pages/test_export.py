"""The Export page: formats, the check, the record, the bundle."""

import io
import json
import zipfile

import pytest

from rulekit.data import load_sample
from rulekit.export import from_json
from ui.export_formats import FORMATS, bundle, record_text
from ui.learners import RunSpec
from ui.state import AppState

SETTING = {"learner": "alternating", "theta": 2.0, "n_clauses": 2}
QUICK = RunSpec(thetas=(2.0,), folds=5, baselines=False).to_dict()


def text(app):
    elements = [*app.caption, *app.warning, *app.error, *app.info, *app.success]
    return " ".join(e.value for e in elements).replace("\\", "").replace("\u2060", "")


@pytest.fixture
def on_credit(open_app):
    app = open_app("export")
    app.session_state["app"] = AppState(
        table=load_sample("credit"), setting=SETTING, run_settings=QUICK
    )
    return app.run()


def test_without_a_model_the_page_points_to_models(open_app):
    app = open_app("export", sample="iris")
    assert not app.exception
    assert "No model is picked yet" in text(app)


def test_without_a_table_the_page_says_so(open_app):
    assert "No table is loaded yet" in text(open_app("export"))


@pytest.mark.parametrize("name", list(FORMATS))
def test_each_format_is_shown_and_checked_where_it_can_be(on_credit, name):
    on_credit.segmented_control(key="export_format").set_value(name).run()
    assert not on_credit.exception
    assert not on_credit.error
    written = FORMATS[name].write(on_credit.session_state["app"].model)
    assert on_credit.code[0].value == written.strip()
    checked = "Checked: 1000/1000 rows give the same class" in text(on_credit)
    assert checked is bool(FORMATS[name].verified)


def test_notes_go_into_the_record(on_credit):
    on_credit.text_area(key="export_notes").set_value("asked by the board").run()
    state = on_credit.session_state["app"]
    record = json.loads(record_text(state, state.model))
    assert record["notes"] == "asked by the board"


def test_the_record_tells_data_setting_seeds_and_versions(on_credit):
    state = on_credit.session_state["app"]
    record = json.loads(record_text(state, state.model))
    assert record["data"]["sha256"] == state.table.digest
    assert record["setting"] == SETTING
    assert record["split"]["test_rows"] == 300
    assert record["result"]["conditions"] == state.model.rule_set_.n_literals
    assert "python" in record["versions"]


def test_the_bundle_holds_every_format_and_the_rule_comes_back_from_it(on_credit):
    state = on_credit.session_state["app"]
    with zipfile.ZipFile(io.BytesIO(bundle(state, state.model))) as archive:
        assert len(archive.namelist()) == len(FORMATS) + 1
        assert from_json(archive.read("rule.json").decode()) == state.model.rule_set_


def test_equal_rules_give_equal_bundles(on_credit):
    state = on_credit.session_state["app"]
    assert bundle(state, state.model) == bundle(state, state.model)
