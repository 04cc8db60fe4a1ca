"""Metrics of a rule by groups of rows: rates with intervals, and gaps between groups."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from rulekit._frames import as_pandas
from rulekit.data.groups import FEW, GROUP_MEASURES, RowGroups, row_groups
from rulekit.exceptions import DataError
from rulekit.rules import wilson_interval


@dataclass(frozen=True)
class Gap:
    """The largest difference of one rate between two groups, with Newcombe's 95 % interval.

    The interval does not account for the selection of the two extreme groups among many.
    """

    measure: str
    high: str
    low: str
    high_share: float
    low_share: float
    interval: tuple[float, float]

    @property
    def size(self) -> float:
        """The difference, from 0 to 1."""
        return self.high_share - self.low_share

    @property
    def by_chance(self) -> bool:
        """Whether the interval includes no difference."""
        return self.interval[0] <= 0


@dataclass(frozen=True, eq=False)
class GroupMetrics:
    """Result of `group_metrics`.

    Attributes
    ----------
    name : str
        What the rows are grouped by.
    positive : label
        The class that counts as positive.
    table : DataFrame
        One row per group, named in the index: ``rows``, ``positives``, ``negatives`` (counts, not
        weighted), and under each name of `GROUP_MEASURES` the weighted share, from 0 to 1, with its
        95 % interval (Wilson's) under ``_low`` and ``_high``. A share of no rows is NaN.
    overall : Series
        The same for all rows.
    gaps : dict of str to Gap
        The largest gap of each measure, among groups with enough rows to be compared; no entry if
        fewer than two have enough.
    few : int
        Number of rows that a share needs to be compared.
    """

    name: str
    positive: Any
    table: pd.DataFrame
    overall: pd.Series
    gaps: Mapping[str, Gap]
    few: int

    @property
    def small(self) -> dict[str, tuple[str, ...]]:
        """The groups of each measure with too few rows to be compared."""
        return {
            measure: tuple(self.table.index[self.table[among] < self.few])
            for measure, among in GROUP_MEASURES.items()
        }

    def sentences(self) -> list[str]:
        """Return the gaps, largest first, and the groups too small to be compared, as sentences."""
        sentences = [self._about(gap) for gap in sorted(self.gaps.values(), key=lambda g: -g.size)]
        alike: dict[tuple[str, ...], list[str]] = {}
        for measure, groups in self.small.items():
            if groups:
                alike.setdefault(groups, []).append(share_words(measure, self.positive))
        for groups, shares in alike.items():
            sentences.append(
                f"Few rows: a share is compared from {self.few} rows on; {' and '.join(shares)} "
                f"are counted on fewer where {self.name} is {' or '.join(groups)}."
            )
        for measure in GROUP_MEASURES:
            if measure not in self.gaps:
                sentences.append(
                    f"{share_words(measure, self.positive)} are not compared: fewer than two "
                    f"groups have {self.few} rows or more."
                )
        return sentences

    def _about(self, gap: Gap) -> str:
        words, size = share_words(gap.measure, self.positive), f"{100 * gap.size:.1f} points"
        low, high = (f"{100 * end:.1f}" for end in gap.interval)
        chance = ", so chance alone may explain it" if gap.by_chance else ""
        return (
            f"{words}: {gap.high} {100 * gap.high_share:.1f} %, {gap.low} "
            f"{100 * gap.low_share:.1f} %. A gap of {size} (95 % interval {low} to {high}{chance})."
        )


def share_words(measure: str, positive: Any) -> str:
    """Return the standard name of a share of `GROUP_MEASURES`, for a class called positive."""
    return {
        "error": "Error",
        "found": f"True positive rate of {positive}",
        "false_alarms": f"False positive rate of {positive}",
        "called_positive": f"Predicted {positive}",
    }[measure]


def group_metrics(
    model: Any,
    X: pd.DataFrame,
    y: ArrayLike,
    group: str | ArrayLike | RowGroups,
    *,
    positive: Any = None,
    sample_weight: ArrayLike | None = None,
    few: int = FEW,
) -> GroupMetrics:
    """Compute error and prediction rates of a rule by group.

    Parameters
    ----------
    model : RuleSet or fitted classifier
        Any model with ``predict``.
    X : DataFrame of shape (n, p)
        Rows with the columns that it reads; further ones are ignored.
    y : array-like of shape (n,)
        True classes.
    group : str, array-like of shape (n,) or RowGroups
        What to group by: the name of a column of `X`, whether the rule reads it or not, or the
        values of another one, preferably as a Series with a name. Numbers with many values are
        binned, rows without a value form the group "missing"; `rulekit.data.row_groups` makes
        groups with other bins.
    positive : label, default=None
        The class that counts as positive. None for the class that the rule describes, if there is
        exactly one.
    sample_weight : array-like of shape (n,), default=None
        Weights of rows in shares. Intervals then use the effective number of rows, the squared sum
        of the weights over the sum of their squares (Kish, Survey Sampling, 1965).
    few : int, default=30
        Shares counted on fewer rows are left out of gaps.

    Returns
    -------
    GroupMetrics

    Raises
    ------
    DataError
        If the column is not there or cannot be grouped, lengths differ, or a class is missing.
    ValueError
        If `positive` is needed and not given, or is no class; or another parameter is invalid.

    Notes
    -----
    Intervals of shares are Wilson's; the interval of a gap is Newcombe's (Statistics in Medicine
    17, 1998, method 10).

    Examples
    --------
    >>> from rulekit.rules import Clause, Literal, RuleSet
    >>> rule = RuleSet((Clause((Literal("income", ">", 2.5),)),), ("good",), "dnf", "bad")
    >>> X = pd.DataFrame({"income": [1, 3, 4, 2, 5, 6], "sex": list("ffffmm")})
    >>> found = group_metrics(rule, X, ["bad", "bad", "good", "good", "good", "bad"], "sex", few=1)
    >>> found.table[["rows", "error", "called_positive"]]
         rows  error  called_positive
    sex
    f       4    0.5              0.5
    m       2    0.5              1.0
    >>> found.gaps["called_positive"].size
    0.5
    """
    if isinstance(few, bool) or not isinstance(few, (int, np.integer)) or few < 1:
        raise ValueError(f"`few` must be a whole number of rows, 1 or more; got {few!r}.")
    X = as_pandas(X)
    groups = _grouping(X, group)
    truth = np.asarray(y, dtype=object)
    weight = np.ones(len(X)) if sample_weight is None else np.asarray(sample_weight, dtype=float)
    _check_rows(len(X), {"`y`": truth, "`group`": groups.codes, "`sample_weight`": weight})
    answers = np.asarray(model.predict(X), dtype=object)
    positive = _positive(model, positive, {*truth.tolist(), *answers.tolist()})
    table, overall = _shares(
        np.equal(truth, positive).astype(bool),
        np.equal(answers, positive).astype(bool),
        np.not_equal(truth, answers).astype(bool),
        groups,
        weight,
    )
    gaps = {m: gap for m in GROUP_MEASURES if (gap := _largest_gap(table, m, few)) is not None}
    return GroupMetrics(groups.name, positive, table, overall, gaps, int(few))


def _grouping(X: pd.DataFrame, group: Any) -> RowGroups:
    if isinstance(group, RowGroups):
        return group
    if not isinstance(group, str):
        return row_groups(group, str(getattr(group, "name", None) or "the group"))
    if group not in getattr(X, "columns", ()):
        raise DataError(
            f"`group` names column {group[:60]!r}, which the table does not have. Correct the "
            "name, or give the column's values."
        )
    return row_groups(X[group], group)


def _check_rows(n: int, given: Mapping[str, Any]) -> None:
    for name, values in given.items():
        if len(values) != n:
            raise DataError(
                f"{name} must have a value for each of the {n} rows; it has {len(values)}."
            )
    absent = np.asarray(pd.isna(given["`y`"]))
    if absent.any():
        raise DataError(
            f"`y` must hold a class in every row; it is missing in {absent.sum()} of {n} rows "
            f"(first: row {int(absent.argmax()) + 1}). Leave these rows out."
        )
    weight = given["`sample_weight`"]
    if not np.isfinite(weight).all() or (weight < 0).any():
        raise DataError("`sample_weight` must be finite and not negative. Correct or omit it.")


def _positive(model: Any, positive: Any, classes: set[Any]) -> Any:
    """Return the class that counts as positive."""
    rule = getattr(model, "rule_set_", model)
    classes |= set(getattr(model, "classes_", getattr(rule, "classes", ())))
    if positive is None:
        described = {getattr(model, "positive_label_", None), *getattr(rule, "labels", ())} - {None}
        if len(described) != 1 or len(classes) > 2:
            shown = ", ".join(sorted(map(repr, classes)))
            raise ValueError(
                "True and false positives are counted for one class. Set `positive` to one of "
                f"{shown}."
            )
        (positive,) = described
    if positive not in classes:
        shown = ", ".join(sorted(map(repr, classes)))
        raise ValueError(f"`positive` must be one of the classes ({shown}), got {positive!r}.")
    return positive


def _shares(
    true: NDArray[np.bool_],
    called: NDArray[np.bool_],
    wrong: NDArray[np.bool_],
    groups: RowGroups,
    weight: NDArray[np.float64],
) -> tuple[pd.DataFrame, pd.Series]:
    """Count rows and rates by group and in total."""
    counted = _counted(groups, true=true, called=called, wrong=wrong, weight=weight)
    figures = [_figures(row) for _, row in counted.iterrows()]
    shares = pd.DataFrame(figures, index=pd.Index([*groups.labels, "all"], name=groups.name))
    shares = shares.astype(dict.fromkeys(("rows", "positives", "negatives"), int))
    return shares.iloc[:-1], shares.iloc[-1].rename("all")


def _counted(groups: RowGroups, *, true: Any, called: Any, wrong: Any, weight: Any) -> pd.DataFrame:
    """Sum rows and weights of each group, and of all rows in the last row."""
    among = {"rows": np.ones(len(true), dtype=bool), "positives": true, "negatives": ~true}
    part = {
        "error": wrong,
        "found": true & called,
        "false_alarms": ~true & called,
        "called_positive": called,
    }
    terms = {name: mask.astype(float) for name, mask in among.items()}
    terms |= {f"weight of {name}": weight * mask for name, mask in among.items()}
    terms |= {f"square of {name}": weight**2 * mask for name, mask in among.items()}
    terms |= {name: weight * mask for name, mask in part.items()}
    sums = {
        name: np.r_[np.bincount(groups.codes, term, len(groups.labels)), term.sum()]
        for name, term in terms.items()
    }
    return pd.DataFrame(sums)


def _figures(sums: pd.Series) -> dict[str, float]:
    """Convert the sums of a group to counts and rates."""
    figures = {name: sums[name] for name in ("rows", "positives", "negatives")}
    for measure, among in GROUP_MEASURES.items():
        whole, square = sums[f"weight of {among}"], sums[f"square of {among}"]
        share = sums[measure] / whole if whole > 0 else math.nan
        effective = whole**2 / square if square > 0 else 0.0
        figures[measure] = share
        low, high = wilson_interval(share * effective, effective)
        figures[f"{measure}_low"], figures[f"{measure}_high"] = low, high
    return figures


def _largest_gap(table: pd.DataFrame, measure: str, few: int) -> Gap | None:
    """Find the groups with the largest difference, among those with enough rows."""
    rows = table[(table[GROUP_MEASURES[measure]] >= few) & table[measure].notna()]
    if len(rows) < 2:
        return None
    high, low = str(rows[measure].idxmax()), str(rows[measure].idxmin())
    p, p_low, p_high = rows.loc[high, [measure, f"{measure}_low", f"{measure}_high"]]
    q, q_low, q_high = rows.loc[low, [measure, f"{measure}_low", f"{measure}_high"]]
    interval = (
        float(p - q - math.hypot(p - p_low, q_high - q)),
        float(p - q + math.hypot(p_high - p, q - q_low)),
    )
    return Gap(measure, high, low, float(p), float(q), interval)
