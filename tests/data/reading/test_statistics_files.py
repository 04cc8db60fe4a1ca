"""Files of Stata, SPSS and SAS."""

import io

import pandas as pd
import pytest

from rulekit.data import ParseOptions, read_table
from rulekit.data.reading.statistics_files import kind_of_statistics, read_statistics
from rulekit.exceptions import DataError

pyreadstat = pytest.importorskip("pyreadstat")  # it does not go with the oldest narwhals
FRAME = pd.DataFrame({"age": [31.0, None, 60.5], "sex": [1, 2, 1], "why": [1.0, 9.0, 2.0]})
FRAME["name"] = ["a", "", "c"]
FRAME["day"] = pd.date_range("2020-01-05", periods=3)
NAMES = {"age": "Age in years", "sex": "Sex"}
VALUES = {"sex": {1: "male", 2: "female", 3: "other"}, "why": {9.0: "refused"}}


def written(kind, tmp_path):
    """Bytes of a file of the kind, with labels where it has them."""
    path = tmp_path / f"a.{kind}"
    labels = {} if kind == "xpt" else {"variable_value_labels": VALUES}
    writer = {"dta": "write_dta", "sav": "write_sav", "xpt": "write_xport"}[kind]
    getattr(pyreadstat, writer)(FRAME, path, column_labels=NAMES, **labels)
    return path.read_bytes()


@pytest.mark.parametrize("kind", ["dta", "sav", "xpt"])
def test_columns_and_labels_are_read(kind, tmp_path):
    raw = written(kind, tmp_path)
    assert kind_of_statistics(raw) == kind
    frame, labels, notes = read_statistics(raw, kind)
    assert frame["age"].tolist()[::2] == [31.0, 60.5]
    assert frame["age"].isna().tolist() == [False, True, False]
    assert frame["name"].isna().tolist() == [False, True, False]
    assert frame["day"].tolist() == FRAME["day"].tolist()
    assert labels == NAMES
    if kind != "xpt":
        assert frame["sex"].tolist() == ["male", "female", "male"]
        assert frame["why"].tolist() == [1, 9, 2]
        assert "Value labels are read as levels: 'sex'." in notes
        assert "these columns keep their codes: 'why'." in notes[1]


def test_equal_labels_of_two_codes_stay_apart(tmp_path, monkeypatch):
    monkeypatch.setitem(VALUES, "sex", {1: "x", 2: "x"})
    frame, _, _ = read_statistics(written("sav", tmp_path), "sav")
    assert frame["sex"].tolist() == ["x (1)", "x (2)", "x (1)"]


def test_values_that_spss_calls_missing_are_counted(tmp_path):
    ranges = {"age": [{"lo": 60, "hi": 99}], "why": [9, 1], "name": ["c"]}
    pyreadstat.write_sav(FRAME, tmp_path / "a.sav", missing_ranges=ranges)
    frame, _, notes = read_statistics((tmp_path / "a.sav").read_bytes(), "sav")
    assert frame["age"].isna().tolist() == [False, True, True]
    assert frame["why"].isna().tolist() == [True, True, False]
    assert frame["name"].isna().tolist() == [False, True, True]
    words = "Values that the file calls missing are read so: 'age' (1), 'why' (2), 'name' (1)."
    assert notes == [words]


@pytest.mark.slow
def test_a_table_has_the_labels_of_its_file(tmp_path):
    raw = written("sav", tmp_path)
    table = read_table(raw, options=ParseOptions(columns=("age", "sex")))
    assert (dict(table.labels), list(table.frame)) == (NAMES, ["age", "sex"])
    with pytest.raises(DataError, match="The SAV file is damaged"):
        read_table(raw[:300])


def test_what_pandas_writes_for_stata_is_recognized():
    for version in (114, 117, 118):
        file = io.BytesIO()
        FRAME.to_stata(file, version=version, write_index=False)
        assert kind_of_statistics(file.getvalue()) == "dta"
    assert kind_of_statistics(b"size,b\n1,2\n") == ""
