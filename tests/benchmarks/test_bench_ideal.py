"""The benchmarks of the ideal DNF run, on small tables, and write the rows they promise."""

import argparse

import numpy as np
import pandas as pd
import pytest

from benchmarks._cli import BenchTable
from benchmarks.papers import bench_ideal, bench_ideal_parquet, reference_ideal
from tests.benchmarks.rows import KEYS

pytestmark = pytest.mark.filterwarnings("ignore::rulekit.exceptions.EmptyRuleWarning")


@pytest.fixture
def planted():
    """A table with a planted rule."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(80, 3)), columns=["a", "b", "noise"])
    y = np.where((X["a"] > 0) & (X["b"] > -0.5) ^ (rng.random(80) < 0.05), "yes", "no")
    return BenchTable("planted", X, y.astype(object), "yes")


@pytest.mark.slow
def test_the_ideal_dnf_is_measured_beside_forests_on_the_same_folds(planted):
    table = BenchTable(planted.name, planted.X[:60], planted.y[:60], planted.positive)
    rows = {row["what"]: row for row in bench_ideal.accuracy(table, range(1), references=False)}
    assert all(set(row) <= KEYS for row in rows.values())
    assert rows["accuracy"]["setting"]["folds"] == 60  # below 100 rows each is left out in turn
    assert rows["accuracy"]["ours"] > rows["majority"]["reference"]
    assert rows["features"]["ours"] >= 1


def test_the_ideal_dnf_and_the_plain_way_are_timed_in_one_run(planted, monkeypatch):
    monkeypatch.setattr(bench_ideal, "REPEATS", 1)
    (row,) = bench_ideal.beside_plain(planted, kinds=(True,))
    assert row["ratio"] == pytest.approx(row["reference"] / row["ours"])
    (row,) = bench_ideal.tiled(planted, shape=(500, 5))
    assert row["setting"]["columns"] == 5


def test_the_plain_way_finds_a_rule_of_two_features():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(400, 3)), columns=list("abc"))
    y = ((X["a"] > X["a"].median()) & (X["b"] > X["b"].median())).to_numpy()
    k, counters, formula = reference_ideal.learn(X, y, discrete=True)
    assert k == 2
    assert sum(min(cell) for cell in counters.values()) == 0
    assert str(formula) == "x0 & x1"


@pytest.mark.slow
def test_large_files_are_written_learned_from_and_removed(tmp_path, capsys):
    path = tmp_path / "some.parquet"
    bench_ideal_parquet.FILES.write(path, 3000)
    found = bench_ideal_parquet.fit(path)
    assert found["cpu"] > 0
    assert found["peak"] > 10
    (error,) = bench_ideal_parquet.error_in_memory(path, 3000, found)
    assert 0 < error["reference"] <= 0.3
    assert error["ours"] == pytest.approx(error["reference"], abs=0.02)
    assert bench_ideal_parquet.measure(argparse.Namespace()) == []
    assert "needs a folder" in capsys.readouterr().out
