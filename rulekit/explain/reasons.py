"""Reason codes of a scorecard: which columns decide a case the most, by points."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from rulekit.explain.subject import columns_for, value_at
from rulekit.rules import scorecard_of
from rulekit.rules.points_split import list_sums
from rulekit.rules.rule_set import rule_of
from rulekit.style.phrases import PLAIN, Wording, count_noun, show_value


@dataclass(frozen=True)
class Reason:
    """A column that decides a case.

    Attributes
    ----------
    feature : str
    points : int
        The points of the case from this column.
    off : int
        By how much they are below the most of the column, of a case whose total reaches the highest
        range above the least.
    text : str
    """

    feature: str
    points: int
    off: int
    text: str


def rank_reasons(
    model: Any, X: Any, *, most: int = 4, wording: Wording = PLAIN
) -> list[tuple[Reason, ...]]:
    """Rank the columns that decide each case of a scorecard, the most points first.

    For a case below the highest range of totals these are the columns that cost the most points;
    for a case in that range, the columns that give the most.

    Parameters
    ----------
    model : fitted model or RuleSet
    X : DataFrame, array or mapping of column name to array, n rows
    most : int, default=4
        Reasons of a case at most.
    wording : Wording
        Display names of columns, and names of conditions, which replace column and value.

    Returns
    -------
    list of tuple of Reason, length n
        Ties are in the order of the conditions. Empty tuples if the rule is no scorecard.

    Raises
    ------
    DataError
        If the table lacks a column.

    Examples
    --------
    >>> import pandas as pd
    >>> from rulekit.rules import Clause, Literal, PointsSplit, RuleSet
    >>> split = PointsSplit((Literal("age", ">", 60), Literal("bp", ">", 140)), (3, 2), 5)
    >>> rule = RuleSet((Clause((split,)),), ("ill",), "dnf", "well")
    >>> for reason in rank_reasons(rule, pd.DataFrame({"age": [50], "bp": [120]}))[0]:
    ...     print(reason.text)
    age 50: 0 points, 3 below the most
    bp 120: 0 points, 2 below the most
    """
    rule = rule_of(model)
    columns, splits, wording = columns_for(model, X), scorecard_of(rule), wording.for_rule(rule)
    if not splits:
        return [()] * len(next(iter(columns.values()), ()))
    is_top = splits[0].mask(columns)
    scales = splits[0].scales
    tests = [given[0][0] for given in scales]
    holds = {c: c.mask(columns) for given in scales for c, _ in given}
    given_points = np.array([sum(p * holds[c] for c, p in given) for given in scales])
    sums = list(map(list_sums, scales))
    lowest, highest = (np.array([[end(s)] for s in sums]) for end in (min, max))
    off = np.where(is_top, given_points - lowest, highest - given_points)
    ranked = np.argsort(-off, axis=0, kind="stable")[:most]

    def reason(k: int, row: int) -> Reason:
        test, points, by = tests[k], int(given_points[k, row]), int(off[k, row])
        cell = show_value(value_at(columns[test.feature], row), wording=wording)
        side = "above the least" if is_top[row] else "below the most"
        texts = [(holds[c][row], wording.texts.get(str(c))) for c, _ in scales[k]]
        named = [("" if held else "not ") + text for held, text in texts if text is not None]
        lead = ", ".join(named) or f"{wording.subject(test)} {cell}"
        text = f"{lead}: {count_noun(points, 'point')}, {by} {side}"
        return Reason(test.feature, points, by, text)

    rows = range(ranked.shape[1])
    return [tuple(reason(k, row) for k in ranked[:, row] if off[k, row]) for row in rows]
