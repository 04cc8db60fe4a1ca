"""Some rows of a Parquet file that is too large to be read whole."""

import numpy as np
import pandas as pd
import pytest

from rulekit.data import Limits, count_rows, read_table, sample_parquet
from rulekit.exceptions import DataError


@pytest.fixture
def file(tmp_path):
    """Twenty thousand rows in many row groups, sorted, with text and gaps."""
    n = 20_000
    frame = pd.DataFrame({"row": np.arange(n), "word": ["a", "b", None, "d"] * (n // 4)})
    frame.to_parquet(tmp_path / "many.parquet", row_group_size=300)
    return tmp_path / "many.parquet"


def test_about_as_many_rows_as_asked_come_from_the_whole_file_in_its_order(file):
    table = sample_parquet(file, 1000)
    rows = table.frame["row"]
    assert 850 < table.n_rows < 1150
    assert rows.is_monotonic_increasing
    assert rows.min() < 700
    assert rows.max() > 19_300
    assert table.frame["word"].isna().mean() == pytest.approx(0.25, abs=0.1)


def test_the_note_tells_how_many_there_are(file):
    table = sample_parquet(file, 500)
    assert f"These are {table.n_rows:,} of the file's 20,000 rows" in table.notes[0]


def test_the_same_rows_come_each_time(file):
    assert sample_parquet(file, 500).digest == sample_parquet(file, 500).digest


def test_a_file_of_no_more_rows_is_read_as_it_is(file):
    table = sample_parquet(file, 20_000)
    assert table.digest == read_table(file).digest
    assert not any("drawn at random" in note for note in table.notes)


def test_limits_hold_for_what_is_read(file):
    assert sample_parquet(file, 10_000, limits=Limits(max_rows=200)).n_rows < 300


def test_rows_are_counted_without_being_read(file):
    assert count_rows(file) == 20_000


def test_what_is_no_parquet_file_is_named(tmp_path):
    (tmp_path / "no.parquet").write_text("no")
    with pytest.raises(DataError, match=r"'no.parquet' is no Parquet file"):
        sample_parquet(tmp_path / "no.parquet", 10)


def test_no_rows_cannot_be_asked_for(file):
    with pytest.raises(ValueError, match="`n_rows` must be at least 1"):
        sample_parquet(file, 0)
