"""The benchmarks of the choice, beside CART and beside optimal trees, judge what they say."""

import numpy as np
import pandas as pd
import pytest
from sklearn.tree import DecisionTreeClassifier

from benchmarks import bench_choice, bench_optimal_trees, bench_suggestion
from rulekit.data import make_folds
from tests.benchmarks.rows import KEYS, KINDS, measured, must_not_be_called


@pytest.mark.slow
def test_accuracy_is_measured_outside_and_finished_folds_are_reused(given, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = measured(bench_choice.measure, given)
    by_what = {row["what"]: row for row in rows}
    accuracy, apart = by_what["chosen accuracy"], by_what["difference"]
    assert apart["ours"] == pytest.approx(accuracy["ours"] - accuracy["reference"])
    conditions = accuracy["setting"]["conditions"]
    assert conditions["ours"] <= bench_choice.MOST
    assert conditions["reference"] <= bench_choice.MOST_SPLITS
    monkeypatch.setattr(bench_choice, "one_fold", must_not_be_called)
    assert bench_choice.measure(given) == rows


def test_overall_difference_averages_tables_equally():
    folds = pd.DataFrame(
        [
            {"seed": s, "fold": f, "ours_accuracy": 0.8 + 0.01 * f, "reference_accuracy": 0.75}
            | {f"{k}_{m}": 1.0 for k in KINDS for m in ("conditions", "inside", "balanced")}
            | {"seconds": 2.0 + f}
            for s in (0, 1)
            for f in range(5)
        ]
    )
    rows, by_seed = bench_choice.compared("one", folds, 2)
    worse, by_seed_2 = bench_choice.compared("two", folds.assign(ours_accuracy=0.75), 2)
    overall = bench_choice.overall([*rows, *worse], {"one": by_seed, "two": by_seed_2}, 2)
    accuracy, balanced, apart = overall
    assert accuracy["ours"] == pytest.approx((82.0 + 75.0) / 2)
    assert accuracy["reference"] == pytest.approx(75.0)
    assert balanced["ours"] == pytest.approx(100.0)
    assert apart["ours"] == pytest.approx((7.0 + 0.0) / 2)
    by_what = {row["what"]: row for row in rows}
    assert by_what["one fit"]["ours"] == pytest.approx(4.0)
    assert by_what["one fit"]["setting"]["greatest"] == 6.0
    error = by_what["difference"]["setting"]["se"]
    assert error == pytest.approx(np.std(folds["fold"], ddof=1) / np.sqrt(10), abs=0.01)
    assert apart["setting"]["se"] == pytest.approx(error / 2, abs=0.01)


@pytest.mark.slow
def test_suggestions_are_compared_on_the_same_held_out_rows(given):
    rows = {row["what"]: row for row in bench_suggestion.measure(given)}
    assert list(rows) == [f"error, {name}" for name in bench_suggestion.METHODS]
    assert all(set(row) <= KEYS for row in rows.values())
    usual = rows["error, dashboard"]["ours"]
    for row in rows.values():
        assert row["setting"]["difference"] == pytest.approx(row["ours"] - usual, abs=0.006)
        assert 0 <= row["setting"]["conditions"] <= 12


def stump(cuts, codes, size):
    """Replace a peer by one split at the first cut, for the more likely class there."""
    there = codes[cuts.train[:, 0] == 1].mean() > codes[cuts.train[:, 0] == 0].mean()
    return (lambda columns: columns[:, 0] == there), 1


def test_optimal_trees_that_are_absent_are_reported(given, capsys, monkeypatch):
    monkeypatch.setattr(bench_optimal_trees, "PACKAGES", {"STreeD": "no such", "GOSDT": "neither"})
    assert bench_optimal_trees.measure(given) == []
    message = capsys.readouterr().out
    assert "STreeD is not installed" in message
    assert "GOSDT is not installed" in message


@pytest.mark.slow
def test_optimal_trees_are_measured_on_the_same_rows_as_rules(
    given, planted, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(bench_optimal_trees, "PACKAGES", {"STreeD": "numpy"})
    monkeypatch.setattr(bench_optimal_trees, "streed", stump)
    rows = {row["what"]: row for row in measured(bench_optimal_trees.measure, given)}
    accuracy, apart = rows["accuracy, STreeD"], rows["difference, STreeD"]
    assert apart["ours"] == pytest.approx(accuracy["ours"] - accuracy["reference"])
    assert accuracy["setting"]["conditions"]["reference"] == 1
    right = []
    for train, test in make_folds(planted.y, 2, random_state=0):
        X, held = planted.X.iloc[train], planted.X.iloc[test]
        name, cut = bench_optimal_trees.Cuts(X, planted.y[train], 100).at[0]
        low, low_held = X.iloc[:, name] <= cut, held.iloc[:, name] <= cut
        below, above = (pd.Series(planted.y[train][low == side]).mode()[0] for side in (1, 0))
        right.append(np.mean(np.where(low_held, below, above) == planted.y[test]))
    assert accuracy["reference"] == pytest.approx(100 * np.mean(right))
    monkeypatch.setattr(bench_optimal_trees, "one_fold", must_not_be_called)
    monkeypatch.setattr(bench_choice, "one_fold", must_not_be_called)
    assert {row["what"]: row for row in bench_optimal_trees.measure(given)} == rows


@pytest.mark.parametrize(("peer", "size"), [("STreeD", 3), ("GOSDT", 0.02)])
def test_an_optimal_tree_is_no_worse_than_a_greedy_one_of_its_size(planted, peer, size):
    pytest.importorskip(bench_optimal_trees.PACKAGES[peer])
    tree = bench_optimal_trees.OptimalTree(peer, size).fit(planted.X, planted.y)
    columns = tree.cuts_.train
    greedy = DecisionTreeClassifier(max_depth=4, max_leaf_nodes=tree.n_rules_, random_state=0)
    greedy.fit(columns, planted.y)
    assert 1 <= tree.n_conditions_ <= 3
    assert np.mean(tree.predict(planted.X) == planted.y) >= greedy.score(columns, planted.y)
