"""The front's table: sizes as the text beside it tells them."""

from ui.learners.spec import RunSpec
from ui.models import front
from ui.models.points import RunResult


def row(fold, conditions):
    return {
        "setting": 0,
        "learner": "TwoLevelRuleClassifier",
        "method": "search",
        "fold": fold,
        "test_error": 0.1,
        "train_error": 0.1,
        "n_conditions": conditions,
        "n_clauses_used": conditions,
        "objective": 1.0,
        "seconds": 0.1,
    }


def test_a_mean_size_has_one_digit_in_the_table_of_the_front(monkeypatch):
    spec = RunSpec(thetas=(1.0,), clauses=(1, 1), against=False, robust=False, doubting=False)
    found = RunResult(tuple(row(fold, size) for fold, size in enumerate((0.0, 1.0, 1.0))), spec)
    shown = []
    monkeypatch.setattr(front, "pick_row", lambda table, *_, **__: shown.append(table))
    x, y = "n_conditions", "test_error"
    front._table(found, found.on_axes(x, y), x, y, None)
    (table,) = shown
    assert table.loc[0, ["conditions", "clauses"]].tolist() == [0.7, 0.7]
