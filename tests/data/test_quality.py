"""Quality notes: each finds what it is for, and nothing else."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulekit import DataError, Literal
from rulekit.data import Table, columns_of, load_sample, quality_notes
from rulekit.data.quality import separation_error
from rulekit.rules.condition import GAPS, ORDERED
from rulekit.rules.literal import OPERATORS
from rulekit.style.phrases import condition_text

N = 200
RNG = np.random.default_rng(0)
BASE = pd.DataFrame({"x": RNG.normal(size=N), "z": RNG.normal(size=N)})
BASE = BASE.assign(town=RNG.choice(["u", "v", "w"], N), t=RNG.choice(["no", "yes"], N))
ILL = (BASE["t"] == "yes").to_numpy()
LEAK = np.where(ILL, 5.0, 1.0) + np.linspace(0, 0.5, N)


def found(**columns):
    """Kind and suggestion of every note on the base table with more columns."""
    notes = quality_notes(Table.from_frame(BASE.assign(**columns)), "t")
    return {(note.column, note.kind): note for note in notes}


def test_groups_duplicates_and_sound_tables_are_told_apart():
    assert found() == {}
    notes = quality_notes(Table.from_frame(BASE.assign(c="same", d=LEAK)), "t")
    assert [note.severity for note in notes] == ["warning", "info"]
    assert found(patient_id=[i // 2 for i in range(N)])["patient_id", "group"].suggestion == "group"
    assert found(Subject=[f"s{i % 14}" for i in range(N)])["Subject", "group"].suggestion == "group"
    assert ("customer", "group") not in found(customer=["yes", "no"] * (N // 2))
    renamed = BASE["town"].map({"u": "b", "v": "a", "w": "c"})
    assert "holds the same information as" in found(c=renamed)["c", "duplicate column"].sentence
    numbers, others = (BASE["town"].map({"u": 1, "v": v, "w": 5 - v}) for v in (3, 2))
    assert {kind for _, kind in found(c=numbers, d=others)} == {"codes"}
    assert "equals column 'x'" in found(c=BASE["x"])["c", "duplicate column"].sentence
    (note,) = quality_notes(Table.from_frame(pd.concat([BASE, BASE.head(30)])), "t")
    assert (note.sentence[:21], note.severity) == ("30 of 230 rows repeat", "warning")


@pytest.mark.parametrize("name", ["iris", "wine", "breast_cancer", "planted_dnf"])
def test_the_samples_hold_no_leak_and_no_duplicate_column(name):
    kinds = {note.kind for note in quality_notes(load_sample(name))}
    assert kinds <= {"duplicate rows", "rare levels", "codes"}


SINGLE = {
    "constant": (["same"] * N, "ignore", "the same in every row"),
    "missing": (
        [1.5 * i if i % 2 else None for i in range(N)],
        "ignore",
        "missing in 100 of 200 rows (50 %): only conditions that say “missing” hold there.",
    ),
    "id": ([f"k{i}" for i in range(N)], "ignore", "like an identifier"),
    "leak": (LEAK, "ignore", "alone tells the classes of 't' apart perfectly"),
    "duplicate column": (-3 * BASE["x"] + 1, "ignore", "as column 'x'"),
    "rare levels": (["a"] * 2 + ["p", "q"] * 99, None, "5 rows have 'a'"),
    "text in numbers": (
        ["17", "n/a-ish", *(str(i % 60) for i in range(N - 2))],
        "as_numeric",
        "holds text in 1 of 200 rows (first: row 2, 'n/a-ish')",
    ),
}


@pytest.mark.parametrize("kind", SINGLE)
def test_each_flaw_is_found_with_its_figures_and_fix(kind):
    values, fix, words = SINGLE[kind]
    ((place, note),) = found(c=values).items()
    assert place == ("c", kind)
    assert words in note.sentence
    assert note.suggestion == fix


@pytest.mark.parametrize(
    ("op", "missing"),
    [(op, m) for op in OPERATORS for m in (False, True) if op not in GAPS or not m],
)
def test_only_conditions_that_say_missing_hold_without_a_value(op, missing):
    value = {"in": ("a",), "not-in": ("a",), "missing": None, "not-missing": None}.get(op, "a")
    literal = Literal("c", op, 1.0 if op in ORDERED else value, missing=missing)
    gap = pd.DataFrame({"c": [None]}, dtype=float if op in ORDERED else object)
    holds = bool(literal.mask(columns_of(gap))[0])
    assert holds == ("missing" in condition_text(literal))


@pytest.mark.parametrize(
    ("values", "value"),
    [
        ([18, 25, 40, 63, 90, 33, -999], "-999"),
        ([18, 25, 40, 63, 90, 33, -1], "-1"),
        ([50.5, 60, 70, 80, 9999, 55, 62], "9999"),
        (["2020-01-01", "2021-03-05", "9999-12-31"], "9999-12-31"),
        ([2.6, 0.4, 11.9, -200, 1.5, 3, 6], "-200"),
        ([0, 1, 2, 3, 50, 80, -1], None),
        ([250, 400, 900, 150, 1200, 700, -37], None),
        ([18, 25, 40, 63, 90, 33, 99], None),
        ([-5, 3, 8, 20, -999, 4, 1], "-999"),
        ([-150, *range(40), *[-200] * 5], "-200"),
        ([-150, 300, *range(40), -200, -90, 10], None),
        ([*[-1] * 9, -0.6, -0.2, 0.1, 0.4, 0.7, 1], None),
        (["2020-01-01", "2021-03-05", "2022-12-31"], None),
    ],
)
def test_a_code_far_outside_the_rest_is_proposed_as_missing(values, value):
    values = [values[k % len(values)] for k in range(N)]
    notes = [note for note in found(c=values).values() if note.kind == "sentinel"]
    assert [note.value for note in notes] == ([] if value is None else [value])
    if notes:
        table = Table.from_frame(BASE.assign(c=values)).with_missing("c", [value])
        assert table.column("c").n_missing == sum(str(v) == value for v in values)
        assert f"'{value}' (" in table.notes[-1]
        assert ("c", "sentinel") not in {(n.column, n.kind) for n in quality_notes(table)}


def test_levels_that_differ_in_case_are_proposed_as_one():
    outcome = ["yes", "Yes", "no", "yes"] * (N // 4)
    table = Table.from_frame(BASE[["x"]].assign(c=outcome, t=outcome))
    table = table.with_roles({"t": "target"}, positive_label="Yes")
    notes = {n.column: n for n in quality_notes(table) if n.kind == "spellings"}
    assert "'yes' (100) and 'Yes' (50)" in notes["t"].sentence
    assert (notes["t"].severity, notes["c"].severity) == ("warning", "info")
    merged = table.with_merged_levels("t")
    assert merged.column("t").levels == ("no", "yes")
    assert merged.positive_label == "yes"


def test_a_class_of_unknown_outcomes_is_proposed_as_missing():
    table = Table.from_frame(BASE[["x"]].assign(t=["yes", "no", "no", "Unknown"] * (N // 4)))
    (note,) = quality_notes(table, "t")
    assert (note.kind, note.suggestion, note.value) == ("sentinel", "blank", "Unknown")
    assert quality_notes(table.with_missing("t", [note.value]), "t") == ()


def test_weights_of_a_survey_are_told_from_weights_of_things():
    values = np.random.default_rng(5).gamma(4, size=N)
    assert found(wt=values / values.mean())["wt", "weight"].severity == "warning"
    assert ("survey_weight", "weight") in found(survey_weight=40 * values)
    assert ("weight", "weight") not in found(weight=60 + 10 * values)
    assert ("load", "weight") not in found(load=values / values.mean())


def test_leaks_are_found_with_their_exceptions():
    codes = np.arange(N) % 3 + 1
    frame = BASE.assign(pclass=codes, t=np.array(["", "first", "second", "third"])[codes])
    notes = quality_notes(Table.from_frame(frame), "t")
    assert ("pclass", "leak") in {(n.column, n.kind) for n in notes}
    assert ("c", "leak") in found(c=np.where(ILL, "sick note", "none"))
    values = LEAK.copy()
    values[0] = 6 - values[0]
    assert "but for 0.50 % of the rows" in found(c=values)["c", "leak"].sentence
    rare = np.where(np.arange(1000) < 4, "fraud", "fair")
    frame = pd.DataFrame({"x": np.random.default_rng(1).normal(size=1000), "t": rare})
    assert quality_notes(Table.from_frame(frame), "t") == ()


def test_only_few_whole_numbers_give_a_note():
    place = np.arange(N)
    notes = found(cp=1 + place % 4, age=place % 50, dose=0.5 * (place % 5))
    assert list(notes) == [("cp", "codes")]
    assert "coded 1 to 4: codes or counts?" in notes["cp", "codes"].sentence
    assert notes["cp", "codes"].suggestion == "as_category"
    assert notes["cp", "codes"].severity == "info"
    table = Table.from_frame(BASE.assign(cp=1 + place % 4)).as_category("cp")
    assert quality_notes(table, "t") == ()


def errors_of_every_threshold(values, positive):
    """The least share of errors of one test, by trying every cut and side."""
    absent = np.isnan(values)
    lost = min(positive[absent].sum(), (~positive[absent]).sum())
    values, positive = values[~absent], positive[~absent]
    best = min(positive.sum(), (~positive).sum())
    for cut in values:
        wrong = int(((values <= cut) != positive).sum())
        best = min(best, wrong, len(values) - wrong)
    return (best + lost) / len(absent)


ROWS = st.tuples(st.sampled_from([0.0, 1, 2, 3, 4, np.nan]), st.booleans())


@given(st.lists(ROWS, min_size=4, max_size=15))
def test_the_best_threshold_is_the_best_of_all(rows):
    values = np.array([v for v, _ in rows])
    positive = np.array([p for _, p in rows])
    if len(set(values[~np.isnan(values)])) < 3 or positive.all() or not positive.any():
        return
    error, guessed = separation_error(pd.Series(values), positive.astype(int))
    assert guessed == pytest.approx(min(positive.mean(), 1 - positive.mean()))
    assert error == pytest.approx(errors_of_every_threshold(values, positive))


def test_levels_predict_their_class_if_each_row_has_one():
    with pytest.raises(DataError, match="3 rows, 2 classes"):
        separation_error(pd.Series([1.0, 2.0, 3.0]), np.array([0, 1]))
    counts = {("a", 0): 12, ("a", 1): 4, ("b", 1): 16, ("c", 0): 8}
    levels = [level for (level, _), n in counts.items() for _ in range(n)]
    classes = np.array([k for (_, k), n in counts.items() for _ in range(n)])
    error, guessed = separation_error(pd.Series(levels), classes)
    assert error == pytest.approx(4 / 40)  # only the four rows of level a and class 1
    assert guessed == pytest.approx(0.5)
