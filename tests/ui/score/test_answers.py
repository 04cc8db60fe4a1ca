"""What Score hands out: the library's files of scored cases, smallest changes included."""

import io
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from rulekit import DataError, FixedRuleClassifier, Table, from_text
from rulekit.data.options import LOST, Note
from rulekit.explain import score
from ui.learners.spec import RunSpec
from ui.rule_numbers import as_before, read_as_before
from ui.score.answers import (
    NewCases,
    _file,
    cost_sentence,
    count_predictions,
    differences,
    find_training_rows,
    lost_cells,
    outcomes_of,
    score_cases,
    strange_outcomes,
    then_and_now,
)
from ui.state import CATEGORIES, AppState


def test_a_download_holds_every_case_with_its_smallest_change():
    table = pd.DataFrame({"age": [7, 60]})
    scored = score(from_text("1. IF age > 50 THEN ill\nOTHERWISE well"), table)
    file = pd.read_csv(io.BytesIO(_file("csv", scored, {"age": pa.array(["7 years", "60 years"])})))
    assert file["answer"].tolist() == ["well", "ill"]
    assert file["age"].tolist() == ["7 years", "60 years"]
    change = "smallest change"
    assert file[change].tolist() == scored.table(changes=True)[change].tolist()


def test_shares_of_predictions_stand_beside_those_of_training():
    new, before = np.array([1, 0, 0]), np.array([1, 0])
    table = count_predictions(new, before, [1, 0, 2]).round(1)
    assert table.to_numpy().tolist() == [["1", 1, 33.3, 50], ["0", 2, 66.7, 50], ["2", 0, 0, 0]]


def test_cost_of_wrong_predictions_of_known_cases_is_shown():
    rule = from_text("1. IF age > 50 THEN ill\nOTHERWISE well")
    table = pd.DataFrame({"age": [60, 61, 20, 21, 22]})
    truth = np.array(["ill", "well", "ill", "well", None], dtype=object)
    labels = ["ill", "well"]
    costs = RunSpec(costs=(5.0, 1.0), cost_unit="EUR").error_costs(labels)
    state = SimpleNamespace(costs=costs, labels=labels)
    cases = NewCases("new", table, truth, "key")
    assert cost_sentence(cases, score(rule, table), state) == (
        "Errors cost 150 EUR a 100 cases; always predicting ill would cost 50 EUR."
    )
    plain = SimpleNamespace(costs=None, labels=labels)
    assert cost_sentence(cases, score(rule, table), plain) == ""


FIRST = Table.from_frame(pd.DataFrame({"x": range(60), "died": [0, 1, 1] * 20}), name="first")


def second(values):
    return Table.from_frame(pd.DataFrame({"x": range(len(values)), "died": values}), name="second")


def test_outcomes_are_called_by_their_names_or_the_rest():
    table = FIRST.with_roles({"died": "target"}, positive_label=1)
    state = AppState(table=table, outcomes={"0": "survived", "1": "died"})
    strange = second(["Survived", 1, "maybe"])
    assert outcomes_of(strange, state).tolist() == ["survived", "died", None]
    assert "'died' holds 'maybe' (1 row), which is no known" in strange_outcomes(strange, state)[0]
    assert outcomes_of(second(["maybe"]), state) is None
    assert not strange_outcomes(second([1, None, 0]), state)
    assert outcomes_of(second([1, None, 0]), state).tolist() == ["died", None, "survived"]
    assert outcomes_of(second([None, None]), state) is None
    assert outcomes_of(Table.from_frame(pd.DataFrame({"x": [1, 2]})), state) is None
    frame = pd.DataFrame({"x": range(90), "kind": ["a", "b", "c"] * 30})
    table = Table.from_frame(frame).with_roles({"kind": "target"}, positive_label="b")
    state = AppState(table=table)
    assert outcomes_of(table, state).tolist()[:3] == ["not b", "b", "not b"]
    coded = AppState(table=state.table, options={CATEGORIES: ["x"]})
    codes = second([1, 0, 1, 1, 0, 0])
    assert as_before(codes, coded).column("x").kind == "category"
    assert as_before(codes, state).column("x").is_number


