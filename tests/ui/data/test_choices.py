"""A numeric outcome becomes two outcomes by a cut, on the page and in what follows."""

import json

import numpy as np
import pandas as pd
import pytest

from rulekit import OneLevelRuleClassifier, Table, to_sql
from rulekit.data.association import cramers_v
from tests.pages.driving import opened, routed, text
from ui.data import choices
from ui.data.choices import allow_missing, column_figures, columns_with_gaps, quantile_cuts
from ui.export.formats import script
from ui.rule_numbers import as_before
from ui.score.answers import outcomes_of
from ui.state import CUT, AppState, from_plain, to_plain

N = 80
ABOVE, UP_TO = "charges above 12 400", "up to 12 400"


def frame():
    """Charges that grow with age; every tenth is missing."""
    age = np.arange(N) % 60 + 20
    charges = np.where(np.arange(N) % 10 == 0, np.nan, age * 300.0 + np.arange(N))
    return pd.DataFrame({"age": age, "region": ["north", "south"] * (N // 2), "charges": charges})


@pytest.fixture
def app(monkeypatch, tmp_path):
    monkeypatch.setenv("RULEKIT_WORKSPACE", str(tmp_path / "kept"))
    table = Table.from_frame(frame(), name="costs").with_roles({"charges": "target"})
    with routed():
        yield opened(state=AppState(table=table, every_class=True))


def cut_at(app, cut):
    next(r for r in app.radio if r.label == "Cut").set_value("Another number").run()
    next(n for n in app.number_input if n.label == "Cut at").set_value(cut).run()
    return app


@pytest.mark.slow
def test_a_cut_on_data_is_kept_changed_and_taken_back(app):
    assert not app.session_state["app"].ready
    cut_at(app, 12_400.0)
    known = frame()["charges"].dropna()
    above = int((known > 12_400).sum())
    assert f"{ABOVE}: {above} rows ({100 * above / len(known):.1f} %)" in text(app)
    app.button(key="use_cut").click().run()
    state = app.session_state["app"]
    assert state.labels == [ABOVE, UP_TO]
    assert state.class_counts == {ABOVE: above, UP_TO: len(known) - above}
    assert state.features == ["age", "region"]
    again = opened(query={"analysis": app.query_params["analysis"]})
    assert again.session_state["app"].fit_key == state.fit_key
    cut_at(again, 15_000.0).button(key="use_cut").click().run()
    assert again.session_state["app"].labels == ["charges above 15 000", "up to 15 000"]
    next(s for s in again.selectbox if s.label == "Target column").set_value("region").run()
    state = again.session_state["app"]
    assert state.table.frame["charges"].equals(frame()["charges"])
    assert CUT not in state.options


def test_cuts_are_named_once_and_leave_rows_on_both_sides():
    table = Table.from_frame(frame(), name="costs").with_cut("charges", 12_400.0)
    words = "Not used: numbers of charges (cut into the two outcomes)."
    assert choices.set_aside(table.with_roles({"charges": "target"})) == words
    assert quantile_cuts(pd.Series([0.0] * 3 + [1.0] * 7)) == {"Lower quartile": 0.25}
    assert set(quantile_cuts(frame()["charges"])) == {"Median", "Lower quartile", "Upper quartile"}


def test_missing_cells_are_conditions_only_if_allowed(monkeypatch):
    age = pd.Series(np.arange(N, dtype=float)).where(np.arange(N) % 2 == 0)
    ill = np.where(age.isna(), "yes", "no")
    table = Table.from_frame(pd.DataFrame({"age": age, "size": [1.5, 2.5] * 40, "ill": ill}))
    table = table.with_roles({"ill": "target"}, positive_label="yes")
    held = {"app": AppState(table=table)}
    monkeypatch.setattr("ui.state.st.session_state", held)
    monkeypatch.setattr("ui.data.choices.st.session_state", held)
    monkeypatch.setattr("ui.workspace.save", lambda: None)

    def tested():
        binarizer = held["app"].binning.binarizer().fit(held["app"].training[0])
        return [str(c) for c in binarizer.literals_ if c.op in ("missing", "not-missing")]

    assert columns_with_gaps(table) == ["age"]
    assert columns_with_gaps(table.with_roles({"age": "ignore"})) == []
    assert tested() == []
    before = held["app"].fit_key
    allow_missing(["age"])
    assert len(tested()) == 2
    assert held["app"].fit_key != before
    plain = json.loads(json.dumps(to_plain(held["app"])))
    assert from_plain(plain, table).binning == held["app"].binning
    allow_missing([])
    assert tested() == []


@pytest.fixture(scope="module")
def state():
    table = Table.from_frame(frame(), name="costs").with_roles({"charges": "target"})
    table = table.with_cut("charges", 12_400).with_roles({}, positive_label=ABOVE)
    return AppState(table=table, options={CUT: {"charges": 12_400.0}})


def test_settings_with_a_cut_are_read_back_and_used_for_new_cases(state):
    plain = json.loads(json.dumps(to_plain(state)))
    again = from_plain(plain, Table.from_frame(state.table.frame, name="costs"))
    assert again.fit_key == state.fit_key
    assert again.options == state.options
    new = as_before(
        Table.from_frame(pd.DataFrame({"age": [30, 70], "charges": [1.5, None]})), state
    )
    assert outcomes_of(new, state).tolist() == [UP_TO, None]


def test_exports_name_both_outcomes_and_the_script_cuts(state, tmp_path, monkeypatch, capsys):
    model = OneLevelRuleClassifier(positive_label=ABOVE).fit(*state.training)
    assert ABOVE in to_sql(model)
    assert UP_TO in to_sql(model)
    source = script(state, model)
    assert "table = table.with_cut('charges', 12400.0)" in source
    frame().to_csv(tmp_path / "costs", index=False)
    monkeypatch.chdir(tmp_path)
    exec(compile(source, "script.py", "exec"), {})  # it stops where table or rule differ
    assert ABOVE in capsys.readouterr().out


def made(n=400):
    rng = np.random.default_rng(0)
    ill = rng.random(n) < 0.4
    frame = pd.DataFrame(
        {
            "glucose": np.where(ill, 150, 90) + rng.normal(0, 5, n),
            "town": rng.choice(["Bonn", "Ulm", "Rom"], n, p=[0.6, 0.3, 0.1]),
            "noise": rng.normal(size=n),
            "ill": np.where(ill, "yes", "no"),
        }
    )
    frame.loc[:9, "noise"] = np.nan
    return Table.from_frame(frame).with_roles({"ill": "target"}), frame


def test_figures_are_counts_of_values_and_the_association():
    table, frame = made()
    figures = column_figures(table)
    spread = dict(zip(frame.columns, figures["spread"], strict=True))
    assert spread["glucose"] == np.histogram(frame["glucose"], choices.BARS)[0].tolist()
    assert spread["town"] == frame["town"].value_counts().tolist()
    assert sum(spread["noise"]) == len(frame) - 10
    strength = figures["association"].tolist()
    assert strength[:3] == cramers_v(frame.iloc[:, :3], frame["ill"]).tolist()
    assert strength[0] > 0.8 > 0.3 > strength[2]
    assert np.isnan(strength[3])


def test_long_wide_and_aimless_tables_have_fewer_figures(monkeypatch):
    table, frame = made()
    assert column_figures(table.with_roles({"ill": "feature"}))["association"].isna().all()
    monkeypatch.setattr(choices, "MOST_COLUMNS", 3)
    assert column_figures(table) is None
    assert choices.describe_sample(table) == ""
    monkeypatch.setattr(choices, "MOST_ROWS", 100)
    monkeypatch.setattr(choices, "MOST_COLUMNS", 300)
    result = column_figures(table)
    assert [sum(bars) for bars in result["spread"]][1] == 100
    assert result["association"][0] == cramers_v(frame.iloc[::4, :1], frame["ill"][::4])[0]
    assert "in one of 4 rows" in choices.describe_sample(table)


def test_every_kind_of_column_has_a_histogram():
    frame = pd.DataFrame(
        {
            "day": pd.to_datetime(["2020-01-01", "2020-06-01", None, "2021-01-01"]),
            "text day": ["2020-01-01", "2020-01-02", None, "2021-01-01"],
            "no day": ["2021-02-28", "2021-02-30", "2021-02-31", "2021-03-01"],
            "flag": pd.array([True, False, None, True], dtype="boolean"),
            "empty": [None] * 4,
            "rooms": [1, 2, 2, 9],
            "y": list("abab"),
        }
    )
    figures = column_figures(Table.from_frame(frame))
    assert [sum(bars) for bars in figures["spread"]] == [3, 3, 4, 3, 0, 4, 4]
    assert figures["spread"][1] == [2, *[0] * (choices.BARS - 2), 1]
    assert figures["spread"][5] == [1, 2, 1]  # no gaps between few numbers
