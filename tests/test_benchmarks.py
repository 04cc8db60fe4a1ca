"""The benchmarks run, on a small table, and write the rows they promise."""

import argparse
import json

import numpy as np
import pandas as pd
import pytest

from benchmarks import (
    _cli,
    bench_fast_rules,
    bench_ideal,
    bench_ideal_parquet,
    bench_two_level,
    paper_two_level,
    protocol,
    reference_ideal,
)
from benchmarks._cli import BenchTable
from benchmarks._svg import front_figure

KEYS = {"what", "table", "setting", "ours", "reference", "ratio", "unit"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder as ``--data`` takes it: one table of three classes with a planted rule."""
    folder = tmp_path_factory.mktemp("data")
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(80, 3)), columns=["a", "b", "noise"])
    kind = np.where((frame["a"] > 0) & (frame["b"] > -0.5), "yes", "no")
    frame["kind"] = np.where(rng.random(80) < 0.1, "perhaps", kind)
    frame.to_csv(folder / "planted.csv", index=False)
    facts = {
        "file": "planted.csv", "target": "kind", "positive_label": "yes",
        "suggested_exclude": ["noise"],
    }  # fmt: skip
    (folder / "datasets.json").write_text(json.dumps({"planted": facts}))
    return folder


@pytest.fixture(scope="module")
def planted(folder):
    given = _cli.parsed("", ["--data", str(folder), "--only", "planted"])
    return next(_cli.tables(given, []))


def test_a_table_of_three_classes_becomes_one_class_against_the_rest(planted):
    assert set(planted.y) == {"yes", "not yes"}
    assert list(planted.X.columns) == ["a", "b"]


def test_a_folder_without_a_description_is_refused(tmp_path, capsys):
    with pytest.raises(SystemExit):
        _cli.parsed("", ["--data", str(tmp_path)])
    assert "must be a folder with a datasets.json" in capsys.readouterr().err


def test_a_table_that_is_not_there_is_named(folder):
    given = _cli.parsed("", ["--data", str(folder), "--only", "moon"])
    with pytest.raises(SystemExit, match="no table 'moon'; there are planted"):
        list(_cli.tables(given, []))


def test_without_a_folder_the_samples_are_measured():
    given = _cli.parsed("", [])
    assert [t.name for t in _cli.tables(given, ["pima", "iris"])] == ["iris"]


def test_the_pipeline_and_linprog_learn_the_same_rules(planted):
    speed, same = bench_two_level.speed(planted, thetas=(0.1, 1.0), clauses=(1, 2))
    assert speed["what"] == "pipeline speed"
    assert speed["ratio"] == pytest.approx(speed["reference"] / speed["ours"])
    assert (same["ours"], same["reference"]) == (12, 12)


def _must_not_be_called(*args, **kwargs):
    raise AssertionError("a finished fold was computed again")


def test_table_and_figures_are_redrawn_and_a_second_run_only_reads(folder, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    given = _cli.parsed("", ["--data", str(folder), "--only", "planted", "--quick"])
    monkeypatch.setattr(protocol, "QUICK_THETAS", (1.0,))
    rows = paper_two_level.measure(given)
    assert {(r["setting"]["method"], r["setting"]["R"]) for r in rows} == {
        (m, r) for m in protocol.METHODS for r in (1, 2, 5)
    }
    assert all(set(row) <= KEYS for row in rows)
    page = (tmp_path / "results" / "two_level_planted.html").read_text()
    assert page.count("<svg") == 7
    assert "http" not in page.replace("http://www.w3.org/2000/svg", "")
    assert (tmp_path / "results" / "table_1_planted.csv").is_file()
    monkeypatch.setattr(protocol.TwoLevelRuleClassifier, "fit_many", _must_not_be_called)
    assert paper_two_level.measure(given) == rows


def test_the_box_search_is_measured_against_the_programs_on_the_same_folds(folder):
    given = _cli.parsed("", ["--data", str(folder), "--only", "planted", "--quick"])
    rows = {row["what"]: row for row in bench_fast_rules.measure(given)}
    assert all(set(row) <= KEYS for row in rows.values())
    assert {"objective, AM", "Hamming, BCD", "cells worse, AM", "whole sweep"} <= set(rows)
    assert {"chosen error, search", "chosen error, search pool", "chosen error, AM"} <= set(rows)
    for name in ("AM", "BCD"):
        row = rows[f"objective, {name}"]
        assert row["ratio"] == pytest.approx(row["ours"] / row["reference"])
        assert rows[f"Hamming, {name}"]["ours"] >= row["ours"] - 1e-9
    sweep = rows["whole sweep"]
    assert sweep["ratio"] == pytest.approx(sweep["reference"] / sweep["ours"])


@pytest.mark.filterwarnings("ignore::rulekit.exceptions.EmptyRuleWarning")
def test_the_ideal_dnf_is_measured_beside_forests_on_the_same_folds(planted):
    table = BenchTable(planted.name, planted.X[:60], planted.y[:60], planted.positive)
    rows = {row["what"]: row for row in bench_ideal.accuracy(table, range(1), references=False)}
    assert all(set(row) <= KEYS for row in rows.values())
    assert rows["accuracy"]["setting"]["folds"] == 60  # below 100 rows each is left out in turn
    assert rows["accuracy"]["ours"] > rows["majority"]["reference"]
    assert rows["features"]["ours"] >= 1


@pytest.mark.filterwarnings("ignore::rulekit.exceptions.EmptyRuleWarning")
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


@pytest.mark.filterwarnings("ignore::rulekit.exceptions.EmptyRuleWarning")
def test_large_files_are_written_learned_from_and_removed(tmp_path, capsys):
    path = tmp_path / "some.parquet"
    bench_ideal_parquet.write(path, 3000)
    found = bench_ideal_parquet.fit(path)
    assert found["cpu"] > 0
    assert found["peak"] > 10
    assert bench_ideal_parquet.same_in_memory(path, 3000, found["rule"])["ours"] == 1.0
    assert bench_ideal_parquet.measure(argparse.Namespace()) == []
    assert "needs a folder" in capsys.readouterr().out


def test_a_fold_has_no_say_in_what_is_chosen_for_it():
    figures = bench_fast_rules.Measured(
        errors=[[0.0, 0.3], [0.2, 0.1], [0.2, 0.1]], sizes=[[3.0, 1.0]] * 3
    )
    # fold 0 takes cell 1, best on folds 1 and 2; folds 1 and 2 take cell 0, best on the others
    assert bench_fast_rules.chosen_error([figures]) == pytest.approx((0.3 + 0.2 + 0.2) / 3)


def test_of_equally_good_settings_the_smaller_rule_is_chosen():
    figures = bench_fast_rules.Measured(errors=[[0.1, 0.1], [0.1, 0.1]], sizes=[[3.0, 1.0]] * 2)
    other = bench_fast_rules.Measured(errors=[[0.1], [0.5]], sizes=[[0.0], [0.0]])
    assert bench_fast_rules.chosen_error([figures, other]) == pytest.approx((0.1 + 0.5) / 2)


def test_rows_are_written_as_json(tmp_path):
    given = _cli.parsed("", ["--json", str(tmp_path / "rows.json")])
    row = {"what": "w", "table": "t", "setting": {"a": 1}, "ours": 1.5, "unit": "s"}
    _cli.written([row], given)
    assert json.loads((tmp_path / "rows.json").read_text()) == [row]


def test_a_figure_escapes_names_and_draws_each_series():
    drawn = front_figure("<b>", "x", "y", {"<i>": [(1, 2), (2, 1)], "b": [(1, 1)], "none": []})
    assert "<b>" not in drawn
    assert "<i>" not in drawn
    assert drawn.count("<polyline") == 2


def test_a_figure_of_nothing_says_so():
    assert "nothing to draw" in front_figure("empty", "x", "y", {"a": []})


def test_least_errors_prefer_the_smaller_of_equally_good_rules():
    summary = pd.DataFrame(
        {
            "setting": [0, 1, 2], "n_clauses": 2, "theta": [0.1, 0.5, 1.0],
            "test_error": [0.25, 0.2, 0.2], "n_literals": [9.0, 4.0, 3.0],
        }
    )  # fmt: skip
    settings = [{"method": "alternating", "n_clauses": 2, "theta": t} for t in (0.1, 0.5, 1.0)]
    result = argparse.Namespace(summary=summary, setting=lambda n: settings[n])
    row = protocol.least_errors(result).iloc[0]
    assert (row["method"], row["R"], row["literals"], row["theta"]) == ("AM", 2, 3.0, 1.0)
    assert np.isclose(row["error"], 20.0)
