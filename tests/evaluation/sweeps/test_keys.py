"""Keys of tasks: equal for equal tasks, different as soon as anything differs."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
import pytest

from rulekit.evaluation.sweeps import keys
from tests.evaluation.learners import Stump


@dataclass(frozen=True)
class Limits:
    forbidden: tuple = ()


def frame(**columns):
    return pd.DataFrame(columns)


def test_equal_work_has_one_name_of_nested_values():
    one = keys.work_key("data", Stump(column=1), {"theta": 0.5, "pause": 0.0}, "fold")
    two = keys.work_key("data", Stump(column=np.int64(1)), {"pause": 0.0, "theta": 0.5}, "fold")
    assert one == two
    one = keys.work_key("data", Stump(theta=3.0), {"theta": 0.5}, "fold")
    assert one == keys.work_key("data", Stump(theta=7.0), {"theta": 0.5}, "fold")
    value = {"inner": Stump(), "limits": Limits(("a",)), "set": {2, 1}, "array": np.arange(3)}
    assert keys.plain_form(value) == keys.plain_form(dict(reversed(value.items())))
    assert keys.plain_form(Limits(("a",))) != keys.plain_form(Limits(("b",)))
    assert keys.plain_form(np.arange(3)) != keys.plain_form(np.arange(3.0))
    with pytest.raises(
        ValueError, match=r"'column' holds a function\. Give plain values, or sweep"
    ):
        keys.work_key("data", Stump(column=lambda: 0), {}, "fold")
    X = frame(a=[1.0, 2.0])
    digests = {
        keys.data_digest(X, [0, 1]),
        keys.data_digest(X, [1, 0]),
        keys.data_digest(X, ["0", "1"]),
        keys.data_digest(X, [0, 1], [1.0, 1.0]),
        keys.data_digest(X, [0, 1], [1.0, 2.0]),
    }
    assert len(digests) == 5
    assert keys.data_digest(X, [0, 1]) == keys.data_digest(X.set_axis([7, 8]), [0, 1])


@pytest.mark.parametrize(
    "other",
    [
        ("other", Stump(), {"theta": 0.5}, "fold"),
        ("data", Stump(column=2), {"theta": 0.5}, "fold"),
        ("data", Stump(), {"theta": 0.25}, "fold"),
        ("data", Stump(), {"theta": 0.5}, "other"),
        ("data", Stump(column=(0,)), {"theta": 0.5}, "fold"),
        ("data", Stump(column=True), {"theta": 0.5}, "fold"),
    ],
)
def test_anything_that_differs_changes_the_name(other):
    assert keys.work_key(*other) != keys.work_key("data", Stump(), {"theta": 0.5}, "fold")


def test_another_code_version_changes_the_name(monkeypatch):
    before = keys.work_key("data", Stump(), {}, "fold")
    monkeypatch.setattr(keys, "code_version", lambda: "another")
    assert keys.work_key("data", Stump(), {}, "fold") != before


@pytest.mark.parametrize(
    ("one", "two"),
    [
        (frame(a=[True, False]), frame(a=["True", "False"])),
        (frame(a=pd.Series([True, None], dtype=object)), frame(a=["True", None])),
        (frame(a=["x", None]), frame(a=["x", "None"])),
        (frame(a=[1.0, 2.0]), frame(a=[2.0, 1.0])),
        (frame(a=[1.0, 2.0]), frame(b=[1.0, 2.0])),
    ],
)
def test_tables_that_differ_have_different_digests(one, two):
    assert keys.data_digest(one, [0, 1]) != keys.data_digest(two, [0, 1])
