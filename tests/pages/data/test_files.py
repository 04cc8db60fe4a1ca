"""The Data page: files good and bad, large and wide, read one way or another."""

import threading

import numpy as np
import pandas as pd
import pytest
import streamlit as st

from tests.pages.data.steps import GOOD, notes_field, reading_options, upload
from tests.pages.driving import errors, finished, text
from tests.waiting import until
from ui import workspace
from ui.data import load, reading
from ui.data.sources import read_file
from ui.runs import jobs

REFUSED = {
    "ragged rows": (b"a,b\n1,2\n3,4,5\n6,7\n", "t.csv", "3"),
    "a zip that is no spreadsheet": (b"PK\x03\x04" + b"\x00" * 60, "t.xlsx", "not read"),
    "a pickle called csv": (b"\x80\x04\x95abc", "t.csv", "pickle"),
}


@pytest.mark.slow
def test_without_data_there_is_an_upload_and_samples_and_nothing_else(open_app):
    app = open_app()
    assert len(app.file_uploader) == 1
    assert not app.metric
    assert "server_open" not in {b.key for b in app.button}
    assert not app.dataframe
    assert any("200 MB" in c.value for c in app.caption)


@pytest.mark.parametrize("content", REFUSED.values(), ids=list(REFUSED))
def test_a_refused_file_is_a_sentence_and_the_earlier_table_stays(open_app, table_of, content):
    raw, name, word = content
    app = open_app(sample="iris")
    before = table_of(app)
    upload(app, raw, name)
    assert word in errors(app)
    assert "Traceback" not in errors(app)
    assert table_of(app).digest == before.digest
    assert app.session_state["app"].target == "species"


@pytest.mark.parametrize(
    ("raw", "shown"), [(b"\x89PNG\r\n\x00\x00\x00\rIHDR", False), (b"a,b\n1,2\n3,4,5\n", True)]
)
def test_first_lines_of_readable_files_are_shown(open_app, raw, shown):
    app = upload(open_app(), raw)
    assert app.error
    assert any("first lines" in c.value for c in app.caption) is shown


def test_a_refused_file_leaves_the_open_tab(open_app, table_of):
    app = reading_options(upload(open_app(), GOOD, "good.csv"))
    upload(app, b"a,b\n1,2\n3,4,5\n", "bad.csv")
    assert "was not read" in errors(app)
    assert table_of(app).name == "good.csv"
    assert "Header row" in [s.label for s in app.selectbox]


def wide_file(n_columns=2_600):
    frame = pd.DataFrame(np.arange(40 * n_columns).reshape(40, -1) % 7)
    frame.columns = [f"g{k}" for k in range(n_columns)]
    frame["outcome"] = ["yes", "no"] * 20
    return frame.to_csv(index=False).encode()


@pytest.mark.slow
def test_chosen_columns_of_a_wide_file_are_read_alone(open_app, table_of):
    app = upload(open_app(sample="iris"), wide_file())
    assert table_of(app).name == "iris"
    assert "2,601 columns" in text(app)
    box = next(b for b in app.selectbox if b.label == "Column to predict")
    assert box.value == "outcome"
    words = next(f for f in app.text_input if f.label == "Columns whose name contains")
    words.set_value("g259").run()
    app.button(key="read_wide").click().run()
    assert not app.error
    state = app.session_state["app"]
    kept = ["g259", *(f"g{k}" for k in range(2590, 2600)), "outcome"]
    assert [c.name for c in state.table.columns] == kept
    assert (state.target, state.ready) == ("outcome", True)
    assert state.options["columns"] == tuple(kept)
    decimal = next(s for s in reading_options(app).selectbox if s.label == "Decimal mark")
    decimal.set_value(",").run()
    assert app.session_state["app"].options["decimal"] == ","
    assert app.dataframe[-1].value.index[0] == 1  # rows are numbered as on other pages
    assert app.session_state["app"].target == "outcome"


@pytest.mark.slow
def test_forgetting_after_a_file_that_is_too_wide_leaves_a_usable_page(open_app, table_of):
    app = upload(open_app(sample="iris"), wide_file())
    app.button(key="forget").click().run()
    assert not app.warning
    app.button(key="sample_wine").click().run()
    assert table_of(app).name == "wine"


def test_a_sample_has_no_reading_options_of_a_file_uploaded_before(open_app, monkeypatch):
    def labels(app):
        return {box.label for box in app.selectbox}

    app = upload(open_app(), GOOD)
    assert "Between cells" in labels(reading_options(app))
    app.button(key="sample_iris").click().run()
    opened, card = [], reading.options_card
    monkeypatch.setattr(reading, "options_card", lambda: opened.append(card()))
    reading_options(app)
    assert opened
    assert "Between cells" not in labels(app)


