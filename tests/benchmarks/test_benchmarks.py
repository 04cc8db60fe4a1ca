"""The benchmarks run, on a small table, and write the rows they promise."""

import argparse
import json
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from benchmarks import (
    _cli,
    bench_column_generation,
    bench_columns,
    bench_costs,
    bench_fast_rules,
    bench_learners,
    bench_lists,
    bench_points,
    bench_ranking,
    bench_scale,
    bench_speed,
    records,
)
from benchmarks.papers import (
    bench_power_law,
    bench_screening,
    bench_two_level,
    protocol,
    two_level,
)
from benchmarks.papers.svg import front_figure
from rulekit import PowerLawTreeClassifier
from tests.benchmarks.rows import measured, must_not_be_called


def test_a_table_of_three_classes_becomes_one_class_against_the_rest(planted):
    assert set(planted.y) == {"yes", "not yes"}
    assert list(planted.X.columns) == ["a", "b"]


def test_absent_folders_and_tables_are_named_and_samples_measured(tmp_path, capsys, folder):
    with pytest.raises(SystemExit):
        _cli.parsed("", ["--data", str(tmp_path)])
    assert "must be a folder with a datasets.json" in capsys.readouterr().err
    given = _cli.parsed("", ["--data", str(folder), "--only", "moon"])
    with pytest.raises(SystemExit, match="no table 'moon'; there are planted"):
        list(_cli.tables(given, []))
    given = _cli.parsed("", [])
    assert [t.name for t in _cli.tables(given, ["pima", "iris"])] == ["iris"]


def test_the_pipeline_and_linprog_learn_the_same_rules(planted):
    speed, same = bench_two_level.speed(planted, thetas=(0.1, 1.0), clauses=(1, 2))
    assert speed["what"] == "pipeline speed"
    assert speed["ratio"] == pytest.approx(speed["reference"] / speed["ours"])
    assert (same["ours"], same["reference"]) == (12, 12)


