import json
from dataclasses import replace
from functools import partial

import numpy as np
import pandas as pd
import pytest

from rulekit import DataError, Table, TwoLevelRuleClassifier, read_table, to_text
from tests.pages.driving import errors, opened, routed
from ui.data.choices import apply_edits, use_columns
from ui.data.quality import find_left_out, list_conversions, parse_levels, proposals, ways
from ui.export.formats import script
from ui.rule_numbers import as_before
from ui.state import DATES, DURATIONS, AppState, from_plain, to_plain

ROWS = 300


def test_ignored_dates_and_phrases_are_offered_and_nothing_else():
    rng = np.random.default_rng(0)
    words = np.array(["late", "paid", "heavy", "cold", "gift", "sent", "lost", "new"])
    columns = {
        "order_id": [f"order {k}" for k in range(ROWS)],
        "day": [f"2024-{1 + k % 12:02}-{1 + k % 28:02}" for k in range(ROWS)],
        "note": [" ".join(rng.permutation(words)[:4]) for _ in range(ROWS)],
        "ticket": [f"X{k * 7919 % 10007}" for k in range(ROWS)],
        "grade": ["good", "poor"] * (ROWS // 2),
        "outcome": ["a", "b", "c"] * (ROWS // 3),
    }
    lines = [",".join(row) for row in zip(*columns.values(), strict=True)]
    table = read_table("\n".join([",".join(columns), *lines]).encode(), name="orders")
    table = table.with_roles({"outcome": "target"})
    assert find_left_out(table) == {"day": "dates", "note": "words"}
    assert find_left_out(table.with_roles({"day": "feature", "note": "feature"})) == {}
    assert find_left_out(table, ignored=["day"]) == {"note": "words"}


def test_grades_are_proposed_with_their_order_until_they_have_it():
    n = 60
    frame = pd.DataFrame(
        {
            "size": ["M", "S", "L"] * (n // 3),
            "grade": ["high", "low", "medium"] * (n // 3),
            "town": ["Ulm", "Bonn", "Kiel"] * (n // 3),
            "outcome": ["a", "b"] * (n // 2),
        }
    )
    table = Table.from_frame(frame).with_roles({"outcome": "target"})
    assert [(p.name, p.order) for p in proposals(table)] == [
        ("size", ("S", "M", "L")),
        ("grade", ("low", "medium", "high")),
    ]
    assert proposals(table)[1].reads == "the order low < medium < high"
    ordered = table.with_order("size", ["S", "M", "L"])
    assert [p.name for p in proposals(ordered)] == ["grade"]
    assert [p.name for p in proposals(ordered.with_roles({"grade": "ignore"}))] == []


SIZES = ("large", "middle", "small", "tiny")
ORDER = ["tiny", "small", "middle", "large"]
N = 60


def frame():
    """Sizes, dates with the day first, and hours; ill are the small and tiny."""
    sizes = [SIZES[k % 4] for k in range(N)]
    return pd.DataFrame(
        {
            "size": sizes,
            "day": [f"{1 + k % 27:02d}.{1 + k % 11:02d}.2024" for k in range(N)],
            "stay": [f"{k % 9:02d}:30" for k in range(N)],
            "flag": [k % 3 > 0 for k in range(N)],
            "ill": ["yes" if size in ("small", "tiny") else "no" for size in sizes],
        }
    )


@pytest.fixture
def state():
    table = Table.from_frame(frame(), name="people").with_roles({"ill": "target"})
    return AppState(table=table.with_roles({}, positive_label="yes"))


@pytest.fixture
def app(state, monkeypatch, tmp_path):
    monkeypatch.setenv("RULEKIT_WORKSPACE", str(tmp_path / "kept"))
    with routed():
        yield opened(state=state).run()


def chosen(app, column, way):
    """Choose a column of text and how it is to be read."""
    next(b for b in app.selectbox if b.label == "Column of text").set_value(column).run()
    next(r for r in app.radio if r.label == "It holds").set_value(way).run()
    return app


def levels_box(app):
    return next(t for t in app.text_area if t.label.startswith("Levels"))


@pytest.mark.slow
def test_an_order_is_given_kept_over_a_reload_and_taken_back(app, state):
    chosen(app, "size", "Levels with an order")
    assert levels_box(app).value.split("\n") == sorted(SIZES)
    levels_box(app).set_value(" tiny\nsmall\n\nmiddle \nlarge").run()
    app.button(key="use_order").click().run()
    assert not app.error
    now = app.session_state["app"]
    assert now.orders == {"size": tuple(ORDER)}
    assert now.fit_key != state.fit_key
    assert now.training[0]["size"].cat.ordered
    again = opened(query={"analysis": app.query_params["analysis"]}).run()
    assert again.session_state["app"].orders == now.orders
    assert again.session_state["app"].fit_key == now.fit_key
    app.button(key="no_order").click().run()
    assert app.session_state["app"].fit_key == state.fit_key


@pytest.mark.slow
def test_unreadable_orders_and_dates_change_nothing(app, state):
    chosen(app, "size", "Levels with an order")
    levels_box(app).set_value("tiny\nsmall\nlarge").run()
    app.button(key="use_order").click().run()
    assert "must name each of its levels once, the lowest first; 'middle' is not in it" in errors(
        app
    )
    assert app.session_state["app"].orders == {}
    assert levels_box(app).value == "tiny\nsmall\nlarge"
    chosen(app, "size", "Dates")
    app.button(key="read_dates").click().run()
    assert "'size' has no date such as 2024-03-01" in errors(app)
    chosen(app, "size", "Durations")
    app.button(key="read_durations").click().run()
    assert "'size' has no duration such as 06:30:00" in errors(app)
    assert app.session_state["app"].fit_key == state.fit_key


@pytest.mark.slow
def test_dates_and_durations_are_read_and_kept_over_a_reload(app):
    chosen(app, "day", "Dates")
    app.button(key="read_dates").click().run()
    chosen(app, "stay", "Durations")
    app.button(key="read_durations").click().run()
    assert not app.error
    now = app.session_state["app"]
    assert now.options == {DATES: {"day": True}, DURATIONS: ["stay"]}
    assert now.table.frame["day"].iloc[13] == pd.Timestamp(2024, 3, 14)
    assert now.table.column("stay").maximum == pytest.approx(8.5 / 24)
    assert {"day", "stay"} <= set(now.features)
    again = opened(query={"analysis": app.query_params["analysis"]}).run()
    assert not again.error
    assert again.session_state["app"].fit_key == now.fit_key
    assert again.session_state["app"].options == now.options


def test_text_is_offered_as_levels_dates_or_durations(state):
    table = state.table
    requested = {c.name: len(ways(table, c)) for c in table.columns}
    assert requested == {"size": 3, "day": 2, "stay": 3, "flag": 0, "ill": 0}
    dates = table.as_date("day")
    assert ways(dates, dates.column("day")) == []
    assert "every present cell could be read" in list_conversions(dates, {DATES: {"day": True}})[0]
    column = Table.from_frame(pd.DataFrame({"x": ["a  b", "c, d", "e"] * 9})).column("x")
    assert parse_levels("e\n\n a b \nc, d\nnew", column) == ["e", "a  b", "c, d", "new"]


def test_orders_are_saved_and_checked_when_read(state):
    ordered = replace(state, table=state.table.with_order("size", ORDER))
    plain = json.loads(json.dumps(to_plain(ordered)))
    back = from_plain(plain, state.table)
    assert (back.orders, back.fit_key) == (ordered.orders, ordered.fit_key)
    plain = to_plain(state) | {"orders": {"size": ORDER[:-1]}}
    with pytest.raises(DataError, match="'large' is not in it"):
        from_plain(plain, state.table)
    made = {DATES: {"day": True}, DURATIONS: ["stay"], "merged": ["size"]}
    new = {"day": ["03.04.2024"] * 3, "stay": ["12:00"] * 3, "size": ["LARGE ", "Small", "x"]}
    new = Table.from_frame(pd.DataFrame(new))
    read = as_before(new, replace(state, options=made)).frame
    assert read["size"].tolist() == ["large", "small", "x"]
    assert read["day"].iloc[0] == pd.Timestamp(2024, 4, 3)
    assert read["stay"].iloc[0] == 0.5


def test_the_exported_script_learns_the_same_rule(state, tmp_path, monkeypatch, capsys):
    path = tmp_path / "people.csv"
    frame().to_csv(path, index=False)
    table = read_table(path).as_date("day").as_duration("stay").with_order("size", ORDER)
    table = table.with_roles({"ill": "target"}).with_roles({}, positive_label="yes")
    table = replace(table, name=path.name)
    made = {DATES: {"day": True}, DURATIONS: ["stay"]}
    state = AppState(table=table, options=made, setting={"learner": "two_level"})
    model = TwoLevelRuleClassifier(n_clauses=1, theta=0.5, positive_label="yes")
    model.fit(*state.training)
    assert "small" in to_text(model)
    assert ">=" in to_text(model) or "<=" in to_text(model)
    text = script(state, model)
    monkeypatch.chdir(tmp_path)
    exec(compile(text, "script", "exec"), {"__name__": "__main__"})
    assert capsys.readouterr().out == to_text(model) + "\n"


@pytest.mark.parametrize("by_editor", [False, True])
def test_dates_are_converted_column_by_column(monkeypatch, by_editor):
    frame = pd.DataFrame(
        {
            "unclear": [f"{1 + k % 12:02}/{1 + k // 12:02}/2024" for k in range(90)],
            "day": [f"{28 - k % 28:02}.{1 + k % 12:02}.2024" for k in range(90)],
            "outcome": ["a", "b"] * 45,
        }
    )
    held = {"app": AppState(table=Table.from_frame(frame).with_roles({"outcome": "target"}))}
    monkeypatch.setattr("ui.state.st.session_state", held)
    monkeypatch.setattr("ui.data.choices.st.session_state", held)
    monkeypatch.setattr("ui.workspace.save", lambda: None)
    use = partial(use_columns, ["unclear", "day"])
    if by_editor:
        use = partial(apply_edits, {k: {"role": "feature"} for k in range(2)})
    with pytest.raises(DataError, match="It is converted on Data, under “Orders of levels"):
        use()
    assert held["app"].table.frame["day"].iloc[1] == pd.Timestamp(2024, 2, 27)
    assert held["app"].table.column("unclear").role == "ignore"
    assert list(held["app"].features) == ["day"]
