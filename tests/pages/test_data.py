"""The Data page: samples, files good and bad, what is predicted, roles, reload, forgetting."""

import io
import json
import zipfile
from dataclasses import replace

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from rulekit.data import list_samples
from rulekit.learners import FixedRuleClassifier
from rulekit.rules import Clause, Literal, RuleSet
from tests.pages.driving import opened, text
from tests.waiting import until
from ui.data.choices import apply_edits, editor_frame
from ui.data.split import split_figure, split_sentence
from ui.data.tasks import ReadFile
from ui.learners.offered import RunSpec
from ui.shell import PAGES
from ui.state import BinningSpec, SplitSpec, Wording
from ui.state_file import to_plain

GOOD = b"age,glucose,ill\n" + b"".join(
    b"%d,%d,%s\n" % (30 + k // 2, 90 + 7 * k % 13, b"yes" if k % 3 == 0 else b"no")
    for k in range(40)
)


def said(app):
    """All error sentences, as they are read."""
    return " ".join(e.value for e in app.error).replace("\\", "").replace("\u2060", "")


def target(app):
    """The box that asks for the target."""
    return next(box for box in app.selectbox if box.label == "Target column")


def upload(app, content, name="table.csv"):
    return app.file_uploader[0].upload(name, content).run()


def parquet_of_many_rows():
    """A small file that declares 2e8 rows, by repeating one dictionary value."""
    sink = io.BytesIO()
    zeros = pa.array(np.zeros(10_000_000, dtype=np.int8))
    with pq.ParquetWriter(sink, pa.schema([("a", pa.int8())])) as writer:
        for _ in range(2):
            writer.write_table(pa.table({"a": zeros}))
    return sink.getvalue()


def zip_bomb():
    """A spreadsheet whose sheet unpacks to far more than it may."""
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
        archive.writestr("xl/workbook.xml", "<workbook/>")
        archive.writestr("xl/worksheets/sheet1.xml", b"0" * 20_000_000)
    return sink.getvalue()


REFUSED = {
    "an empty file": (b"", "t.csv", "empty"),
    "a header only": (b"a,b,c\n", "t.csv", "no rows"),
    "ragged rows": (b"a,b\n1,2\n3,4,5\n6,7\n", "t.csv", "3"),
    "an unclosed quote": (b'a,b\n1,"2\n3,4\n', "t.csv", "quotation"),
    "a zip bomb": (zip_bomb(), "t.xlsx", "unpack"),
    "a zip that is no spreadsheet": (b"PK\x03\x04" + b"\x00" * 60, "t.xlsx", "not read"),
    "too many rows declared": (parquet_of_many_rows(), "t.parquet", "rows"),
    "a broken Parquet file": (b"PAR1" + b"\x00" * 50, "t.parquet", "not read"),
    "a pickle called csv": (b"\x80\x04\x95abc", "t.csv", "pickle"),
}


@pytest.mark.parametrize("name", [s.name for s in list_samples()])
def test_a_sample_is_one_click_and_complete(open_app, name):
    app = open_app(sample=name)
    assert not app.exception
    assert not app.error
    assert app.session_state["app"].ready


def test_without_data_there_is_an_upload_and_samples_and_nothing_else(open_app):
    app = open_app()
    assert not app.exception
    assert len(app.file_uploader) == 1
    assert not app.metric
    assert not app.dataframe
    assert any("50 MB" in c.value for c in app.caption)


@pytest.mark.parametrize("content", REFUSED.values(), ids=list(REFUSED))
def test_a_refused_file_is_a_sentence_and_the_earlier_table_stays(open_app, table_of, content):
    raw, name, word = content
    app = open_app(sample="iris")
    before = table_of(app)
    upload(app, raw, name)
    assert not app.exception
    assert word in said(app)
    assert "Traceback" not in said(app)
    assert table_of(app).digest == before.digest
    assert app.session_state["app"].target == "species"


@pytest.mark.parametrize(
    ("raw", "shown"), [(b"\x89PNG\r\n\x00\x00\x00\rIHDR", False), (b"a,b\n1,2\n3,4,5\n", True)]
)
def test_the_first_lines_of_a_file_are_shown_where_they_can_be_read(open_app, raw, shown):
    app = upload(open_app(), raw)
    assert app.error
    assert any("first lines" in c.value for c in app.caption) is shown


def test_a_refused_first_file_leaves_the_page_as_it_was(open_app, table_of):
    app = upload(open_app(), b"")
    assert "empty" in said(app)
    assert table_of(app) is None


def test_after_a_refusal_a_good_file_is_taken(open_app, table_of):
    app = upload(open_app(), b"")
    upload(app, GOOD, "good.csv")
    assert not app.error
    assert table_of(app).n_rows == 40


def test_the_target_is_suggested_but_never_set(open_app):
    app = upload(open_app(), GOOD)
    assert app.session_state["app"].target is None
    app.button(key="use_suggestion").click().run()
    state = app.session_state["app"]
    assert (state.target, state.positive, state.other_label) == ("ill", "yes", "no")
    assert state.features == ["age", "glucose"]


CODED = b"age,glucose,ill\n" + b"".join(
    b"%d,%d,%d\n" % (30 + k // 2, 90 + 7 * k % 13, k % 3 == 0) for k in range(40)
)


def coded_and_suggested(open_app):
    return upload(open_app(), CODED).button(key="use_suggestion").click().run()


def field(app, label):
    return next(f for f in app.text_input if f.label.replace("\\", "").endswith(label))


def test_of_coded_classes_it_is_asked_what_they_mean_and_of_named_ones_it_is_not(open_app):
    app = coded_and_suggested(open_app)
    assert "What do 0 and 1 mean?" in text(app)
    assert app.session_state["app"].positive == 1
    named = open_app(sample="credit")
    assert "mean?" not in text(named)


def test_a_name_given_to_a_class_is_its_name_everywhere_and_after_a_reload(open_app):
    app = coded_and_suggested(open_app)
    field(app, "ill = 1 means").set_value("diabetic").run()
    field(app, "ill = 0 means").set_value("well").run()
    assert not app.exception
    assert not app.error
    state = app.session_state["app"]
    assert (state.positive, state.other_label) == ("diabetic", "well")
    assert set(state.training[1]) == {"diabetic", "well"}
    assert "What do 0 and 1 mean?" not in text(app)
    assert any("diabetic (1)" in option for option in app.radio[0].options)
    assert "14 rows diabetic" in text(app) or "10 diabetic" in text(app)
    again = open_app(query={"analysis": app.query_params["analysis"]})
    assert again.session_state["app"].outcomes == {"0": "well", "1": "diabetic"}
    assert field(again, "ill = 1 means").value == "diabetic"
    again.radio[0].set_value(0).run()
    assert again.session_state["app"].positive == "well"


def test_two_classes_of_one_name_are_a_sentence_and_nothing_changes(open_app):
    app = coded_and_suggested(open_app)
    field(app, "ill = 1 means").set_value("ill").run()
    field(app, "ill = 0 means").set_value("ill").run()
    assert "cannot both be called 'ill'" in said(app)
    assert app.session_state["app"].outcomes == {"1": "ill"}


def test_with_a_rule_in_hand_it_is_said_that_it_will_be_learned_again(open_app):
    app = coded_and_suggested(open_app)
    words = "makes the rule in hand be learned again"
    assert words not in text(app)
    state = replace(app.session_state["app"], setting={"theta": 1.0}, model=a_model())
    assert words in text(open_app(state=state))


def a_model():
    rule = RuleSet((Clause((Literal("age", ">", 40.0),)),), (1,), "dnf", 0)
    return FixedRuleClassifier(rule)


def test_from_a_file_two_clicks_lead_to_models(open_app):
    app = upload(open_app(), GOOD).button(key="use_suggestion").click().run()
    app.button(key="onward").click().run()
    assert not app.exception
    assert app.title[0].value == PAGES["models"][1]


@pytest.mark.slow
def test_columns_that_no_rule_may_use_are_named_with_the_reason(open_app):
    app = open_app(sample="credit")
    assert "Not used: loan_id (names a row or a case), opened_on (dates)" in text(app)


def test_numbers_that_may_be_codes_become_a_category_in_one_click(open_app, table_of):
    rows = b"".join(b"%d,%.1f,%s\n" % (1 + k % 4, k / 7, b"xy"[k % 2 :][:1]) for k in range(60))
    app = upload(open_app(), b"chest,a,ill\n" + rows)
    assert "coded 1 to 4: codes or counts?" in text(app)
    next(b for b in app.button if b.label == "They are codes").click().run()
    assert not app.exception
    assert table_of(app).column("chest").kind == "category"
    assert app.session_state["app"].options["categories"] == ["chest"]
    assert "codes or counts?" not in text(app)
    again = open_app(query={"analysis": app.query_params["analysis"]})
    assert table_of(again).column("chest").kind == "category"


def test_twins_across_the_split_are_counted_and_can_be_kept_together(open_app):
    rows = b"".join(
        b"%d,%d,%s\n" % (k % 30, k % 7, b"yes" if k % 3 == 0 else b"no") for k in range(420)
    )
    app = upload(open_app(), b"a,b,ill\n" + rows).button(key="use_suggestion").click().run()
    state = app.session_state["app"]
    assert f"{state.twins:,} of 126 test rows have an exact twin" in text(app)
    next(t for t in app.toggle if t.label.startswith("Keep rows")).set_value(True).run()
    assert not app.exception
    state = app.session_state["app"]
    assert state.split.keep_twins
    assert state.twins == 0
    assert "exact twin" not in text(app)
    next(t for t in app.toggle if t.label.startswith("Keep rows")).set_value(False).run()
    assert "exact twin" in text(app)


def wide_file(n_columns=2_300):
    frame = pd.DataFrame(np.arange(40 * n_columns).reshape(40, -1) % 7)
    frame.columns = [f"g{k}" for k in range(n_columns)]
    frame["outcome"] = ["yes", "no"] * 20
    return frame.to_csv(index=False).encode()


def test_of_a_file_too_wide_columns_are_chosen_and_read_alone(open_app, table_of):
    app = upload(open_app(sample="iris"), wide_file())
    assert not app.exception
    assert table_of(app).name == "iris"
    assert "2,301 columns" in text(app)
    box = next(b for b in app.selectbox if b.label == "Column to predict")
    assert box.value == "outcome"
    words = next(f for f in app.text_input if f.label == "Columns whose name contains")
    words.set_value("g229").run()
    app.button(key="read_wide").click().run()
    assert not app.exception
    assert not app.error
    state = app.session_state["app"]
    kept = ["g229", *(f"g{k}" for k in range(2290, 2300)), "outcome"]
    assert [c.name for c in state.table.columns] == kept
    assert (state.target, state.ready) == ("outcome", True)
    assert state.options["columns"] == tuple(kept)


@pytest.mark.slow  # a worker's start
def test_a_large_file_is_read_in_the_background_and_taken_when_it_is_there(
    open_app, table_of, monkeypatch
):
    monkeypatch.setattr("ui.data.tasks.LARGE", {"text": 100})
    app = upload(open_app(), GOOD, "big.csv")
    assert not app.exception
    until(lambda: app.run() and table_of(app) is not None)
    assert table_of(app).name == "big.csv"
    app = upload(open_app(sample="iris"), b"a,b\n1,2\n3,4,5\n" + b"6,7\n" * 100, "ragged.csv")
    until(lambda: app.run() and app.error)
    assert "Every row must have 2 cells" in said(app)
    assert table_of(app).name == "iris"


class Endless(ReadFile):
    """A file whose reading ends when it is stopped; done in another process, as any large one."""

    large = True

    def __call__(self, telling=None):
        until(telling.should_stop)


def test_reading_can_be_stopped(open_app, table_of, monkeypatch):
    monkeypatch.setattr("ui.data.load.ReadFile", Endless)
    app = upload(open_app(), GOOD, "big.csv")
    assert "Reading big.csv" in text(app)
    app.button(key="stop_reading").click().run()
    assert "Reading was stopped" in said(app)
    assert table_of(app) is None


def test_saved_analyses_of_this_browser_are_listed_opened_renamed_copied_and_forgotten(
    open_app, table_of
):
    app = open_app()
    app.session_state["_owner"] = "0" * 64
    app.button(key="sample_iris").click().run()
    iris = app.query_params["analysis"]
    app.button(key="sample_wine").click().run()
    wine = app.query_params["analysis"]
    app.button(key=f"open_{iris}").click().run()
    assert not app.exception
    assert table_of(app).name == "iris"
    assert app.query_params["analysis"] == iris
    app.text_input(key=f"rename_{wine}").set_value("cultivars").run()
    assert app.button(key=f"open_{wine}").label == "cultivars"
    app.button(key=f"copy_{wine}").click().run()
    assert any(b.label.replace("\\", "") == "cultivars (copy)" for b in app.button)
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


def test_the_other_class_can_be_described(open_app):
    app = upload(open_app(), GOOD)
    app.button(key="use_suggestion").click().run()
    app.radio[0].set_value("no").run()
    assert (app.session_state["app"].positive, app.session_state["app"].other_label) == (
        "no",
        "yes",
    )


def test_a_constant_target_is_named_with_a_way_out(open_app):
    app = upload(open_app(), b"a,b\n" + b"".join(b"%d,same\n" % k for k in range(20)))
    target(app).set_value("b").run()
    assert "two classes" in said(app)
    assert app.session_state["app"].problem() is not None


def test_an_all_missing_target_is_named_with_a_way_out(open_app):
    app = upload(open_app(), b"a,b,c\n" + b"".join(b"%d,,x\n" % k for k in range(20)))
    target(app).set_value("b").run()
    assert "missing in every row" in said(app)


def test_an_id_like_target_is_refused_and_another_can_be_chosen(open_app):
    rows = b"".join(b"%d,%d,%s\n" % (k, k % 9, b"xy"[k % 2 :][:1]) for k in range(60))
    app = upload(open_app(), b"id,a,ill\n" + rows)
    target(app).set_value("id").run()
    assert "as an identifier is" in said(app)
    target(app).set_value("ill").run()
    assert not app.error
    assert app.session_state["app"].ready


def test_several_classes_become_one_against_the_rest_where_that_is_asked_for(open_app):
    app = open_app(sample="wine")
    next(t for t in app.toggle if t.label == "One class against the rest").set_value(True).run()
    _, y = app.session_state["app"].data
    assert sorted(y.unique()) == ["cultivar 1", "not cultivar 1"]


def test_text_from_western_windows_with_decimal_commas_is_read_and_said(open_app, table_of):
    text = "größe;preis;art\n1,5;2,25;ä\n2,5;3,75;b\n" * 1 + "3,5;4,25;ä\n" * 10
    app = upload(open_app(), text.encode("cp1252"))
    frame = table_of(app).frame
    assert list(frame.columns) == ["größe", "preis", "art"]
    assert frame["preis"].iloc[:2].tolist() == [2.25, 3.75]
    assert any("Windows" in m.value for m in app.markdown)


def test_another_reading_option_reads_the_file_again_at_once(open_app, table_of):
    app = upload(open_app(), b"a;b\n1,5;x\n2,5;y\n3,5;x\n")
    assert table_of(app).frame["a"].tolist() == [1.5, 2.5, 3.5]
    box = next(s for s in app.selectbox if s.label == "First row")
    box.set_value(False).run()
    assert not app.exception
    assert table_of(app).n_rows == 4


def test_hostile_names_do_no_harm(open_app, table_of):
    names = ["![x](http://a.site/p.png)", "<b>x</b>", "=1+1", "a" * 10_000, "a,b", "ill"]
    frame = pd.DataFrame({n: np.arange(30) % (7 + k) for k, n in enumerate(names)})
    frame["ill"] = np.arange(30) % 2
    app = upload(open_app(), frame.to_csv(index=False).encode())
    app.button(key="use_suggestion").click().run()
    assert not app.exception
    assert table_of(app).n_columns == 6
    texts = [e.value for kind in (app.markdown, app.caption, app.error) for e in kind]
    assert not any("![x](http" in text or "<b>" in text for text in texts)


def test_duplicate_headers_are_repaired_and_said(open_app, table_of):
    app = upload(open_app(), b"a,a,ill\n1,2,x\n3,4,y\n5,6,x\n")
    assert len(set(table_of(app).frame.columns)) == 3
    assert not app.exception


def test_infinities_and_text_among_numbers_are_said(open_app):
    rows = b"".join(b"%d,%d,%s\n" % (k, k % 7, b"xy"[k % 2 :][:1]) for k in range(60))
    app = upload(open_app(), b"a,b,ill\ninf,1,x\noops,2,y\n" + rows)
    assert not app.exception
    notes = " ".join(m.value for m in app.markdown).replace("\\", "")
    assert "oops" in notes


def test_a_finding_s_fix_is_one_click(open_app, table_of):
    rows = b"".join(b"%d,%d,%s\n" % (k % 9, k % 9, b"xy"[k % 2 :][:1]) for k in range(60))
    app = upload(open_app(), b"a,twin,ill\n" + rows)
    fix = next(b for b in app.button if b.key and b.key.startswith("fix_"))
    fix.click().run()
    assert table_of(app).column("twin").role == "ignore"


def test_the_share_of_held_back_rows_follows_the_slider(open_app):
    app = open_app(sample="breast_cancer")
    app.slider[0].set_value(0).run()
    train, test = app.session_state["app"].rows()
    assert (len(train), len(test)) == (569, 0)
    app.slider[0].set_value(20).run()
    _, test = app.session_state["app"].rows()
    assert len(test) == 114


def test_a_reload_brings_everything_back(open_app, table_of):
    app = upload(open_app(), GOOD)
    app.button(key="use_suggestion").click().run()
    app.radio[0].set_value("no").run()
    app.slider[0].set_value(20).run()
    app.text_area[0].set_value("ask Ada").run()
    again = open_app(query={"analysis": app.query_params["analysis"]})
    assert not again.exception
    old, new = app.session_state["app"], again.session_state["app"]
    assert new.fit_key == old.fit_key
    assert (new.notes, new.positive, new.split.test_share) == ("ask Ada", "no", 0.2)
    assert table_of(again).notes == table_of(app).notes


def test_forgetting_deletes_the_files_and_starts_anew(open_app, table_of, workspace_folder):
    app = open_app(sample="iris")
    assert len(list(workspace_folder.iterdir())) == 1
    app.button(key="forget").click().run()
    assert not app.exception
    assert table_of(app) is None
    assert list(workspace_folder.iterdir()) == []
    assert "analysis" not in app.query_params


def test_an_unknown_analysis_in_the_address_is_said(open_app, table_of):
    app = open_app(query={"analysis": "x" * 24})
    assert "not on this machine" in said(app)
    assert table_of(app) is None


def test_a_path_in_the_address_is_not_followed(open_app, table_of, tmp_path):
    (tmp_path / "analysis.json").write_text("{}")
    app = open_app(query={"analysis": ".."})
    assert "not on this machine" in said(app)
    assert table_of(app) is None


def test_with_saving_off_nothing_is_written(open_app, monkeypatch, workspace_folder):
    monkeypatch.setenv("RULEKIT_WORKSPACE", "off")
    app = open_app(sample="iris")
    assert not workspace_folder.exists()
    assert "analysis" not in app.query_params
    assert any("Nothing is written" in c.value for c in app.caption)


def test_two_sessions_have_their_own_tables(open_app, table_of):
    first, second = open_app(sample="iris"), open_app(sample="wine")
    assert (table_of(first).name, table_of(second).name) == ("iris", "wine")
    first.run()
    assert table_of(first).name == "iris"
    assert first.query_params["analysis"] != second.query_params["analysis"]


def test_another_table_keeps_the_former_analysis_under_its_address(open_app, table_of):
    app = open_app(sample="iris")
    address = app.query_params["analysis"]
    app.button(key="sample_wine").click().run()
    assert app.query_params["analysis"] != address
    assert table_of(open_app(query={"analysis": address})).name == "iris"


def test_the_editor_lists_every_column_with_its_role(open_app, table_of):
    app = open_app(sample="credit")
    frame = editor_frame(table_of(app), {})
    roles = dict(zip(frame["column"], frame["role"], strict=True))
    assert (roles["loan_id"], roles["risk"], roles["age"]) == ("id", "target", "feature")


def test_edits_of_the_editor_reach_the_analysis(monkeypatch, open_app):
    app = open_app(sample="credit")
    held = {"app": app.session_state["app"]}
    monkeypatch.setattr("ui.state.st.session_state", held)
    monkeypatch.setattr("ui.data.choices.st.session_state", held)
    monkeypatch.setattr("ui.workspace.save", lambda: None)
    names = [c.name for c in held["app"].table.columns]
    age, income = names.index("age"), names.index("income")
    apply_edits({age: {"role": "ignore"}, income: {"label": " Yearly income ", "unit": "€"}})
    assert "age" not in held["app"].features
    assert (held["app"].label("income"), held["app"].unit("income")) == ("Yearly income", "€")
    assert held["app"].label("savings") == "savings"


def settings_file(app):
    state = replace(
        app.session_state["app"],
        notes="ask Ada",
        split=SplitSpec(0.2, 7),
        binning=BinningSpec("median"),
        wording={"income": Wording("monthly income", "EUR")},
        run_settings=RunSpec(thetas=(2.0,)).to_dict(),
    )
    return json.dumps(to_plain(state)).encode()


def test_saved_settings_are_loaded_back_into_a_new_analysis_of_the_table(open_app):
    app = open_app("data", sample="credit")
    before = app.session_state["analysis_id"]
    content = settings_file(app)
    app.file_uploader(key="upload_settings_0").set_value(
        ("analysis.json", content, "application/json")
    )
    app.run()
    assert not app.exception
    assert not app.error
    state = app.session_state["app"]
    assert json.dumps(to_plain(state)).encode() == content
    assert app.session_state["analysis_id"] != before


def test_settings_made_for_other_cells_are_taken_over_and_said_to_be(open_app):
    app = open_app("data", sample="credit")
    saved = json.loads(settings_file(app)) | {"digest": "of another table", "test_looks": 9}
    app.file_uploader(key="upload_settings_0").set_value(
        ("analysis.json", json.dumps(saved).encode(), "application/json")
    )
    app.run()
    assert not app.exception
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
def test_settings_that_cannot_be_used_are_a_sentence_and_change_nothing(open_app, content, said):
    app = open_app("data", sample="credit")
    before = app.session_state["analysis_id"]
    app.file_uploader(key="upload_settings_0").set_value(
        ("analysis.json", content, "application/json")
    )
    app.run()
    assert not app.exception
    assert said in app.error[0].value.replace("\\", "")
    assert app.session_state["analysis_id"] == before


def test_the_split_is_drawn_and_told_once_the_target_is_chosen(open_app):
    assert not open_app("data").get("plotly_chart")
    app = open_app("data", sample="breast_cancer")
    assert app.get("plotly_chart")
    counts = {"Learning": {"ill": 2, "well": 1}, "Test": {"ill": 1, "well": 0}}
    assert (
        split_sentence(counts) == "Learning: 2 rows ill, 1 row well; Test: 1 row ill, 0 rows well."
    )
    assert [list(bar.x) for bar in split_figure(counts).data] == [[2, 1], [1, 0]]
