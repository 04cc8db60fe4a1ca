"""The Data page: analyses that are kept, listed, opened again and forgotten, and their settings."""

import json
from dataclasses import replace

import pytest

from tests.pages.data.steps import GOOD, notes_field, upload
from tests.pages.driving import errors, opened
from ui.learners.offered import RunSpec
from ui.state import BinningSpec, ColumnName, SplitSpec, to_plain


@pytest.mark.slow
def test_saved_analyses_are_listed_opened_renamed_copied_deleted(open_app, table_of):
    app = open_app()
    app.session_state["_owner"] = "0" * 64
    app.button(key="sample_iris").click().run()
    iris = app.query_params["analysis"]
    app.button(key="sample_wine").click().run()
    wine = app.query_params["analysis"]
    app.button(key=f"open_{iris}").click().run()
    assert table_of(app).name == "iris"
    assert app.query_params["analysis"] == iris
    app.text_input(key=f"rename_{wine}").set_value("cultivars").run()
    assert app.button(key=f"open_{wine}").label == "cultivars"
    app.button(key=f"copy_{wine}").click().run()
    assert any(b.label.replace("\\", "") == "cultivars (copy)" for b in app.button)
    assert f"forget_{wine}" not in {b.key for b in app.button}  # it asks first
    app.toggle(key=f"ask_forget_{wine}").set_value(True).run()
    app.button(key=f"forget_{wine}").click().run()
    assert not any(b.key == f"open_{wine}" for b in app.button)
    other = open_app()
    assert not any(b.key and b.key.startswith("open_") for b in other.button)
    same = opened_by("0" * 64)
    assert any(b.key == f"open_{iris}" for b in same.button)


def opened_by(owner):
    """Open the dashboard in a new session of the browser of this owner."""
    app = opened()
    app.session_state["_owner"] = owner
    return app.run()


@pytest.mark.slow
def test_a_reload_brings_everything_back(open_app, table_of):
    app = upload(open_app(), GOOD)
    app.button(key="use_suggestion").click().run()
    app.radio[0].set_value("no").run()
    app.slider[0].set_value(20).run()
    notes_field(app).set_value("ask Ada").run()
    again = open_app(query={"analysis": app.query_params["analysis"]})
    old, new = app.session_state["app"], again.session_state["app"]
    assert new.fit_key == old.fit_key
    assert (new.notes, new.positive, new.split.test_share) == ("ask Ada", "no", 0.2)
    assert table_of(again).notes == table_of(app).notes


def test_forgetting_deletes_the_files_and_starts_a_new_analysis(
    open_app, table_of, workspace_folder
):
    app = open_app(sample="iris")
    analysis = workspace_folder / app.query_params["analysis"]
    assert analysis.is_dir()
    app.button(key="forget").click().run()
    assert table_of(app) is None
    assert not analysis.exists()
    assert "analysis" not in app.query_params


@pytest.mark.parametrize("address", ["x" * 24, ".."])
def test_unknown_analysis_or_path_in_the_address_is_reported(open_app, table_of, tmp_path, address):
    (tmp_path / "analysis.json").write_text("{}")
    app = open_app(query={"analysis": address})
    assert "not on this machine" in errors(app)
    assert table_of(app) is None


def test_nothing_is_written_with_saving_off(open_app, monkeypatch, workspace_folder):
    monkeypatch.setenv("RULEKIT_WORKSPACE", "off")
    app = open_app(sample="iris")
    assert not workspace_folder.exists()
    assert "analysis" not in app.query_params
    assert any("Nothing is written" in c.value for c in app.caption)


def load(app, content):
    """Upload saved settings."""
    field = app.file_uploader(key="upload_settings_0")
    field.set_value(("analysis.json", content, "application/json"))
    app.run()


def settings_file(app):
    state = replace(
        app.session_state["app"],
        notes="ask Ada",
        split=SplitSpec(0.2, 7),
        binning=BinningSpec("median"),
        wording={"income": ColumnName("monthly income", "EUR")},
        run_settings=RunSpec(thetas=(2.0,)).to_dict(),
    )
    return json.dumps(to_plain(state)).encode()


@pytest.mark.slow
def test_saved_settings_load_into_a_new_analysis(open_app):
    app = open_app("data", sample="credit")
    before = app.session_state["analysis_id"]
    content = settings_file(app)
    load(app, content)
    assert not app.error
    state = app.session_state["app"]
    assert json.dumps(to_plain(state)).encode() == content
    assert app.session_state["analysis_id"] != before


def test_settings_for_other_cells_are_applied_with_a_note(open_app):
    app = open_app("data", sample="credit")
    saved = json.loads(settings_file(app)) | {"digest": "of another table", "test_looks": 9}
    load(app, json.dumps(saved).encode())
    assert "other cells" in app.error[0].value
    assert app.session_state["app"].notes == "ask Ada"
    assert app.session_state["app"].test_looks == 0


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"\xff\xfe", "not a settings file"),
        (b"[1]", "not a settings file"),
        (b'{"version": 1, "roles": {}, "digest": ""}', "not a settings file"),
        (b'{"version": 0, "roles": {}, "digest": ""}', "of version 0"),
        (b'{"version": 1, "roles": {"no such": "id"}, "digest": ""}', "'no such'"),
    ],
)
def test_invalid_settings_give_a_sentence_and_change_nothing(open_app, content, said):
    app = open_app("data", sample="credit")
    before = app.session_state["analysis_id"]
    load(app, content)
    assert said in app.error[0].value.replace("\\", "")
    assert app.session_state["analysis_id"] == before