def test_a_failure_in_reading_is_shown_once(open_app, monkeypatch):
    calls = []

    def fail(*_):
        calls.append(1)
        raise MemoryError

    monkeypatch.setattr(load, "read", fail)
    app = upload(open_app(), GOOD)
    assert app.error
    app.run()
    assert len(calls) == 1
    assert any(b.key == "sample_iris" for b in app.button)


@pytest.mark.slow  # a worker's start
def test_large_file_is_read_in_the_background(open_app, table_of, monkeypatch):
    monkeypatch.setattr("ui.data.sources.LARGE", {"text": 100})
    app = upload(open_app(), GOOD, "big.csv")
    assert table_of(finished(app)).name == "big.csv"
    app = upload(open_app(sample="iris"), b"a,b\n1,2\n3,4,5\n" + b"6,7\n" * 100, "ragged.csv")
    finished(app)
    assert "Every row must have 2 cells" in errors(app)
    assert table_of(app).name == "iris"


@pytest.mark.slow
@pytest.mark.parametrize("large", [False, True])
@pytest.mark.parametrize("place", [(load, "read"), (load, "_take"), (workspace, "_clear")])
def test_file_arrives_after_an_interrupted_run(open_app, table_of, monkeypatch, place, large):
    """Another message of the browser ends a run at any line, such as its key after opening."""
    calls, real = [], getattr(*place)

    def interrupted(*arguments):
        calls.append(arguments)
        if len(calls) > 1:
            return real(*arguments)
        if place[0] is workspace:  # in the middle of a change
            del st.session_state["analysis_id"]
        st.rerun()

    monkeypatch.setattr(*place, interrupted)
    monkeypatch.setattr("ui.data.sources.LARGE", {"text": 100 if large else 10**6})
    app = upload(open_app(), GOOD, "big.csv")
    until(lambda: app.run() and table_of(app) is not None)
    assert table_of(app).name == "big.csv"
    assert len(calls) > 1


def endless(name, content, options, report=None):
    """Read a large file, in another process, until it is stopped; a small one as it is."""
    if report is None:
        return read_file(name, content, options)
    return threading.Event().wait()


def test_reading_is_stopped_by_a_button_or_a_refused_small_file(open_app, table_of, monkeypatch):
    monkeypatch.setattr("ui.data.load.read_file", endless)
    monkeypatch.setattr("ui.data.load.is_large", lambda content: True)
    app = upload(open_app(), GOOD, "big.csv")
    assert "Reading big.csv" in text(app)
    app.button(key="stop_reading").click().run()
    assert "Reading was stopped" in errors(app)
    assert table_of(app) is None
    monkeypatch.setattr("ui.data.load.read_file", endless)
    monkeypatch.setattr("ui.data.load.is_large", lambda content: content == GOOD)
    app = upload(open_app(sample="iris"), GOOD, "big.csv")
    assert "Reading big.csv" in text(app)
    upload(app, b"a,b\n1,2\n3,4,5\n", "small.csv")
    assert "Every row must have 2 cells" in errors(app)
    assert "iris is still here, unchanged" in text(app)
    assert "Reading big.csv" not in text(app)
    assert not [owner for owner in jobs.registry()._jobs if owner.endswith("/upload")]
    assert table_of(app).name == "iris"


def test_windows_text_with_decimal_commas_is_read_with_a_note(open_app, table_of):
    text = "größe;preis;art\n1,5;2,25;ä\n2,5;3,75;b\n" * 1 + "3,5;4,25;ä\n" * 10
    app = upload(open_app(), text.encode("cp1252"))
    frame = table_of(app).frame
    assert list(frame.columns) == ["größe", "preis", "art"]
    assert frame["preis"].iloc[:2].tolist() == [2.25, 3.75]
    reading_options(app)
    assert any("Windows" in m.value for m in app.markdown)


def test_another_reading_option_reads_the_file_again_at_once(open_app, table_of):
    app = upload(open_app(), b"a;b\n1,5;x\n2,5;y\n3,5;x\n")
    assert table_of(app).frame["a"].tolist() == [1.5, 2.5, 3.5]
    first = reading_options(app).session_state["analysis_id"]
    next(s for s in app.selectbox if s.label == "Header row").set_value("none").run()
    assert table_of(app).n_rows == 4
    assert app.session_state["analysis_id"] == first  # nothing was done with the former reading
    assert "Header row" in [s.label for s in app.selectbox]  # the tab is still open


def note(app):
    notes_field(app).set_value("ask Ada").run()


def select_target(app):
    next(s for s in app.selectbox if s.label == "Target column").set_value("b").run()


