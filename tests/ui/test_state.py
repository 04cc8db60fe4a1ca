"""The analysis: what follows from table, roles, target and split."""

import numpy as np
import pandas as pd
import pytest

from rulekit.data import Table, load_sample
from rulekit.exceptions import DataError
from ui.state import AppState, BinningSpec, SplitSpec, Wording


def small(n=40, **columns):
    frame = pd.DataFrame(
        {"a": np.arange(n) % 7, "ill": np.where(np.arange(n) % 3, "no", "yes"), **columns}
    )
    return Table.from_frame(frame).with_roles({"ill": "target"}, positive_label="yes")


def test_an_empty_analysis_says_what_comes_first():
    assert AppState().problem() == "No table is loaded yet."
    assert not AppState().ready
    with pytest.raises(DataError, match="No table is loaded"):
        _ = AppState().data


def test_without_a_positive_class_nothing_is_ready():
    table = small().with_roles({"ill": "feature"}).with_roles({"ill": "target"})
    assert "No positive class" in AppState(table=table).problem()


def test_training_and_test_rows_share_no_row_and_miss_none():
    state = AppState(table=load_sample("breast_cancer"))
    train, test = state.rows()
    assert sorted([*train, *test]) == list(range(569))
    assert len(test) == round(0.3 * 569)


def test_the_split_keeps_the_class_shares():
    state = AppState(table=load_sample("credit"))
    shares = [part[1].eq(state.positive).mean() for part in (state.training, state.testing)]
    assert shares[0] == pytest.approx(shares[1], abs=0.01)


def test_the_same_seed_gives_the_same_rows():
    first, second = (AppState(table=small(), split=SplitSpec(0.3, seed)) for seed in (3, 3))
    np.testing.assert_array_equal(first.rows()[1], second.rows()[1])


def test_whole_groups_stay_on_one_side():
    table = small(group=np.arange(40) // 4).with_roles({"group": "group"})
    state = AppState(table=table)
    train, test = state.rows()
    assert not set(state.groups[train]) & set(state.groups[test])


def test_rows_without_a_target_are_left_out_and_numbers_kept():
    table = small()
    frame = table.frame.copy()
    frame.loc[[0, 5], "ill"] = None
    state = AppState(
        table=Table.from_frame(frame).with_roles({"ill": "target"}, positive_label="yes")
    )
    X, _ = state.data
    assert len(X) == 38
    assert 5 not in X.index


def test_several_classes_become_two():
    state = AppState(table=load_sample("iris"))
    assert state.other_label == "not virginica"
    assert state.data[1].value_counts().to_dict() == {"not virginica": 100, "virginica": 50}


def test_a_class_of_one_row_cannot_be_split():
    frame = pd.DataFrame({"a": range(12), "b": [1, 2] * 6, "ill": ["x"] * 11 + ["y"]})
    table = Table.from_frame(frame).with_roles({"ill": "target"}, positive_label="y")
    with pytest.raises(DataError, match=r"'y' has one\. Set the test share to 0"):
        AppState(table=table).rows()
    assert len(AppState(table=table, split=SplitSpec(0)).rows()[0]) == 12


def test_weights_follow_the_rows():
    table = small(w=np.arange(40) / 10).with_roles({"w": "weight"})
    state = AppState(table=table)
    np.testing.assert_allclose(state.sample_weight, state.data[0].index / 10)


@pytest.mark.parametrize(
    "other",
    [
        AppState(table=small(41)),
        AppState(table=small().with_roles({"a": "ignore"})),
        AppState(table=small().with_roles({}, positive_label="no")),
        AppState(table=small(), split=SplitSpec(0.2)),
        AppState(table=small(), binning=BinningSpec("tree")),
    ],
    ids=["cells", "roles", "class", "split", "cuts"],
)
def test_whatever_changes_the_fit_changes_its_key(other):
    assert other.fit_key != AppState(table=small()).fit_key


def test_one_changed_cell_of_a_large_table_changes_the_key():
    frame = pd.DataFrame({"a": np.arange(120_000) % 97, "ill": ["x", "y"] * 60_000})
    edited = frame.copy()
    edited.loc[77_777, "a"] = 1_000
    keys = {AppState(table=Table.from_frame(f)).fit_key for f in (frame, edited)}
    assert len(keys) == 2


def test_words_for_people_do_not_change_the_key():
    state = AppState(table=small(), wording={"a": Wording("Age", "years")}, notes="x")
    assert state.fit_key == AppState(table=small()).fit_key
    assert (state.label("a"), state.unit("a"), state.label("ill")) == ("Age", "years", "ill")
