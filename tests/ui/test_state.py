"""The analysis: what follows from table, roles, target and split."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from rulekit.data import Table, load_sample, make_folds
from rulekit.exceptions import DataError
from ui.state import AppState, BinningSpec, ColumnName, SplitSpec, update


def small(n=40, **columns):
    frame = pd.DataFrame(
        {"a": np.arange(n) % 7, "ill": np.where(np.arange(n) % 3, "no", "yes"), **columns}
    )
    return Table.from_frame(frame).with_roles({"ill": "target"}, positive_label="yes")


def test_unnamed_single_and_equal_classes_are_problems():
    assert AppState().problem() == "No table is loaded yet."
    assert not AppState().ready
    with pytest.raises(DataError, match="No table is loaded"):
        _ = AppState().data
    table = small().with_roles({"ill": "feature"}).with_roles({"ill": "target"})
    assert "No positive class" in AppState(table=table).problem()
    frame = pd.DataFrame({"a": range(12), "b": [1, 2] * 6, "ill": ["x"] * 11 + ["y"]})
    table = Table.from_frame(frame).with_roles({"ill": "target"}, positive_label="y")
    assert "Leave that class out" in AppState(table=table).problem()
    for outcomes in ({"1": "ill", "0": "ill"}, {"1": "0"}):
        problem = AppState(table=coded(), outcomes=outcomes).problem()
        assert "different names" in problem


def test_split_is_whole_stratified_repeatable_and_keeps_groups():
    state = AppState(table=load_sample("breast_cancer"))
    train, test = state.rows()
    assert sorted([*train, *test]) == list(range(569))
    assert len(test) == round(0.3 * 569)
    state = AppState(table=load_sample("credit"))
    shares = [part[1].eq(state.positive).mean() for part in (state.training, state.testing)]
    assert shares[0] == pytest.approx(shares[1], abs=0.01)
    first, second = (AppState(table=small(), split=SplitSpec(0.3, seed)) for seed in (3, 3))
    np.testing.assert_array_equal(first.rows()[1], second.rows()[1])
    state = AppState(table=small(group=np.arange(40) // 4).with_roles({"group": "group"}))
    train, test = state.rows()
    assert not set(state.groups[train]) & set(state.groups[test])


def test_rows_keep_their_numbers_and_weights():
    table = small()
    frame = table.frame.copy()
    frame.loc[[0, 5], "ill"] = None
    state = AppState(
        table=Table.from_frame(frame).with_roles({"ill": "target"}, positive_label="yes")
    )
    X, _ = state.data
    assert len(X) == 38
    assert 5 not in X.index
    table = small(w=np.arange(40) / 10).with_roles({"w": "weight"})
    state = AppState(table=table)
    np.testing.assert_allclose(state.sample_weight, state.data[0].index / 10)


def test_classes_of_three_or_numbers_become_two():
    state = AppState(table=load_sample("iris"))
    assert state.other_label == "not virginica"
    assert state.data[1].value_counts().to_dict() == {"not virginica": 100, "virginica": 50}
    frame = pd.DataFrame({"age": [k % 7 for k in range(40)], "num": [k % 4 for k in range(40)]})
    state = AppState(table=Table.from_frame(frame).with_roles({"num": "target"}, positive_label=0))
    assert (state.positive, state.other_label) == ("0", "not 0")
    train, test = state.rows()
    assert len(train) + len(test) == 40
    assert set(state.data[1]) == {"0", "not 0"}


@pytest.mark.parametrize(
    "other",
    [
        AppState(table=small(41)),
        AppState(table=small().with_roles({"a": "ignore"})),
        AppState(table=small().with_roles({}, positive_label="no")),
        AppState(table=small(), split=SplitSpec(0.2)),
        AppState(table=small(), binning=BinningSpec("tree")),
        AppState(table=small(), outcomes={"yes": "ill"}),
        AppState(table=small(), split=SplitSpec(keep_twins=True)),
    ],
    ids=["cells", "roles", "class", "split", "cuts", "names", "twins"],
)
def test_changes_of_the_fit_change_its_key(other):
    assert other.fit_key != AppState(table=small()).fit_key


def coded(n=40, **columns):
    frame = pd.DataFrame({"a": np.arange(n) % 7, "ill": (np.arange(n) % 3 == 0) * 1, **columns})
    return Table.from_frame(frame).with_roles({"ill": "target"}, positive_label=1)


def test_named_outcomes_are_what_everything_downstream_sees():
    state = AppState(table=coded(), outcomes={"1": "died", "0": "survived"})
    assert (state.positive, state.other_label, state.several) == ("died", "survived", False)
    assert (state.classes, state.labels) == (["died", "survived"], ["died", "survived"])
    _, y = state.data
    assert y.value_counts().to_dict() == {"survived": 26, "died": 14}
    assert y.index[y == "died"].tolist() == list(range(0, 40, 3))
    assert y.dtype == Table.from_frame(pd.DataFrame({"y": ["a"]})).frame["y"].dtype
    for part in (state.training, state.testing):
        assert set(part[1]) == {"died", "survived"}
    assert state.table.positive_label == 1


def test_names_make_labels_text_also_of_the_rest():
    state = AppState(table=coded(), outcomes={"1": "died"})
    assert (state.positive, state.other_label, state.classes) == ("died", "0", ["0", "died"])
    assert set(state.data[1]) == {"0", "died"}
    state = AppState(table=load_sample("iris"), outcomes={"virginica": "southern"})
    assert state.other_label == "not southern"
    assert set(state.data[1]) == {"southern", "not southern"}
    every = replace(state, every_class=True)
    assert every.labels == ["setosa", "southern", "versicolor"]
    assert set(every.data[1]) == set(every.labels)
    state = AppState(table=coded(other=[0, 1] * 20), outcomes={"1": "died"})
    same = update(state, table=state.table.with_roles({"a": "ignore"}))
    assert same.outcomes == {"1": "died"}
    moved = state.table.with_roles({"other": "target"}).with_roles({}, positive_label=1)
    assert update(state, table=moved).outcomes == {}


@pytest.mark.parametrize("values", [[True, False], [1.0, 2.0], [0.5, 1.5], ["x", "y"]])
def test_any_kind_of_class_can_be_named(values):
    frame = pd.DataFrame({"a": range(20), "b": [1, 2, 3, 4] * 5, "t": values * 10})
    table = Table.from_frame(frame).with_roles({"t": "target"}, positive_label=values[0])
    state = AppState(table=table, outcomes={str(table.positive_label): "this"})
    assert state.data[1].tolist()[:2] == ["this", state.other_label]
    assert state.positive == "this"


def twinned(**split):
    """Forty rows, each four times, under labels that differ now and then; and its analysis."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"a": rng.normal(size=40), "b": rng.normal(size=40)})
    frame = pd.concat([frame] * 4, ignore_index=True)
    frame["ill"] = np.where(np.arange(160) % 3, "no", "yes")
    table = Table.from_frame(frame).with_roles({"ill": "target"}, positive_label="yes")
    return AppState(table=table, split=SplitSpec(**split))


