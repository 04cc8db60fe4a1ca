"""Which target is suggested, and what keeps a column from being one."""

import re

import numpy as np
import pandas as pd
import pytest

from rulekit.data import Table, load_sample, suggest_positive, suggest_target, target_notes
from rulekit.data.target import check_target, class_counts, likely_target

N = 40


def table_with(**columns):
    return Table.from_frame(pd.DataFrame({"x": np.linspace(0, 1, N), **columns}))


def test_targets_classes_and_doubts_are_suggested():
    table = table_with(a=["u", "v"] * 20, b=["p", "q"] * 20, c=np.linspace(5, 9.5, N))
    assert suggest_target(table) == "b"
    assert suggest_target(table_with(Outcome=["u", "v"] * 20, b=["p", "q"] * 20)) == "Outcome"
    gaps = ["p", "q", *[None] * (N - 2)]
    assert suggest_target(table_with(a=["u", "v"] * 20, b=gaps)) == "a"
    assert suggest_target(table_with(b=gaps)) == "b"
    assert suggest_target(table_with()) is None
    ship = {"survived": [0, 1] * 20, "class": ["1st", "2nd", "3rd", "1st"] * 10}
    assert suggest_target(table_with(**ship)) == "survived"
    assert suggest_target(table_with(**ship, target=[*"abcd"] * 10)) == "target"
    assert suggest_target(table_with(default=[0, 1] * 20, Class=[*"gb"] * 20)) == "Class"
    bank = {"job": [*"abcd"] * 10, "default": [0, 1] * 20, "deposit": ["yes", "no"] * 20}
    assert suggest_target(table_with(**bank)) == "deposit"
    assert [likely_target(names) for names in (["a", "Class", "b"], "ab")] == ["Class", "b"]
    assert suggested(("a", 31), ("b", 30), ("c", 29)) == "b"
    for first, last, n in (("a", "b", 60), ("sick", "dead", 90), ("good", "alive", 90)):
        assert suggested((first, n), (last, 60)) == last
    assert suggested(("a", 20), ("b", 10)) == suggested(("a", 200), ("b", 10)) == "a"
    assert class_counts(table_with(t=["b"] * 30 + ["a"] * 10), "t") == {"a": 10, "b": 30}


def suggested(*counts):
    """Suggest a class of a target that holds each label so many times."""
    labels = [label for label, n in counts for _ in range(n)]
    frame = pd.DataFrame({"x": np.linspace(0, 1, len(labels)), "t": labels})
    return suggest_positive(Table.from_frame(frame), "t")


@pytest.mark.parametrize(
    ("no", "yes"), [(0, 1), ("No", "Yes"), (False, True), ("absent", "present"), (-1, 1)]
)
def test_affirmative_class_is_suggested_even_if_rare(no, yes):
    assert suggested((no, 500), (yes, 5)) == yes
    assert suggested((no, 50), (yes, 300)) == yes
    assert not isinstance(no, str) or suggested((no, 50), (yes, 99), ("Unknown", 31)) == yes


@pytest.mark.parametrize(
    ("usual", "wanted"),
    [
        ("healthy", "tumor"),
        ("live", "DIE"),
        ("Good", "bad"),
        ("legit", "fraud"),
        ("a", "default"),
        ("did not vote", "voted"),
        ("No recurrence", "recurrence"),
        ("Show", "No-show"),
    ],
)
def test_the_outcome_people_look_for_is_suggested_however_frequent(usual, wanted):
    assert suggested((usual, 500), (wanted, 31)) == wanted
    assert suggested((usual, 31), (wanted, 500)) == wanted


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        (["a"] * N, "must have two classes at least; it holds 'a' only"),
        (["a"] * 30 + [None] * 10, "must have two classes at least; it holds 'a' only"),
        ([None] * N, "'t' is missing in every row"),
        ([f"id{i}" for i in range(N)], "different value in every row, like an identifier"),
        ([f"c{i % 30}" for i in range(N)], "has 30 classes, and 20 at most are sensible"),
        (np.linspace(0, 5, N), "40 different numbers; .* such as above and up to 2.5"),
        ([f"2024-01-{i % 28 + 1:02d}" for i in range(N)], "'t' holds dates"),
        (["a", "b", "a"] + [None] * 37, "is known in 3 rows only"),
    ],
)
def test_each_obstacle_has_its_sentence(values, sentence):
    sentences = check_target(table_with(t=values), "t")
    assert len(sentences) == 1
    assert re.search(sentence, sentences[0])


def test_obstacles_and_doubts_of_a_target_are_reported():
    table = Table.from_frame(pd.DataFrame({"t": ["a", "b"] * 20}))
    assert check_target(table, "t") == (
        "No feature is left beside 't'. Give at least one column the role 'feature'.",
    )
    assert check_target(load_sample("iris"), "species") == ()
    table = table_with(t=["a"] * 20 + ["b"] * 14 + ["c"] * 4 + [None] * 2)
    notes = target_notes(table, "t")
    assert notes[0].startswith("2 of 40 rows have no value in 't'")
    assert "have the class 'c' (4)" in notes[1]
    assert notes[2].startswith("'t' has 3 classes")
