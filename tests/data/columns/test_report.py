"""What a table holds that no training row held."""

from functools import partial

import numpy as np
import pytest

from rulekit import BoxSearchClassifier, explain, from_json, to_json
from rulekit.data import conform, infer
from rulekit.data.columns.report import respell
from rulekit.exceptions import UnseenValuesWarning

BEFORE = {
    "x": [1.0, 5.0, 3.0],
    "t": ["A1", "B2", "A1"],
    "d": ["2024-01-01", "2024-02-01", "2024-01-05"],
}


def unseen(**columns):
    schema = infer(BEFORE).take(columns)
    return conform(columns, schema)[1].unseen


def test_only_what_training_did_not_hold_is_reported():
    result = unseen(x=[None, 7.0, 2.0, -1.0], t=["A1", "a1", "C3", "C3"], d=["2025-01-01"] * 4)
    assert [(u.column, u.kind, u.n_rows, u.first) for u in result] == [
        ("x", "gap", 1, 0),
        ("x", "range", 2, 1),
        ("t", "level", 3, 1),
        ("d", "range", 4, 0),
    ]
    assert result[2].values == {"C3": 2, "a1": 1}
    assert result[2].respelled == {"a1": "A1"}
    assert "outside the training range 1 to 5 in 2 rows (first: row 2, 7)" in result[1].sentence
    assert "'C3' (2), 'a1' (1). Only case or spaces differ in 'a1' for 'A1'" in result[2].sentence
    assert result[2].to_dict()["rows"] == 3
    assert unseen(**BEFORE) == ()
    assert unseen(t=["{A1}"])[0].sentence.count("{A1}") == 1
    (aware,) = unseen(d=["2024-01-03T00:00:00Z"])
    assert aware.sentence.endswith("it is read in UTC.")
    schema = infer({"d": ["2024-01-01T00:00:00Z", "2024-02-01T00:00:00Z"]})
    (naive,) = conform({"d": ["2024-01-03"]}, schema)[1].unseen
    assert naive.kind == "zone"
    near = unseen(x=[-3.0, 9.0, None], d=["2023-12-01", "2024-03-02", "2024-01-09"])
    assert [(u.kind, u.warns) for u in near] == [("gap", True), ("range", False), ("range", False)]
    for far in ({"x": [9.1]}, {"x": [-1e308]}, {"d": ["9999-12-31"]}, {"d": ["0001-01-01"]}):
        assert [u.warns for u in unseen(**far)] == [True]


@pytest.mark.parametrize("way", ["predict", "predict_proba", "saved", "score", "explain"])
def test_a_call_warns_once_of_all_columns(way):
    rng = np.random.default_rng(13)
    t = rng.choice(["A1", "B2"], 200)
    X = {"t": t, "x": rng.normal(size=200)}
    y = np.where((t == "A1") & (X["x"] > 0), "p", "q")
    model = BoxSearchClassifier(theta=0.5).fit(X, y)
    rule = from_json(to_json(model))
    assert rule.schema.classes == ("p", "q")
    explained = getattr(explain, way, None)
    call = partial(explained, rule) if explained else getattr(model, way, rule.predict)
    with pytest.warns(UnseenValuesWarning, match="'t' holds levels.* 'x' lies outside") as caught:
        call({"t": np.char.lower(t), "x": X["x"] * 99})
    assert [warning.filename for warning in caught] == [__file__]


def test_only_one_known_level_is_offered():
    assert respell(["a 1", "c"], ("A1", "C", "c ")) == {"a 1": "A1"}
