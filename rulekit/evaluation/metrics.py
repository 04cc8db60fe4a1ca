"""Metrics of one fitted model: errors, calibration, and rates by groups of rows."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from rulekit.data import Costs
from rulekit.data.groups import FEW, GROUP_MEASURES, RowGroups, row_groups
from rulekit.data.typed import as_pandas, read_labels
from rulekit.exceptions import DataError
from rulekit.learners.choice import mark_counted
from rulekit.rules import wilson_interval

BANDS = 10


def error_rate(y: ArrayLike, predicted: ArrayLike, weight: ArrayLike | None = None) -> float:
    """Compute the share of rows, by weight, whose prediction is wrong; all arrays (n,)."""
    wrong = _array(predicted) != _array(y)
    return _share(np.asarray(wrong, dtype=float), _weights(weight, len(wrong)))


def balanced_error_rate(
    y: ArrayLike, predicted: ArrayLike, weight: ArrayLike | None = None
) -> float:
    """Compute the mean over the classes in `y` of the share of their rows that are wrong."""
    true, answers = _array(y), _array(predicted)
    weights = _weights(weight, len(true))
    of_class = [np.asarray(true == label, dtype=bool) for label in pd.unique(true)]
    shares = [error_rate(true[rows], answers[rows], weights[rows]) for rows in of_class]
    defined = [share for share in shares if not math.isnan(share)]
    return float(np.mean(defined)) if defined else math.nan


def confusion_counts(
    y: ArrayLike, predicted: ArrayLike, positive: Any, weight: ArrayLike | None = None
) -> dict[str, float]:
    """Count true and false positives and negatives of one class; all arrays (n,)."""
    true, called = (np.asarray(_array(v) == positive, dtype=bool) for v in (y, predicted))
    weights = _weights(weight, len(true))
    cells = {"tp": true & called, "fp": ~true & called, "fn": true & ~called, "tn": ~true & ~called}
    return {name: float(weights[mask].sum()) for name, mask in cells.items()}


def confusion_table(y: ArrayLike, predicted: ArrayLike, labels: Sequence[Any]) -> pd.DataFrame:
    """Count actual classes (rows) against predicted ones (columns), in the order of `labels`."""
    true, answers = np.asarray(y, dtype=object), np.asarray(predicted, dtype=object)
    counts = [[int(np.sum((true == a) & (answers == b))) for b in labels] for a in labels]
    return pd.DataFrame(counts, index=labels, columns=labels)


def f1_score(counts: Mapping[str, float]) -> float:
    """Compute the harmonic mean of precision and recall; NaN where neither is defined."""
    whole = 2 * counts["tp"] + counts["fp"] + counts["fn"]
    return 2 * counts["tp"] / whole if whole else math.nan


def cost_per_100(
    y: ArrayLike,
    predicted: ArrayLike,
    costs: Costs,
    weight: ArrayLike | None = None,
    positive: Any = None,
) -> float:
    """Compute the mean cost of wrong predictions per hundred rows; all arrays (n,)."""
    each = costs.compute(y, predicted, positive)
    return 100.0 * _share(each, _weights(weight, len(each)))


def area_under_roc(
    y: ArrayLike, scores: ArrayLike, positive: Any, weight: ArrayLike | None = None
) -> float:
    """Compute the area under the ROC curve, NaN if there is only one class; all arrays (n,)."""
    true = np.asarray(_array(y) == positive, dtype=bool)
    weights = _weights(weight, len(true))
    if not weights[true].sum() or not weights[~true].sum():
        return math.nan
    _, rank = np.unique(np.asarray(scores, dtype=float), return_inverse=True)
    hits = np.bincount(rank, weights * true)
    misses = np.bincount(rank, weights * ~true)
    below = np.cumsum(misses) - misses / 2  # an equal score counts half
    return float((hits * below).sum() / (hits.sum() * misses.sum()))


def _array(values: ArrayLike) -> NDArray[Any]:
    """Return labels as an array that compares element by element."""
    array = read_labels(values)
    return array.astype(object) if array.dtype.kind in "US" else array


def _weights(weight: ArrayLike | None, n: int) -> NDArray[np.float64]:
    return np.ones(n) if weight is None else np.asarray(weight, dtype=float)


def _share(values: NDArray[np.float64], weights: NDArray[np.float64]) -> float:
    whole = weights.sum()
    return float((values * weights).sum() / whole) if whole else math.nan


def brier_score(true: ArrayLike, chance: ArrayLike) -> float:
    """Compute the mean squared difference of probability and outcome.

    Parameters
    ----------
    true : array-like of bool, shape (n,)
        Whether the outcome is true.
    chance : array-like of float, shape (n,)
        The predicted probability.

    Returns
    -------
    float
        Between 0 and 1, smaller is better; predicting the frequency f for every row gives f (1 -
        f). NaN without rows.

    References
    ----------
    .. [1] G. W. Brier, "Verification of forecasts expressed in terms of probability", 1950.

    Examples
    --------
    >>> round(brier_score([True, False], [0.8, 0.4]), 3)
    0.1
    """
    happened, stated = _check_chances(true, chance)
    return float(np.mean((stated - happened) ** 2)) if len(stated) else np.nan


def reliability(true: ArrayLike, chance: ArrayLike) -> pd.DataFrame:
    """Compare predicted probabilities with observed frequencies by tenths.

    Parameters
    ----------
    true, chance
        As for `brier_score`.

    Returns
    -------
    DataFrame
        A row for each tenth of probability that has rows: `low` and `high` (it holds ``low``, and
        ``high`` only in the last), `rows`, `stated` (the mean probability), `share` (of the rows
        where it came true), and `low95`, `high95` (Wilson's 95 % interval of that share).

    Examples
    --------
    >>> found = reliability([True, False, True, True], [0.3, 0.35, 0.9, 0.95])
    >>> found[["low", "rows", "stated", "share"]].round(3).values.tolist()
    [[0.3, 2.0, 0.325, 0.5], [0.9, 2.0, 0.925, 1.0]]
    """
    happened, stated = _check_chances(true, chance)
    band = np.minimum((stated * BANDS + 1e-9).astype(int), BANDS - 1)
    bands = []
    for k in np.unique(band).tolist():
        n, share = int((band == k).sum()), float(happened[band == k].mean())
        means = float(stated[band == k].mean()), share
        bands.append((k / BANDS, (k + 1) / BANDS, n, *means, *wilson_interval(share * n, n)))
    names = ["low", "high", "rows", "stated", "share", "low95", "high95"]
    return pd.DataFrame(bands, columns=names)


def _check_chances(
    true: ArrayLike, chance: ArrayLike
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    happened, stated = np.asarray(true, dtype=float), np.asarray(chance, dtype=float)
    if stated.shape != happened.shape or not ((stated >= 0) & (stated <= 1)).all():
        raise ValueError(
            "`chance` must hold a probability, from 0 to 1, for each row of `true`; got shape "
            f"{stated.shape} for {happened.shape}, values like {stated.ravel()[:3].tolist()}."
        )
    return happened, stated


@dataclass(frozen=True)
class Gap:
    """The largest difference of one rate between two groups, with Newcombe's 95 % interval."""

    # Statistics in Medicine 17 (1998), method 10

    measure: str
    high: str
    low: str
    high_share: float
    low_share: float
    interval: tuple[float, float]  # ignores that the extreme groups were selected among many

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
        One row per group, named in the index: the counts ``rows``, ``positives``, ``negatives``,
        and under each name of `GROUP_MEASURES` the share, from 0 to 1, with its 95 % interval
        (Wilson's) under ``_low`` and ``_high``. A share of no rows is NaN.
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
        sentences = []
        for gap in sorted(self.gaps.values(), key=lambda gap: -gap.size):
            low, high = (f"{100 * end:.1f}" for end in gap.interval)
            chance = ", so chance alone may explain it" if gap.by_chance else ""
            pairs = ((gap.high, gap.high_share), (gap.low, gap.low_share))
            shares = ", ".join(self._share(*pair) for pair in pairs)
            sentences.append(
                f"{share_words(gap.measure, self.positive)}: {shares}. A gap of "
                f"{100 * gap.size:.1f} points (95 % interval {low} to {high}{chance})."
            )
        alike: dict[tuple[str, ...], list[str]] = {}
        for measure, groups in self.small.items():
            if groups:
                alike.setdefault(groups, []).append(share_words(measure, self.positive))
        sentences += [
            f"Not compared where {self.name} is {' or '.join(groups)} (fewer than {self.few} "
            f"rows): {', '.join(measures)}."
            for groups, measures in alike.items()
        ]
        return sentences + [
            f"Not compared: {share_words(measure, self.positive)}. Fewer than two groups have "
            f"{self.few} rows or more."
            for measure in GROUP_MEASURES
            if measure not in self.gaps
        ]

    def _share(self, group: str, share: float) -> str:
        """Write a group with its share; a group that ends in a number, behind it."""
        text = f"{100 * share:.1f} %"
        return f"{text} for {self.name} {group}" if group[-1:].isdigit() else f"{group} {text}"


def share_words(measure: str, positive: Any) -> str:
    """Return the standard name of a share of `GROUP_MEASURES`, for a class called positive."""
    name = positive if any(map(str.isalpha, str(positive))) else f"outcome {positive}"
    return {
        "error": "Error",
        "found": f"True positive rate of {name}",
        "false_alarms": f"False positive rate of {name}",
        "called_positive": f"Predicted {name}",
    }[measure]


def group_metrics(
    model: Any,
    X: pd.DataFrame,
    y: ArrayLike,
    group: str | ArrayLike | RowGroups,
    *,
    positive: Any = None,
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
    group : str, array-like of shape (n,) or RowGroups
        What to group by: the name of a column of `X`, whether the rule reads it or not, or the
        values of another one, preferably as a Series with a name. Numbers with many values are
        binned, rows without a value form the group "missing"; `rulekit.data.row_groups` makes
        groups with other bins.
    positive : label, default=None
        The class that counts as positive. None for the class that the rule describes, if there is
        exactly one.
    few : int, default=30
        Shares counted on fewer rows are left out of gaps.

    Raises
    ------
    DataError
        If the column is not there or cannot be grouped, lengths differ, or a class is missing.
    ValueError
        If `positive` is needed and not given, or is no class; or another parameter is invalid.

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
    if isinstance(group, RowGroups):
        groups = group
    elif not isinstance(group, str):
        groups = row_groups(group, str(getattr(group, "name", None) or "the group"))
    elif group in getattr(X, "columns", ()):
        groups = row_groups(X[group], group)
    else:
        raise DataError(
            f"`group` names column {group[:60]!r}, which the table does not have. Correct the "
            "name, or give the column's values."
        )
    truth, n = read_labels(y).astype(object), len(X)
    for name, values in (("`y`", truth), ("`group`", groups.codes)):
        if len(values) != n:
            k = len(values)
            raise DataError(f"{name} must have a value for each of the {n} rows; it has {k}.")
    if (absent := np.asarray(pd.isna(truth))).any():
        raise DataError(
            f"`y` must hold a class in every row; it is missing in {absent.sum()} of {n} rows "
            f"(first: row {int(absent.argmax()) + 1}). Leave these rows out."
        )
    answers = _predict(model, X)
    positive = _positive(model, positive, {*truth.tolist(), *answers.tolist()})
    table, overall = _shares(truth, answers, positive, groups)
    gaps = {}
    for measure, among in GROUP_MEASURES.items():
        rows = table[(table[among] >= few) & table[measure].notna()]
        if len(rows) < 2:
            continue
        high, low = str(rows[measure].idxmax()), str(rows[measure].idxmin())
        ends = rows.loc[[high, low], [measure, f"{measure}_low", f"{measure}_high"]].to_numpy(float)
        (p, p_low, p_high), (q, q_low, q_high) = ends.tolist()
        below, above = math.hypot(p - p_low, q_high - q), math.hypot(p_high - p, q - q_low)
        gaps[measure] = Gap(measure, high, low, p, q, (p - q - below, p - q + above))
    return GroupMetrics(groups.name, positive, table, overall, gaps, int(few))


def _predict(model: Any, X: Any) -> NDArray[Any]:
    if not hasattr(model, "predict"):
        raise TypeError(f"`model` must be a rule or a fitted classifier, got {model!r:.60}.")
    return np.asarray(model.predict(X), dtype=object)


def _positive(model: Any, positive: Any, classes: set[Any]) -> Any:
    """Return the class that counts as positive."""
    rule = getattr(model, "rule_set_", model)
    classes |= set(getattr(model, "classes_", getattr(rule, "classes", ())))
    shown = ", ".join(sorted(map(repr, classes)))
    if positive is None:
        described = {getattr(model, "positive_label_", None), *getattr(rule, "labels", ())} - {None}
        if len(described) != 1 or len(classes) > 2:
            raise ValueError(
                "True and false positives are counted for one class. Set `positive` to one of "
                f"{shown}."
            )
        (positive,) = described
    if positive not in classes:
        raise ValueError(f"`positive` must be one of the classes ({shown}), got {positive!r}.")
    return positive


def _shares(
    truth: NDArray[Any], answers: NDArray[Any], positive: Any, groups: RowGroups
) -> tuple[pd.DataFrame, pd.Series]:
    """Count rows and rates by group and in total."""
    n, masks = len(groups.labels), mark_counted(truth, answers, positive)
    counts = {m: np.r_[np.bincount(groups.codes[v], None, n), v.sum()] for m, v in masks.items()}
    index = pd.Index([*groups.labels, "all"], name=groups.name)
    table = pd.DataFrame({name: counts[name] for name in ("rows", "positives", "negatives")}, index)
    for measure, among in GROUP_MEASURES.items():
        pairs = list(zip(counts[measure].tolist(), counts[among].tolist(), strict=True))
        table[measure] = [part / whole if whole else math.nan for part, whole in pairs]
        table[[f"{measure}_low", f"{measure}_high"]] = [wilson_interval(*pair) for pair in pairs]
    return table.iloc[:-1], table.iloc[-1].rename("all")