@pytest.mark.slow
def test_table_and_figures_are_redrawn_and_a_second_run_only_reads(given, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(protocol, "QUICK_THETAS", (1.0,))
    rows = measured(two_level.measure, given)
    assert {(r["setting"]["method"], r["setting"]["R"]) for r in rows} == {
        (m, r) for m in protocol.METHODS for r in (1, 2, 5)
    }
    page = (tmp_path / "results" / "two_level_planted.html").read_text()
    assert page.count("<svg") == 7
    assert "http" not in page.replace("http://www.w3.org/2000/svg", "")
    assert (tmp_path / "results" / "table_1_planted.csv").is_file()
    monkeypatch.setattr(protocol.TwoLevelRuleClassifier, "fit_many", must_not_be_called)
    assert two_level.measure(given) == rows


@pytest.mark.slow
def test_box_search_and_programs_are_measured_on_the_same_folds(given):
    rows = {row["what"]: row for row in measured(bench_fast_rules.measure, given)}
    assert {"objective, AM", "Hamming, BCD", "cells worse, AM", "whole sweep"} <= set(rows)
    assert {"chosen error, search", "chosen error, search pool", "chosen error, AM"} <= set(rows)
    for name in ("AM", "BCD"):
        row = rows[f"objective, {name}"]
        assert row["ratio"] == pytest.approx(row["ours"] / row["reference"])
        assert rows[f"Hamming, {name}"]["ours"] >= row["ours"] - 1e-9
    sweep = rows["whole sweep"]
    assert sweep["ratio"] == pytest.approx(sweep["reference"] / sweep["ours"])


def test_setting_is_chosen_on_other_folds_and_by_size():
    figures = bench_fast_rules.Measured(
        errors=[[0.0, 0.3], [0.2, 0.1], [0.2, 0.1]], sizes=[[3.0, 1.0]] * 3
    )
    # fold 0 takes cell 1, best on folds 1 and 2; folds 1 and 2 take cell 0, best on the others
    assert bench_fast_rules.chosen_error([figures]) == pytest.approx((0.3 + 0.2 + 0.2) / 3)
    figures = bench_fast_rules.Measured(errors=[[0.1, 0.1], [0.1, 0.1]], sizes=[[3.0, 1.0]] * 2)
    other = bench_fast_rules.Measured(errors=[[0.1], [0.5]], sizes=[[0.0], [0.0]])
    assert bench_fast_rules.chosen_error([figures, other]) == pytest.approx((0.1 + 0.5) / 2)


def test_rows_are_written_as_json(tmp_path):
    given = _cli.parsed("", ["--json", str(tmp_path / "rows.json")])
    row = {"what": "w", "table": "t", "setting": {"a": 1}, "ours": 1.5, "unit": "s"}
    _cli.written([row], given)
    assert json.loads((tmp_path / "rows.json").read_text()) == [row]


def test_a_figure_escapes_names_and_draws_each_series_or_nothing():
    drawn = front_figure("<b>", "x", "y", {"<i>": [(1, 2), (2, 1)], "b": [(1, 1)], "none": []})
    assert "<b>" not in drawn
    assert "<i>" not in drawn
    assert drawn.count("<polyline") == 2
    assert "nothing to draw" in front_figure("empty", "x", "y", {"a": []})


def test_least_errors_prefer_the_smaller_of_equally_good_rules():
    summary = pd.DataFrame(
        {
            "setting": [0, 1, 2], "n_clauses": 2, "theta": [0.1, 0.5, 1.0],
            "test_error": [0.25, 0.2, 0.2], "n_conditions": [9.0, 4.0, 3.0],
        }
    )  # fmt: skip
    settings = [{"method": "alternating", "n_clauses": 2, "theta": t} for t in (0.1, 0.5, 1.0)]
    result = argparse.Namespace(summary=summary, setting=lambda n: settings[n])
    row = protocol.least_errors(result).iloc[0]
    assert (row["method"], row["R"], row["literals"], row["theta"]) == ("AM", 2, 3.0, 1.0)
    assert np.isclose(row["error"], 20.0)


class FirstLiteral:
    """Replacement for AIX360's learner: its rule is the first literal."""

    def __init__(self, **settings):
        self.price = settings["lambda0"]

    def fit(self, X, y):
        self.z = pd.DataFrame(np.eye(X.shape[1], 3, dtype=int))
        self.z[2] = 0
        self.w = np.array([1.0, 0.0, 0.0])

    def compute_conjunctions(self, X):
        return 1 - ((1 - X.to_numpy()) @ self.z.to_numpy() > 0)

    def predict(self, X):
        return self.compute_conjunctions(X) @ self.w > 0


def test_column_generation_is_measured_without_its_rival(given, capsys, monkeypatch):
    monkeypatch.setattr(bench_column_generation, "BooleanRuleCG", None)
    rows = measured(bench_column_generation.measure, given)
    assert "AIX360 is not installed" in capsys.readouterr().out
    for price in (0.005, 0.01):
        of = {r["what"]: r for r in rows if r["setting"]["lambda"] == price}
        assert of["objective"]["reference"] is None
        assert of["linear program"]["ours"] <= of["program"]["ours"] + 1e-9
        assert of["program"]["ours"] <= of["objective"]["ours"] + 1e-9
    of = {r["what"]: r for r in rows if r["setting"]["lambda"] == 0.02}
    assert of["proved"]["ours"] == 1.0
    assert of["proved bound"]["ratio"] == pytest.approx(1.0, abs=1e-6)


def test_rival_gets_the_same_literals_and_prices(planted, monkeypatch):
    monkeypatch.setattr(bench_column_generation, "BooleanRuleCG", FirstLiteral)
    fold = next(bench_column_generation.folds_of(planted, 0))
    problem, theirs = fold.problem(), bench_column_generation._theirs(fold, 0.01)
    first = bench_column_generation.half_lines(problem)[0][0]
    held = (fold.codes[:, first[0]] >= first[1]) & (fold.codes[:, first[0]] <= first[2])
    loss = (fold.y & ~held).sum() + (~fold.y & held).sum()
    assert theirs.objective == pytest.approx(loss / len(fold.y) + 0.02)
    assert theirs.literals == 1
    ours, found = bench_column_generation._ours(fold, 0.01, 0.0)
    assert found.objective / len(fold.y) == ours.objective <= theirs.objective


def test_columns_are_cut_at_training_deciles_or_between_few_values():
    train = np.arange(90)
    values = pd.Series(np.r_[np.linspace(0.0, 1.0, 90), 5.0, np.nan])
    ((codes, n_bins),) = bench_column_generation._binned(values, train)
    assert n_bins == 10
    assert np.bincount(codes[:90]).tolist() == [9] * 10
    assert codes[90:].tolist() == [9, 10]
    ((codes, n_bins),) = bench_column_generation._binned(pd.Series([1.0, 2.0, 3.0, 2.5]), train[:3])
    assert (n_bins, codes.tolist()) == (3, [0, 1, 2, 2])
    levels = pd.Series(["a", "b", "c", None])
    assert [c.tolist() for c, _ in bench_column_generation._binned(levels, train[:4])] == [
        [0, 0, 0, 1], [1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0],
    ]  # fmt: skip


def test_screening_is_measured_on_any_table_of_a_folder(given, capsys):
    rows = measured(bench_screening.measure, given)
    by_name = {(row["what"], row["setting"].get("variant")): row for row in rows}
    assert by_name["screened total", "basic"]["setting"] == {"variant": "basic", "thresholds": 20}
    assert by_name["columns", None]["ours"] == 2 * 2 * 20
    assert by_name["certificates refused", None]["ours"] == 0
    assert "screened total" in capsys.readouterr().out


@pytest.mark.slow
def test_trees_of_power_laws_are_set_beside_the_paper_cart_and_an_svm(capsys):
    rows = measured(
        bench_power_law.measure, argparse.Namespace(data=None, only=["DS1"], seeds=2, quick=True)
    )
    capsys.readouterr()
    tree = next(r for r in rows if r["what"] == "length" and r["setting"]["method"] == "tree")
    assert (tree["ours"], tree["reference"]) == (2.0, 2.3)
    assert {r["setting"]["method"] for r in rows} == {"tree", "CART", "SVM"}
    assert all("p" in r["setting"] for r in rows if r["setting"]["method"] != "tree")


@pytest.mark.slow
def test_resumed_tree_benchmark_measures_missing_folds_only(tmp_path, capsys):
    requested = argparse.Namespace(
        data=None, only=["DS1"], seeds=1, quick=True, json=tmp_path / "rows.json"
    )
    first = bench_power_law.measure(requested)
    kept = tmp_path / "rows.json.splits"
    assert len(kept.read_text("utf-8").splitlines()) == 3  # tree, CART, SVM
    again = bench_power_law.measure(requested)
    assert again == first  # the CPU time, too: nothing was measured anew
    requested.seeds = 2
    bench_power_law.measure(requested)
    assert len(kept.read_text("utf-8").splitlines()) == 6
    capsys.readouterr()


@pytest.mark.slow
def test_the_default_tree_is_measured_on_many_tables_and_in_the_mean(folder, monkeypatch, capsys):
    monkeypatch.setattr(bench_power_law, "DEFAULT", {"default-small": ("planted", "gone")})
    given = ["--data", str(folder), "--only", "default-small", "--seeds", "2"]
    own, mean = bench_power_law.measure(_cli.parsed("", given))
    assert (own["table"], mean["table"]) == ("planted", "mean")
    assert own | {"table": "mean"} == mean
    X, y = (part := _cli.described(folder)["planted"]()).X, part.y
    parts = [np.split(np.random.default_rng(seed).permutation(80), [56]) for seed in range(2)]
    trees = [PowerLawTreeClassifier().fit(X.iloc[rows], y[rows]) for rows, _ in parts]
    right = [m.score(X.iloc[out], y[out]) for m, (_, out) in zip(trees, parts, strict=True)]
    assert own["ours"] == pytest.approx(100 * np.mean(right))
    assert "balanced" in capsys.readouterr().out


class FirstConditions:
    """Replacement for FasterRisk: two cards; the better one gives the first conditions a point."""

    def __init__(self, X, y, k, lb, ub):
        assert set(y) == {-1.0, 1.0}
        assert (lb, ub) == (-5, 5)
        self.points = np.zeros((2, X.shape[1]), dtype=int)
        self.points[1, 1 : k + 1] = 1

    def optimize(self):
        pass

    def get_models(self):
        return np.ones(2), np.zeros(2), self.points


@pytest.mark.slow
def test_scorecards_are_measured_and_their_absent_rival_is_reported(given, capsys, monkeypatch):
    monkeypatch.setattr(bench_points, "RiskScoreOptimizer", None)
    rows = {row["what"]: row for row in measured(bench_points.measure, given)}
    assert "FasterRisk is not installed" in capsys.readouterr().out
    assert rows["logistic loss"]["reference"] is None
    assert rows["AUC, CART"]["ours"] == rows["AUC, L1"]["ours"] == rows["AUC, unrounded"]["ours"]
    assert 0.5 < rows["AUC, unrounded"]["reference"] <= 1
    clock = rows["share of the box search"]
    assert clock["ratio"] == pytest.approx(clock["ours"] / clock["reference"])


def test_the_rival_in_points_is_weighed_as_ours_is(planted, monkeypatch):
    monkeypatch.setattr(bench_points, "RiskScoreOptimizer", FirstConditions)
    loss, _ = bench_points.losses(planted, 3)
    nothing = bench_points.loss_of(np.zeros(len(planted.y)), planted.y == planted.positive)
    assert loss["ours"] < loss["reference"] < nothing
    assert loss["ratio"] == loss["ours"] / loss["reference"]


@pytest.mark.slow
def test_learners_of_literals_are_timed_beside_cart_on_two_tables():
    rows = measured(bench_scale.measure, _cli.parsed("", ["--quick"]))
    timed = {(row["table"], row["what"].removesuffix(", one fit")) for row in rows}
    others = set(bench_scale.LEARNERS) - {bench_scale.SEARCH}
    assert {("100 x 9", name) for name in others} <= timed
    assert {("400 x 4", name) for name in others - {bench_scale.GENERATION}} <= timed
    for row in rows:
        assert row["ratio"] == pytest.approx(row["ours"] / row["reference"])
        if "peak" in row["what"]:
            assert row["ours"] >= row["reference"] > 0


@pytest.mark.slow
def test_lists_are_measured_beside_cart_and_one_class_after_the_other(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    given = _cli.parsed("", ["--only", "iris", "--quick"])
    rows = measured(bench_lists.measure, given)
    figures = {(row["table"], row["what"]): row for row in rows}
    accuracy, apart = figures["iris", "chosen accuracy"], figures["iris", "difference"]
    assert apart["ours"] == pytest.approx(accuracy["ours"] - accuracy["reference"])
    objective = figures["iris", "start objective"]
    assert objective["setting"]["worse"] == 0
    assert objective["ours"] <= objective["reference"]
    assert figures["iris", "chosen accuracy"]["setting"]["conditions"]["ours"] <= 8
    monkeypatch.setattr(bench_lists, "one_fold", must_not_be_called)
    assert bench_lists.measure(given) == rows


@pytest.mark.slow
def test_costs_and_ranking_are_measured_against_a_tree(given):
    rows = measured(bench_costs.measure, given)
    costs = {row["what"]: row for row in rows}
    apart = costs["cost a 100 cases"]["ours"] - costs["cost a 100 cases"]["reference"]
    assert costs["difference"]["ours"] == pytest.approx(apart)
    extra = costs["cost a 100 cases"]["ours"] - costs["without costs"]["ours"]
    assert costs["more than without"]["ours"] == pytest.approx(extra)
    assert costs["cost a 100 cases"]["ours"] < costs["constant"]["ours"]
    rows = measured(bench_ranking.measure, given)
    ranked = {row["what"]: row for row in rows}
    assert 0.5 < ranked["AUC"]["ours"] <= 1
    assert 0 <= ranked["Brier"]["ours"] < 0.25


@pytest.mark.slow
@pytest.mark.parametrize("name", ["ordered grade", "word"])
def test_a_planted_rule_over_columns_as_people_have_them_is_found(name):
    row = bench_columns.found(name, range(1))
    assert row["setting"]["exact"] == "1/1"
    assert row["ours"] == 100.0


@pytest.mark.slow
def test_every_learner_that_the_guide_lists_is_timed():
    rows = measured(bench_learners.measure, argparse.Namespace(quick=True))
    guide = (Path(__file__).parents[2] / "docs/guide/learners.rst").read_text(encoding="utf-8")
    listed = set(re.findall(r"^     - `(\w+)`$", guide, re.MULTILINE))
    named = {row["what"].split(",")[0] for row in rows}
    assert listed - named == {"FixedRuleClassifier"}
    assert all(row["ratio"] == row["ours"] / row["reference"] > 0 for row in rows)


@pytest.mark.slow
def test_speeds_have_rows_that_can_be_recorded(monkeypatch):
    monkeypatch.setattr(bench_speed, "SIZES", [(200, 4)])
    monkeypatch.setattr(bench_speed, "EXPLAINED", 50)
    monkeypatch.setattr(bench_learners, "measure", lambda _: [])
    rows = measured(bench_speed.measure, _cli.parsed("", []))
    assert [(row["table"], row["what"]) for row in rows] == [
        ("200 x 4", "search, one fit"), ("wine", "rule list"), ("50 x 10", "explain"),
        ("breast_cancer", "first curve"),
    ]  # fmt: skip
    assert all(records.speed(row) > 0 for row in rows)


def test_part_of_a_table_keeps_the_shares_of_classes(planted):
    part = bench_two_level.part(planted, 40, 1)
    assert (part.name, part.X.shape) == ("planted, 40 x 1", (40, 1))
    assert abs((part.y == "yes").mean() - (planted.y == "yes").mean()) < 1 / 40
