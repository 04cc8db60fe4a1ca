"""The Data page: samples, what is predicted, what classes mean, roles of columns, the split."""

import pandas as pd
import pytest

from rulekit.data import Table, list_samples
from tests.pages.data.steps import GOOD, target, upload
from tests.pages.driving import errors, finished, text
from ui.data.choices import apply_edits, editor_frame
from ui.data.split import split_figure, split_sentence
from ui.runs import jobs
from ui.shell import PAGES
from ui.state import AppState


@pytest.mark.parametrize("name", [s.name for s in list_samples()])
def test_a_sample_is_one_click_and_complete(open_app, name):
    app = open_app(sample=name)
    assert not app.error
    assert app.session_state["app"].ready


def test_two_clicks_lead_from_a_file_to_models_and_set_the_target(open_app):
    app = upload(open_app(), GOOD)
    assert app.session_state["app"].target is None
    app.button(key="use_suggestion").click().run()
    state = app.session_state["app"]
    assert (state.target, state.positive, state.other_label) == ("ill", "yes", "no")
    assert state.features == ["age", "glucose"]
    assert list(app.radio[0].options) == ["no (26 rows, 65 %)", "yes (14 rows, 35 %)"]
    app.radio[0].set_value("no").run()
    state = app.session_state["app"]
    assert (state.positive, state.other_label) == ("no", "yes")
    app.button(key="onward").click().run()
    assert app.title[0].value == PAGES["models"][1]


