"""What a comparison has found: points, progress, and results that are added to."""

import pytest

from rulekit.evaluation import Comparison, Family, compare_learners
from tests.evaluation.learners import Stump, noisy_table


def row(setting, fold, error=0.5):
    return {
        "setting": setting,
        "learner": "stump",
        "theta": float(setting),
        "fold": fold,
        "test_error": error,
        "done": 1,
    }


def family(name="stump", n=3):
    return Family(name, Stump(), {"theta": [float(k) for k in range(n)]})


def test_points_are_whole_unless_requested_otherwise():
    found = Comparison((family(),), 2, "", tuple(row(*pair) for pair in ((0, 0), (0, 1), (1, 0))))
    assert found.points()["setting"].tolist() == [0]
    assert found.points(whole=False)["setting"].tolist() == [0, 1]
    assert found.progress == {"stump": (3, 6)}
    assert not found.is_complete


def test_first_pass_point_stays_until_all_folds_are_complete():
    first = tuple(row(k, fold, 0.4) for k in (0, 1) for fold in (0, 1))
    found = Comparison((family(),), 2, "", (row(0, 0), row(0, 1), row(1, 0)), first)
    assert found.points()["test_error"].tolist() == [0.5, 0.4]
    assert found.is_draft
    assert found.points()["folds"].tolist() == [2, 2]
    done = Comparison((family(),), 2, "", (*found.finished, row(1, 1)), first)
    assert not done.is_draft
    assert done.points()["test_error"].tolist() == [0.5, 0.5]


def test_nothing_found_has_no_points():
    found = Comparison((family(),), 2, "")
    assert found.points().empty
    assert found.n_fits == 6
    assert not found.is_draft


@pytest.mark.slow
def test_added_results_keep_figures_models_and_learner():
    X, y = noisy_table()
    one = compare_learners(X, y, learners={"a": (Stump(), {"theta": [0.0, 0.5]})}, cv=3)
    two = compare_learners(
        X, y, learners={"b": (Stump(column=1), {"theta": [0.1]})}, cv=3, references=True
    )
    both = one.join(two, one)
    assert both.progress == {"a": (12, 12), "b": (3, 3)}
    points = both.points()
    assert points["setting"].tolist() == [0, 1, 2, 3, 4]
    assert points["learner"].tolist() == ["a", "a", "b", "a", "a"]
    assert points["test_error"].tolist()[2] == two.points()["test_error"].tolist()[0]
    assert both.settings[2] == {"theta": 0.1}
    assert both.result.model(2).column == 1
    assert both.references is two.references
    assert both.is_complete


def test_models_of_all_rows_are_numbered_with_their_settings():
    one = Comparison((family(),), 2, "x", models={1: "mine"})
    two = Comparison((family("other", 2),), 2, "x", models={0: "yours"}, part_of_rows=(5, 9))
    both = one.join(two)
    assert both.models == {1: "mine", 3: "yours"}
    assert both.part_of_rows == (5, 9)


def test_other_rows_or_folds_are_not_put_on_one_curve():
    X, y = noisy_table()
    stump = {"a": (Stump(), {"theta": [0.0]})}
    one = compare_learners(X, y, learners=stump, cv=3)
    for other in (
        compare_learners(X, y, learners=stump, cv=4),
        compare_learners(X[:-1], y[:-1], learners=stump, cv=3),
        compare_learners(X, y, learners=stump, cv=3, random_state=1),
    ):
        with pytest.raises(ValueError, match="comparison 1 differs"):
            one.join(other)


def test_estimates_of_a_forest_are_columns_of_the_points():
    rows = tuple(row(k, fold) for k in (0, 1) for fold in (0, 1))
    one = Comparison((family(n=2),), 2, "x", rows, estimates={1: (0.25, 3.0)})
    assert one.points()["forest_loss"].tolist()[1] == 0.25
    assert one.points()["forest_loss"].isna().tolist() == [True, False]
    assert one.join(one).estimates == {1: (0.25, 3.0), 3: (0.25, 3.0)}
    assert "forest_loss" not in Comparison((family(n=2),), 2, "x", rows).points()


def test_a_family_without_a_whole_setting_is_missed():
    rows = (row(0, 0), row(0, 1), {**row(3, 0), "learner": "other"})
    found = Comparison((family(), family("other")), 2, "x", rows)
    assert found.missed == ("other",)
    assert Comparison((family(),), 2, "x").missed == ("stump",)
