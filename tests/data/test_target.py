"""Which target is suggested, and what keeps a column from being one."""

import re
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from rulekit.data import Table, load_sample, suggest_positive, suggest_target, target_notes
from rulekit.data.target import check_target, class_counts, likely_target, read_labels
from rulekit.exceptions import DataError

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
    assert likely_target(["a", "Class", "b"]) == "Class"
    assert likely_target(["a", "b"]) == "b"
    assert suggested(("a", 31), ("b", 30), ("c", 29)) == "b"
    assert suggested(("a", 40), ("b", 40)) == "b"
    assert suggested(("a", 20), ("b", 10)) == "a"
    assert suggested(("a", 200), ("b", 10)) == "a"
    assert suggested(("sick", 60), ("dead", 40)) == "dead"
    assert suggested(("good", 60), ("alive", 40)) == "alive"
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


@pytest.mark.parametrize(
    ("usual", "wanted"),
    [("healthy", "tumor"), ("live", "DIE"), ("Good", "bad"), ("legit", "fraud"), ("a", "default")],
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


def spellings(values):
    """Return the same labels in each type that can hold them."""
    series = pd.Series(values.tolist())
    text = values.dtype.kind in "OU"
    nullable = {"b": "boolean", "i": "Int64", "f": "Float64"}.get(values.dtype.kind, "string")
    arrow = {"b": "bool", "i": "int64", "f": "double"}.get(values.dtype.kind, "string")
    made = {
        "list": values.tolist(),
        "object": series.astype(object),
        nullable: series.astype(nullable),
        arrow: series.astype(f"{arrow}[pyarrow]"),
        "category": series.astype("category"),
        "category of nullable": series.astype(nullable).astype("category"),
        "frame": series.to_frame(),
        "sparse": series if text else pd.Series(pd.arrays.SparseArray(values)),
        "polars": pl.Series(values.tolist()),
        "arrow": pa.array(values.tolist()),
        "dictionary": pa.array(values.tolist()).dictionary_encode(),
        "chunks": pa.chunked_array([values.tolist()]),
    }
    if text:
        made |= {"polars": pl.Series(values.tolist(), dtype=pl.Enum(sorted(set(values))))}
    if values.dtype.kind == "i":
        decimals = [Decimal(v) for v in values.tolist()]
        made |= {"decimals": decimals, "polars decimals": pl.Series(decimals)}
        if hasattr(pl, "Int128"):
            made |= {"Int128": pl.Series(values.tolist(), dtype=pl.Int128)}
    return made


LABELS = {
    "truth": np.array([True, False, False]),
    "codes": np.array([2**60 + 1, 2**60, 7]),
    "numbers": np.array([1.0, 0.0, 0.0]),
    "text": np.array(["yes", "0", "True"], dtype=object),
}


@pytest.mark.parametrize("kind", LABELS)
def test_labels_keep_their_type_in_every_dtype(kind):
    for name, target in spellings(LABELS[kind]).items():
        labels = read_labels(target).ravel()
        assert labels.tolist() == LABELS[kind].tolist(), name
        assert labels.dtype.kind == LABELS[kind].dtype.kind, name


@pytest.mark.parametrize(
    ("target", "message"),
    [
        (pd.cut(pd.Series([1, 2, 3]), 2), "text, truth values or numbers; found Interval"),
        (np.array(["2024-01-01"], "M8[D]"), "found Timestamp .* Convert them to text"),
        (pd.Series(pd.to_datetime(["2024-01-01"]).as_unit("ns")), "found Timestamp"),
        (np.array([3], "m8[ns]"), "found Timedelta"),
        (pl.Series([b"a"]), "found bytes"),
        ([[1], [2, 3]], "found list"),
        (np.array([1j]), "found complex"),
        ([2**70, 1], "at most 64 bits; found 1180591620717411303424"),
    ],
)
def test_other_labels_are_refused_by_the_name_of_their_type(target, message):
    with pytest.raises(DataError, match=message):
        read_labels(target)


@pytest.mark.parametrize("label", ["\0", "yes\0"])
def test_labels_that_numpy_would_shorten_are_refused(label):
    with pytest.raises(DataError, match=r"must not end with a zero character.*\\x00"):
        read_labels(pd.Series([label, "no", None]))


def test_texts_of_numpy_are_plain_labels():
    assert [type(v) for v in read_labels([np.str_("a"), "b", None])] == [str, str, type(None)]
