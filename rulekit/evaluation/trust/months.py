"""Errors of a rule by month, and the share that it predicts."""

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from rulekit.data.typed import read_labels
from rulekit.exceptions import DataError
from rulekit.rules import wilson_interval
from rulekit.rules.rule_set import rule_of


def errors_by_month(model: Any, X: Any, y: ArrayLike, time: ArrayLike) -> pd.DataFrame:
    """Count rows, errors and predictions of a rule in each month.

    Parameters
    ----------
    model : fitted rule model
    X : DataFrame, array or mapping of column name to array, n rows
    y : array-like of shape (n,)
        The true labels.
    time : array-like of shape (n,)
        The dates of the rows.

    Returns
    -------
    DataFrame
        A row a month with rows, in order: `month` ("2024-03"), `n`, `wrong`, `error` with its 95 %
        Wilson interval `low` to `high`, and the shares of the class described among the
        predictions (`predicted`) and labels (`actual`).

    Raises
    ------
    DataError
        If a row has no date.

    Examples
    --------
    >>> from rulekit import Clause, FixedRuleClassifier, Literal, RuleSet
    >>> rule = RuleSet((Clause((Literal("age", ">", 50),)),), ("ill",), "dnf", "well")
    >>> X, y = pd.DataFrame({"age": [60, 40, 70]}), ["ill", "ill", "ill"]
    >>> days = ["2024-03-01", "2024-03-31", "2024-04-01"]
    >>> errors_by_month(FixedRuleClassifier(rule), X, y, days)[["month", "n", "wrong", "predicted"]]
         month  n  wrong  predicted
    0  2024-03  2      1        0.5
    1  2024-04  1      0        1.0
    """
    dates = pd.DatetimeIndex(np.asarray(time))
    if dates.hasnans:
        raise DataError(f"{dates.isna().sum()} rows have no date. Remove them.")
    answers, truth = np.asarray(model.predict(X), dtype=object), read_labels(y).astype(object)
    rule = rule_of(model)
    described = (*rule.labels, rule.default)[0]
    rows = pd.DataFrame(
        {
            "month": dates.strftime("%Y-%m"),
            "wrong": answers != truth,
            "predicted": answers == described,
            "actual": truth == described,
        }
    )
    months = rows.groupby("month")
    table = months["wrong"].agg(n="size", wrong="sum").astype(int)
    table["error"] = table["wrong"] / table["n"]
    spans = [wilson_interval(wrong, n) for wrong, n in zip(table["wrong"], table["n"], strict=True)]
    table[["low", "high"]] = np.array(spans)
    return table.join(months[["predicted", "actual"]].mean()).reset_index()
