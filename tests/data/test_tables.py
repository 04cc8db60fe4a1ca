"""The door to files that are read where they lie: what opens, what is refused."""

import gc
from pathlib import Path

import pandas as pd
import pytest

from rulekit import Clause, DataError, Literal, RuleSet, rule_statistics
from rulekit._engine import fetch
from rulekit.data import tables
from rulekit.data.tables import open_table

FRAME = pd.DataFrame(
    {"x": [1.0, None, 3.0, 4.0], "name": ["a", "b", None, "l'un"], "y": [0, 0, 0, 1]}
)
RULE = RuleSet((Clause((Literal("x", ">", 2.5),)),), (1,), "dnf", 0)
STRANGE = "what[a]*name?'"


def rows(table):
    return fetch(table.order_by(table.x)).to_pandas()


def test_csv_and_parquet_are_recognised_by_content(tmp_path):
    FRAME.to_parquet(tmp_path / f"{STRANGE}.parquet")
    (tmp_path / "what1.parquet").write_bytes(b"not this one")
    table = open_table(tmp_path / f"{STRANGE}.parquet")
    assert rule_statistics(RULE, table, "y").errors == 1
    assert table.columns == ("x", "name", "y")
    FRAME.to_csv(tmp_path / f"{STRANGE}.csv", index=False)
    FRAME.to_csv(tmp_path / "rows.csv.gz", index=False)
    for name in (f"{STRANGE}.csv", "rows.csv.gz"):
        assert rule_statistics(RULE, open_table(tmp_path / name), "y").confusion.tolist() == [
            [2, 1],
            [0, 1],
        ]
    FRAME.rename(columns={"name": "X"}).to_parquet(tmp_path / "twins.parquet")
    with pytest.raises(DataError, match="more than upper and lower case"):
        open_table(tmp_path / "twins.parquet")


def test_a_folder_of_parts_is_one_table_whose_folders_are_columns(tmp_path):
    for year, part in FRAME.groupby(FRAME.index // 2):
        (tmp_path / f"year={2020 + year}").mkdir()
        part.to_parquet(tmp_path / f"year={2020 + year}" / "part.parquet")
    table = open_table(tmp_path)
    assert set(table.columns) == {"x", "name", "y", "year"}
    late = RuleSet((Clause((Literal("year", ">", 2020),)),), (1,), "dnf", 0)
    assert rule_statistics(late, table, "y").confusion.tolist() == [[2, 1], [0, 1]]
    assert rule_statistics(RULE, table, "y").n == 4


@pytest.mark.slow
def test_failed_allocation_leaves_nothing_behind(tmp_path, monkeypatch):
    made = []
    mkdtemp = tables.tempfile.mkdtemp
    monkeypatch.setattr(
        tables.tempfile, "mkdtemp", lambda **given: made.append(mkdtemp(**given)) or made[-1]
    )
    FRAME.to_parquet(tmp_path / "rows.parquet")
    table = open_table(tmp_path / "rows.parquet")
    assert Path(made[0]).is_dir()
    del table
    gc.collect()
    assert not Path(made[0]).exists()


@pytest.mark.parametrize("given", [{"memory_limit": "much"}, {"threads": 0}])
def test_limits_that_duckdb_cannot_read_are_refused(tmp_path, given):
    FRAME.to_parquet(tmp_path / "rows.parquet")
    with pytest.raises(ValueError, match="`memory_limit` must be a size such as '500MB'"):
        open_table(tmp_path / "rows.parquet", **given)


def test_unreadable_files_are_named(tmp_path):
    (tmp_path / "text.parquet").write_text("no Parquet")
    (tmp_path / "list.txt").write_text("nothing")
    (tmp_path / "empty").mkdir()
    refused = {
        "text.parquet": "'text.parquet' is not a Parquet file",
        "none.parquet": "There is no file '.*none.parquet'",
        "list.txt": "'list.txt' must be a file that ends in",
        "empty": "The folder 'empty' must contain only .* it contains none",
    }
    for name, message in refused.items():
        with pytest.raises(DataError, match=message):
            open_table(tmp_path / name)
    FRAME.to_csv(tmp_path / "rows.csv")
    with pytest.raises(DataError, match="it contains csv, parquet"):
        open_table(tmp_path)