def test_test_rows_with_a_twin_among_the_training_rows_are_counted():
    state = twinned()
    X, y = state.data
    train, test = state.rows()
    rows = [(*X.iloc[k], y.iloc[k]) for k in range(len(X))]
    assert state.twins == sum(rows[k] in {rows[i] for i in train} for k in test) > 10
    assert AppState(table=small(a=np.arange(40) / 3)).twins == 0


def test_twins_kept_together_share_a_side_of_split_and_folds():
    state = twinned(keep_twins=True)
    assert state.twins == 0
    train, test = state.rows()
    assert 0.25 <= len(test) / 160 <= 0.35
    X, y = state.training
    for learned, tried in make_folds(y, 5, groups=state.groups[train]):
        seen = {tuple(row) for row in X.iloc[learned].to_numpy()}
        assert not any(tuple(row) in seen for row in X.iloc[tried].to_numpy())


def test_twins_and_groups_hold_together_what_either_does():
    pairs = Table.from_frame(twinned().table.frame.assign(pair=np.arange(160) // 2))
    pairs = pairs.with_roles({"ill": "target", "pair": "group"}, positive_label="yes")
    groups = AppState(table=pairs, split=SplitSpec(keep_twins=True)).groups
    assert len(set(groups)) == 20  # forty rows, two by two
    for k in range(160):
        assert groups[k] == groups[k ^ 1] == groups[(k + 40) % 160]


def test_split_by_time_tests_on_the_latest_rows_and_folds_go_forward():
    frame = twinned().table.frame
    days = pd.Timestamp("2024-01-01") + pd.to_timedelta(np.arange(160)[::-1], "D")
    frame = frame.assign(day=days.strftime("%d.%m.%Y"), gaps=days.where(np.arange(160) > 3))
    table = Table.from_frame(frame).with_roles({"ill": "target"}, positive_label="yes")
    state = AppState(table=table, split=SplitSpec(by="day", keep_twins=True))
    assert state.time_columns == ["day"]
    train, test = state.rows()
    assert sorted(test) == list(range(48))
    assert days[train].max() < days[test].min()
    for learned, tried in state.folds(3):
        assert days[train][learned].max() < days[train][tried].min()
    grouped = table.with_roles({"b": "group"})
    assert AppState(table=grouped, split=SplitSpec(by="day")).times is None


def test_words_for_people_do_not_change_the_key():
    state = AppState(table=small(), wording={"a": ColumnName("Age", "years")}, notes="x")
    assert state.fit_key == AppState(table=small()).fit_key
    assert (state.label("a"), state.unit("a"), state.label("ill")) == ("Age", "years", "ill")
