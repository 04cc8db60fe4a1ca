"""Add conditions to a rule that a person wrote, each the one that corrects the most rows."""

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import clone

from rulekit.binning import Binarizer
from rulekit.data.typed import as_pandas
from rulekit.exceptions import RuleError
from rulekit.rules import Clause, RuleSet
from rulekit.rules.rule_set import rule_of

LEAST = 1e-9  # weight of rows; less is rounding


def improve_rule(
    model: Any,
    X: Any,
    y: ArrayLike,
    *,
    n_conditions: int = 2,
    binarizer: Binarizer | None = None,
    sample_weight: ArrayLike | None = None,
) -> list[RuleSet]:
    r"""Add conditions to a rule, one at a time, and keep all that it has.

    A condition narrows a clause, or is a new last clause. The one that corrects the most weight of
    rows is added; of equal ones the first, by clause, then by column and cut point.

    Parameters
    ----------
    model : RuleSet or fitted model
        A rule of conditions on columns, also of several classes.
    X : data frame of shape (n, d)
        The training rows.
    y : array of shape (n,)
        Their classes.
    n_conditions : int, default=2
        Most conditions to add.
    binarizer : Binarizer, default=None
        Not fitted: which conditions are tried; None for its defaults.
    sample_weight : array of shape (n,), default=None
        Weights of the rows, not negative; None for 1 each.

    Returns
    -------
    list of RuleSet
        A DNF with one condition more than the rule, with two more, and so on; shorter, or empty, as
        soon as no condition corrects a row more than it spoils.

    Raises
    ------
    RuleError
        If the rule has sums, points or formulas.

    Notes
    -----
    Cost is O(n (k d + c)) a condition for k clauses, d columns and c conditions of the binarizer.
    The rows that choose a condition also measure it: look at the error of test rows.

    Examples
    --------
    >>> import pandas as pd
    >>> from rulekit.export import from_text
    >>> X = pd.DataFrame({"age": [30, 60, 60, 70], "bmi": [20.0, 20.0, 31.0, 33.0]})
    >>> rule = from_text("IF age > 50 THEN ill\nOTHERWISE well")
    >>> (better,) = improve_rule(rule, X, ["well", "well", "ill", "ill"])
    >>> str(better.clauses[0].literals[-1])
    'bmi > 20'
    """
    rule = rule_of(model).as_dnf
    if any(condition.tests != (condition,) for condition in rule.conditions):
        raise RuleError("Only a rule of conditions on single columns can be improved.")
    X, y = as_pandas(X), np.asarray(y, dtype=object)
    table = clone(binarizer or Binarizer()).fit(X, y).transform(X)
    weight = np.ones(len(y)) if sample_weight is None else np.asarray(sample_weight, dtype=float)
    rules: list[RuleSet] = []
    for _ in range(n_conditions):
        fired = rule.clauses_fired(X)
        wrong = rule.answers(fired) != y
        deciding = fired & (fired.cumsum(axis=1) == 1)
        changes, gains = [], []
        for k in range(rule.n_clauses):  # rows that a narrower clause leaves to those after it
            without = fired.copy()
            without[:, k] = False
            saved = weight * deciding[:, k] * (wrong * 1.0 - (rule.answers(without) != y))
            changes.append((k, rule.labels[k]))
            gains.append(saved.sum() - table.sums(saved))
        rest = weight * ~fired.any(axis=1)
        for label in sorted(set(y) - {rule.default}, key=str):
            changes.append((rule.n_clauses, label))
            gains.append(table.sums(rest * (wrong * 1.0 - (y != label))))
        if max(map(np.max, gains), default=0.0) <= LEAST:
            break
        best, j = np.unravel_index(np.argmax(gains), np.shape(gains))
        k, label = changes[best]
        clauses, labels = [*rule.clauses, Clause(())], [*rule.labels, label]
        clauses[k] = Clause((*clauses[k].conditions, table.literals[j]))
        n = max(rule.n_clauses, k + 1)
        rule = replace(rule, clauses=tuple(clauses[:n]), labels=tuple(labels[:n]))
        rules.append(rule)
    return rules
