"""Errors by month: counted as a person counts them."""

import numpy as np
import pandas as pd
import pytest

from rulekit import Clause, DataError, FixedRuleClassifier, Literal, RuleSet
from rulekit.evaluation import errors_by_month
from rulekit.rules import wilson_interval

RULE = RuleSet((Clause((Literal("age", ">", 50),)),), ("ill",), "dnf", "well")
MODEL = FixedRuleClassifier(RULE)


def table():
    rng = np.random.default_rng(2)
    X = pd.DataFrame({"age": rng.integers(20, 80, 200)})
    y = np.where(rng.random(200) < 0.3, "ill", "well")
    return X, y, pd.Timestamp("2023-11-01") + pd.to_timedelta(rng.integers(0, 120, 200), "D")


def test_months_are_counted_one_by_one():
    X, y, days = table()
    result = errors_by_month(MODEL, X, y, days)
    assert result["month"].tolist() == ["2023-11", "2023-12", "2024-01", "2024-02"]
    for row in result.itertuples():
        rows = [i for i, day in enumerate(days) if f"{day:%Y-%m}" == row.month]
        answers = ["ill" if X["age"][i] > 50 else "well" for i in rows]
        wrong = sum(a != y[i] for a, i in zip(answers, rows, strict=True))
        assert (row.n, row.wrong, row.error) == (len(rows), wrong, wrong / len(rows))
        assert (row.low, row.high) == wilson_interval(wrong, len(rows))
        assert row.predicted == answers.count("ill") / len(rows)
        assert row.actual == sum(y[rows] == "ill") / len(rows)


def test_rows_without_date_are_rejected():
    X, y, days = table()
    with pytest.raises(DataError, match="1 rows have no date"):
        errors_by_month(MODEL, X, y, days.where(np.arange(200) > 0))