N = 80
AGES = np.arange(N) + 20.25
SEEN = {
    "age": AGES,
    "dose": AGES % 7,
    "town": ["Bonn", "Ulm"] * 40,
    "ill": ["yes"] * 40 + ["no"] * 40,
}
PATIENTS = pd.DataFrame(SEEN)


def scored(monkeypatch, text):
    """Return the cases of a file and their predictions by a rule on age, with the page's words."""
    roles = {"ill": "target", "age": "feature"}
    state = AppState(table=Table.from_frame(PATIENTS).with_roles(roles, positive_label="yes"))
    model = FixedRuleClassifier(from_text("1. IF age < 60 AND dose < 9 THEN yes\nOTHERWISE no"))
    model.fit(*state.training)
    new, words = read_as_before(text.encode(), "new", PATIENTS.columns, state), []
    fake = SimpleNamespace(
        **dict.fromkeys(("markdown", "warning", "caption", "info"), words.append)
    )
    monkeypatch.setattr("ui.score.answers.st", fake)
    monkeypatch.setattr("ui.score.answers.app_state", lambda: state)
    trained = find_training_rows(new.frame, state)
    notes = lost_cells(new, model.rule_set_.features)
    cases = NewCases("new", new, outcomes_of(new, state), text, new.cells, trained, notes)
    cases, result = score_cases(cases, model, state)
    differences(cases, result)
    if not result.figures:
        then_and_now(cases, result)
    return state, cases, result, " ".join(words).replace("\\", "").replace("\u2060", "")


def test_lost_cells_of_the_rules_columns_are_noted():
    notes = (
        Note("Column 'town': 'dose' became missing.", "town", LOST),
        Note("Column 'dose' became missing.", "dose"),
        Note("2 cells are gone.", "Dose", LOST),
    )
    assert lost_cells(Table.from_frame(PATIENTS, notes=notes), ["dose"]) == notes[2:]


@pytest.mark.filterwarnings("ignore::rulekit.exceptions.DataWarning")
def test_rows_with_bad_cells_are_listed_and_left_out(monkeypatch):
    text = "age,dose,ill\n30,1,yes\nforty,2,yes\n70,99,no\n?,1,no\n12 years,1,yes\n"
    _, cases, result, words = scored(monkeypatch, text)
    assert result.answers.tolist() == ["yes", "no", "no"]
    assert result.X.index.tolist() == [0, 2, 3]
    assert result.figures[0].n_now == len(cases.outcomes) == 3
    assert "3 rows. What differs:" in words
    assert "first: row 3, 99" in words
    assert "Left out: row 2 ('forty'), row 5 ('12 years')." in words
    assert "now misses 1 of 3;" in words
    *_, result, words = scored(monkeypatch, "age,dose\n30.5 b,inf\n")
    assert result.answers.tolist() == ["no"]
    assert "1 row. What differs:\n- Column 'dose' is infinite in 1 of 1 rows" in words
    assert "a flag behind the number is left out (first: row 1, '30.5 b')" in words
    with pytest.raises(DataError, match=r"No row can be scored\. Column 'age' is read as numbers"):
        scored(monkeypatch, "age,dose\nforty,1\n50,many\n")


def test_training_rows_are_recognised_and_do_not_count(monkeypatch):
    state, *_ = scored(monkeypatch, "age,dose\n3.5,1\n")
    rows = state.rows()[0]
    _, cases, result, words = scored(monkeypatch, PATIENTS.to_csv(index=False))
    assert f"80 rows, {len(rows)} of them training rows." in words
    assert result.figures[0].n_now == N - len(rows)
    assert np.flatnonzero(cases.trained).tolist() == sorted(rows)
    *_, result, words = scored(monkeypatch, PATIENTS.iloc[rows].to_csv(index=False))
    assert not result.figures
    assert "All are training rows" in words
    alike = replace(state, table=state.table.with_roles({"age": "ignore"}))
    few = PATIENTS[["town", "dose"]]
    assert not find_training_rows(few[::-1], alike).any()  # may be other cases
    assert np.flatnonzero(find_training_rows(few, alike)).tolist() == sorted(rows)  # the same file
    other = PATIENTS.drop(columns="ill").astype(str)  # read as text, as one cell is bad
    other.loc[rows[0], "age"] = "old"
    trained = np.flatnonzero(find_training_rows(other, state)).tolist()
    assert trained == sorted(set(rows) - {rows[0]})