CODED = b"age,glucose,ill\n" + b"".join(
    b"%d,%d,%d\n" % (30 + k // 2, 90 + 7 * k % 13, k % 3 == 0) for k in range(40)
)


def coded_and_suggested(open_app):
    return upload(open_app(), CODED).button(key="use_suggestion").click().run()


def field(app, label):
    return next(f for f in app.text_input if f.label.replace("\\", "").endswith(label))


@pytest.mark.slow
def test_class_is_named_without_another_search(open_app):
    app = coded_and_suggested(open_app).switch_page("pages/models.py").run()
    before, jobs_before = finished(finished(app)).session_state["app"], dict(jobs.registry()._jobs)
    app.switch_page("pages/data.py").run()
    assert "What do 0 and 1 mean?" in text(app)
    field(app, "ill = 1 means").set_value("diabetic").run()
    after = app.switch_page("pages/models.py").run().session_state["app"]
    assert jobs.registry()._jobs == jobs_before
    assert after.result.points.equals(before.result.points)
    assert (after.error, after.setting) == (before.error, before.setting)
    assert set(after.model.rule_set_.classes) <= {"0", "diabetic"}
    assert type(after.model) is type(before.model)  # and not a rule in its place
    rules = [model.rule_set_ for model in after.result.models.values()]
    assert len(rules) == len(before.result.models)
    assert {label for rule in rules for label in rule.classes} == {"0", "diabetic"}
    again = open_app("models", query={"analysis": app.query_params["analysis"]})
    reloaded = again.session_state["app"]
    assert jobs.registry()._jobs == jobs_before
    assert reloaded.result.points.equals(before.result.points)
    assert reloaded.model.rule_set_ == after.model.rule_set_
    assert "mean?" not in text(open_app(sample="credit"))


@pytest.mark.slow
def test_class_is_named_during_the_first_search(open_app, monkeypatch):
    monkeypatch.setattr("ui.models.run.WAIT_SECONDS", 0.0)
    app = coded_and_suggested(open_app).switch_page("pages/models.py").run()
    begun = dict(jobs.registry()._jobs)
    app.switch_page("pages/data.py").run()
    field(app, "ill = 1 means").set_value("diabetic").run()
    state = finished(app.switch_page("pages/models.py").run()).session_state["app"]
    assert jobs.registry()._jobs == begun
    rules = [model.rule_set_ for model in state.result.models.values()]
    assert {label for rule in rules for label in rule.classes} == {"0", "diabetic"}
    assert state.model.rule_set_ in rules


@pytest.mark.slow
def test_class_name_is_used_everywhere_and_after_a_reload(open_app):
    app = coded_and_suggested(open_app)
    field(app, "ill = 0 means").set_value("well").run()
    field(app, "ill = 1 means").set_value("well").run()
    assert "cannot both be called 'well'" in errors(app)
    assert app.session_state["app"].outcomes == {"0": "well"}
    field(app, "ill = 1 means").set_value("diabetic").run()
    assert not app.error
    state = app.session_state["app"]
    assert (state.positive, state.other_label) == ("diabetic", "well")
    assert set(state.training[1]) == {"diabetic", "well"}
    assert "What do 0 and 1 mean?" not in text(app)
    assert any("diabetic (1)" in option for option in app.radio[0].options)
    assert "14 rows diabetic" in text(app) or "diabetic in 10" in text(app)
    again = open_app(query={"analysis": app.query_params["analysis"]})
    assert again.session_state["app"].outcomes == {"0": "well", "1": "diabetic"}
    assert field(again, "ill = 1 means").value == "diabetic"
    again.radio[0].set_value(0).run()
    assert again.session_state["app"].positive == "well"


@pytest.mark.slow
def test_samples_have_roles_reasons_and_protected_attributes(open_app, table_of):
    app = open_app(sample="credit")
    assert "Not used: loan_id (identifier), opened_on (dates)" in text(app)
    frame = editor_frame(table_of(app), {})
    roles = dict(zip(frame["column"], frame["role"], strict=True))
    assert (roles["loan_id"], roles["risk"], roles["age"]) == ("id", "target", "feature")
    assert "Protected attributes: age." in text(app)
    app.button(key="audit_only").click().run()
    assert table_of(app).column("age").role == "ignore"
    assert "age (audit only)" in text(app)
    assert not [b for b in app.button if b.key == "audit_only"]


def test_numbers_that_may_be_codes_become_a_category_in_one_click(open_app, table_of):
    rows = b"".join(b"%d,%.1f,%s\n" % (1 + k % 4, k / 7, b"xy"[k % 2 :][:1]) for k in range(60))
    app = upload(open_app(), b"chest,a,ill\n" + rows)
    assert "coded 1 to 4: codes or counts?" in text(app)
    next(b for b in app.button if b.label == "They are codes").click().run()
    assert table_of(app).column("chest").kind == "category"
    assert app.session_state["app"].options["categories"] == ["chest"]
    assert "codes or counts?" not in text(app)
    again = open_app(query={"analysis": app.query_params["analysis"]})
    assert table_of(again).column("chest").kind == "category"


@pytest.mark.slow
def test_twins_across_the_split_are_counted_and_can_be_kept_together(open_app):
    rows = b"".join(
        b"%d,%d,%s\n" % (k % 30, k % 7, b"no" * (k % 3 > 0) or b"yes") for k in range(420)
    )
    app = upload(open_app(), b"a,b,ill\n" + rows).button(key="use_suggestion").click().run()
    twins = app.session_state["app"].twins
    assert f"{twins:,} of 126 test rows equal a training" in text(app)
    next(t for t in app.toggle if t.label.startswith("Keep rows")).set_value(True).run()
    assert app.session_state["app"].split.keep_twins
    assert app.session_state["app"].twins == 0
    assert "equal a training" not in text(app)
    next(t for t in app.toggle if t.label.startswith("Keep rows")).set_value(False).run()
    assert "equal a training" in text(app)


UNFIT = {"{k},same": "two classes", "{k},": "missing in every row", "{small},{k}": "an identifier"}


@pytest.mark.parametrize(("row", "words"), UNFIT.items())
def test_an_unfit_target_is_refused_and_another_can_be_chosen(open_app, row, words):
    rows = [f"{row},{'xy'[k % 2]}".format(k=k, small=k % 9) for k in range(60)]
    app = upload(open_app(), "\n".join(["a,b,ill", *rows]).encode())
    target(app).set_value("b").run()
    assert words in errors(app)
    assert app.session_state["app"].problem() is not None
    target(app).set_value("ill").run()
    assert not app.error
    assert app.session_state["app"].ready


def test_a_finding_s_fix_is_one_click(open_app, table_of):
    cells = [(k % 9, k % 9, ["Big", "small", "big"][k % 3], "xy"[k % 2]) for k in range(60)]
    rows = "".join("{},{},{},{}\n".format(*row) for row in cells)
    app = upload(open_app(), f"a,twin,size,ill\n{rows}".encode())
    app = next(b for b in app.button if (b.key or "").endswith("_spellings")).click().run()
    assert app.session_state["app"].options["merged"] == ["size"]
    next(b for b in app.button if b.key and b.key.startswith("fix_")).click().run()
    assert table_of(app).column("twin").role == "ignore"


def test_edits_of_the_editor_reach_the_analysis(monkeypatch, open_app):
    held = {"app": open_app(sample="credit").session_state["app"]}
    monkeypatch.setattr("ui.state.st.session_state", held)
    monkeypatch.setattr("ui.data.choices.st.session_state", held)
    monkeypatch.setattr("ui.workspace.save", lambda: None)
    names = [c.name for c in held["app"].table.columns]
    age, income = names.index("age"), names.index("income")
    apply_edits({age: {"role": "ignore"}, income: {"label": " Yearly income ", "unit": "€"}})
    assert "age" not in held["app"].features
    assert (held["app"].label("income"), held["app"].unit("income")) == ("Yearly income", "€")
    assert held["app"].label("savings") == "savings"


@pytest.mark.parametrize(
    ("outcomes", "name"),
    [(("no show", "came"), "no show"), (("<5", "5+"), "outcome <5"), ((1, 0), "result = 1")],
)
def test_the_split_counts_the_described_outcome(open_app, outcomes, name):
    rows = {"x": [k / 7 for k in range(100)], "result": [outcomes[k > 29] for k in range(100)]}
    table = Table.from_frame(pd.DataFrame(rows), name="t")
    table = table.with_roles({"result": "target"}, positive_label=outcomes[0])
    words = f"Training: 70 rows, {name} in 21. Test: 30 rows, {name} in 9 ("
    assert words in text(open_app("data", state=AppState(table=table))).replace("\\", "")


def test_split_is_drawn_and_described_after_the_target_is_chosen(open_app):
    assert not open_app("data").get("plotly_chart")
    app = open_app("data", sample="breast_cancer")
    assert app.get("plotly_chart")
    counts = {"Training": {"ill": 2, "well": 1}, "Test": {"ill": 1, "well": 0}}
    words = "Training: 2 rows ill, 1 row well; Test: 1 row ill, 0 rows well."
    assert split_sentence(counts) == words
    assert [list(bar.x) for bar in split_figure(counts).data] == [[2, 1], [1, 0]]


FEW = b"age,dose,effect\n" + b"".join(
    b"%d,%d,%s\n" % (20 + k, k * 7 % 11, b"B" if k == 3 else b"C" if k < 3 else b"nM"[k > 24 :][:1])
    for k in range(60)
)


def test_classes_of_few_rows_are_left_out_joined_and_brought_back(open_app):
    app = upload(open_app(), FEW).button(key="use_suggestion").click().run()
    assert not app.error
    assert "Fewer than 5 rows: B (1), C (3). A class of one row cannot be" in text(app)
    assert "Fewer than 10 rows" not in text(app)  # not said twice
    assert "Only one row is 'B'" in text(app.switch_page("pages/models.py").run())
    app.switch_page("pages/data.py").run()
    for name, counts in {None: [35, 21], "other": [35, 21, 4]}.items():
        app = app.button(key=f"rare_{name}").click().run()
        state = app.session_state["app"]
        assert not app.error
        assert state.data[1].value_counts().tolist() == counts
        assert state.problem() is None
        assert state.get_display_name(state.table.positive_label) in state.classes
        app = app.button(key="rare_back").click().run()
    assert app.session_state["app"].outcomes == {}