@pytest.mark.parametrize("edit", [note, select_target])
def test_an_edited_reading_stays_saved(open_app, table_of, workspace_folder, edit):
    app = upload(open_app(), b"a;b\n1,5;x\n2,5;y\n3,5;x\n")
    edit(app)
    first = reading_options(app).session_state["analysis_id"]
    box = next(s for s in app.selectbox if s.label == "Header row")
    box.set_value("none").run()
    assert app.session_state["analysis_id"] != first
    assert (table_of(app).n_rows, app.session_state["app"].notes) == (4, "")
    assert (workspace_folder / first / "analysis.json").exists()
    assert "Header row" in [s.label for s in app.selectbox]
    upload(app, b"a;b\n1,5;x\n2,5;y\n")
    assert "Header row" not in [s.label for s in app.selectbox]  # of a new file, the columns


def test_a_field_whose_words_have_changed_is_another_field(open_app, table_of):
    # a browser goes on sending the words that it was shown first: of the same field, that is a
    # choice which nobody has made
    def words(app):
        return {box.key: tuple(box.options) for box in app.selectbox if "option" in box.key}

    app = upload(open_app(), b"a,b\n1,2\n3,4,5\n6,7\n")
    refused = words(app)
    box = next(s for s in app.selectbox if s.label == "Between cells")
    box.set_value(";").run()
    read = words(reading_options(app))
    assert not app.error
    assert len(refused) == len(read) == 4
    assert any("detected" in word for words in read.values() for word in words)
    assert all(read[key] == refused[key] for key in read.keys() & refused.keys())


@pytest.mark.slow
def test_hostile_names_do_no_harm(open_app, table_of):
    names = ["![x](http://a.site/p.png)", "<b>x</b>", "=1+1", "a" * 10_000, "a,b", "ill"]
    frame = pd.DataFrame({n: np.arange(30) % (7 + k) for k, n in enumerate(names)})
    frame["ill"] = np.arange(30) % 2
    app = upload(open_app(), frame.to_csv(index=False).encode())
    app.button(key="use_suggestion").click().run()
    assert table_of(app).n_columns == 6
    texts = [e.value for kind in (app.markdown, app.caption, app.error) for e in kind]
    assert not any("![x](http" in text or "<b>" in text for text in texts)


UNTIDY = (
    b"Survey of 2023\n\nday,level,share,ok\n"
    + b"".join(
        b"0%d/0%d/2023,%s,%d %%,y\n" % (k % 9 + 1, k % 7 + 1, w, 10 + k)
        for k, w in enumerate((b"None", b"low", b"high") * 8)
    )
    + b"13/05/2023,low,40 %,n\n"
)


def press(app, label):
    next(b for b in app.button if b.label == label).click()
    return app.run()


def test_each_decision_is_shown_and_changed_by_one_click(open_app, table_of):
    app = reading_options(upload(open_app(), UNTIDY))
    (lines,) = (block.value for block in app.code)
    assert "not read       1  Survey of 2023" in lines
    assert "names       3  day,level,share,ok" in lines
    frame = table_of(app).frame
    assert (frame["day"].dt.day.max(), frame["share"].max(), frame["level"].isna().sum()) == (
        13,
        40,
        0,
    )
    press(app, "Read 26 % as 0.26")
    assert table_of(app).frame["share"].max() == 0.4
    press(app, "It means missing")
    assert table_of(app).frame["level"].isna().sum() == 8
    press(app, "Month first")
    assert table_of(app).frame["day"].isna().sum() == 1
    options = app.session_state["app"].options
    assert (options["percent"], options["missing_in"]) == ("share", {"level": ("None",)})
    assert options["day_first_in"] == {"day": False}
    press(app, "Line 1 is the header")
    assert table_of(app) is not None
    press(app, "Read as detected")
    assert table_of(app).frame.equals(frame)


def test_typed_settings_read_the_file_again(open_app, table_of):
    app = reading_options(upload(open_app(), b"a,b\n1,x\n2,void\n3,x\n4,y\n"))
    fields = {f.label: f for f in app.text_input}
    fields["Lines not read"].set_value("3").run()
    assert table_of(app).frame["a"].tolist() == [1, 3, 4]
    fields = {f.label: f for f in reading_options(app).text_input}
    fields["Lines not read at the end"].set_value("1").run()
    assert table_of(app).frame["a"].tolist() == [1, 3]


@pytest.mark.parametrize(
    "text",
    [
        "age\till\n31\tyes\n40\tno\n",
        "| age | ill |\n|---|---|\n| 31 | yes |\n| 40 | no |\n",
        "<table><tr><td>age<td>ill<tr><td>31<td>yes<tr><td>40<td>no</table>",
    ],
)
def test_a_pasted_table_is_read(open_app, table_of, text):
    app = open_app()
    app.text_area(key="upload_pasted").set_value(text).run()
    app.button(key="read_pasted").click().run()
    assert table_of(app).frame["age"].tolist() == [31, 40]
    assert table_of(app).name == "pasted table"
