"""Result of a sweep or comparison: table, summary, front, and the suggested setting."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import takewhile
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone

from rulekit.evaluation.sweeps.grid import LearnerGrid
from rulekit.learners.base import Setting
from rulekit.learners.choice import (
    ESTIMATE,
    FOREST_LOSS,
    FOREST_SIZE,
    GAPS,
    MAXIMISED,
    comparable,
    coordinate,
    suggestion,
)
from rulekit.learners.training import ShouldStop

Row = dict[str, Any]
TEST_MEASURES = ("test_error", "test_balanced_error", "test_f1", "test_auc")
COUNTED = ("test_tp", "test_fp", "test_fn", "test_tn")
SIZES = ("n_conditions", "n_clauses_used", "objective", "seconds")
MEASURES = ("test_error", "train_error", *TEST_MEASURES[1:], *COUNTED, *SIZES)
AVERAGED = ("train_error", *SIZES)


def pareto_front(x: ArrayLike, y: ArrayLike) -> NDArray[np.bool_]:
    """Find the points that no other point dominates, both coordinates minimised, in O(n log n).

    Parameters
    ----------
    x, y : array-like of shape (n,)
        Coordinates, in any units. Points with NaN are ignored.

    Returns
    -------
    ndarray of bool, shape (n,)
        True for the points of the front. Equal points do not dominate each other: either all or
        none are on the front. A point with a NaN is never on it.

    Raises
    ------
    ValueError
        If the coordinates are not two one-dimensional arrays of equal length.

    Examples
    --------
    The third point is as small as the second but has a higher error:

    >>> pareto_front([1, 2, 2, 5], [0.30, 0.25, 0.28, 0.25])
    array([ True,  True, False, False])
    """
    across, up = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    if across.ndim != 1 or across.shape != up.shape:
        raise ValueError(
            "`x` and `y` must be one-dimensional and of one length; "
            f"their shapes are {across.shape} and {up.shape}."
        )
    on_front = np.zeros(len(across), dtype=bool)
    finite = np.flatnonzero(~(np.isnan(across) | np.isnan(up)))
    if not finite.size:
        return on_front
    places, column = np.unique(across[finite], return_inverse=True)
    lowest = np.full(len(places), np.inf)  # [c]: the smallest y among points of the c-th x
    np.minimum.at(lowest, column, up[finite])
    before = np.r_[np.inf, np.minimum.accumulate(lowest)[:-1]]  # [c]: smallest y at smaller x
    counts = (lowest < before) | ((np.arange(len(lowest)) == 0) & np.isinf(lowest))
    on_front[finite] = counts[column] & (up[finite] == lowest[column])
    return on_front


@dataclass(frozen=True, eq=False)
class Comparison:
    """Results of a sweep or comparison, during and after it.

    Parameters
    ----------
    families : tuple of LearnerGrid
        Their settings are numbered in this order.
    n_folds : int
    folds_digest : str
        Fingerprint of rows, target, weights and folds; equal for results that share a curve.
    finished : tuple of dict
        One row per finished fit, as in `table`.
    models : mapping of int to classifier
        Models by number of setting, fitted on all rows, for families that keep their models.
    references : DataFrame or None
        Reference models on the same folds: ``name`` and the columns of `summary`.
    estimates : mapping of int to (float, float)
        A forest's estimates for models, by number of setting: the loss, and the conditions.

    Notes
    -----
    The lowest of many cross-validated errors is optimistic for its setting. It compares settings;
    an honest figure for the selected one needs rows that the comparison did not use.
    """

    families: tuple[LearnerGrid, ...]
    n_folds: int
    folds_digest: str
    finished: tuple[Row, ...] = ()
    models: Mapping[int, Any] = field(default_factory=dict)
    references: pd.DataFrame | None = None
    estimates: Mapping[int, tuple[float, float]] = field(default_factory=dict)

    @property
    def settings(self) -> tuple[Setting, ...]:
        """The settings behind the numbers, each with its learner's parameters."""
        return tuple(setting for family in self.families for setting in family.settings)

    @property
    def n_fits(self) -> int:
        """Number of requested fits: each setting in each fold."""
        return len(self.settings) * self.n_folds

    @property
    def is_complete(self) -> bool:
        """Whether every requested fit is finished."""
        return len(self.finished) == self.n_fits

    @property
    def progress(self) -> dict[str, tuple[int, int]]:
        """Finished and requested fits of each family."""
        done = Counter(row["learner"] for row in self.finished)
        totals = Counter(family.name for family in self.families for _ in family.settings)
        return {name: (done[name], n * self.n_folds) for name, n in totals.items()}

    @property
    def missed(self) -> tuple[str, ...]:
        """Return the names of the families without a setting finished in all folds."""
        found = set(self.points()["learner"])
        return tuple(family.name for family in self.families if family.name not in found)

    @property
    def table(self) -> pd.DataFrame:
        """One row per setting and fold, sorted by both.

        Columns: ``setting`` (a number), ``learner`` (the family's name), the grids' keys, ``fold``,
        the measures (`test_error`, `train_error`, `test_balanced_error`, `test_f1`, `test_auc`,
        with costs `test_cost_per_100`, the cost of wrong predictions per hundred cases; the four
        confusion counts `test_tp` ..., `n_conditions`, `n_clauses_used`, `objective`, `seconds`)
        and ``rule`` (a `RuleSet`, or None for a learner without one). Errors are shares between 0
        and 1.
        """
        ordered = sorted(self.finished, key=lambda row: (row["setting"], row["fold"]))
        keys = dict.fromkeys(k for setting in self.settings for k in setting)
        extra = dict.fromkeys(k for row in self.finished for k in row if k.startswith("test_"))
        measures = [*MEASURES, *(k for k in extra if k not in MEASURES)]
        kinds: dict[str, Any] = {"setting": int, "fold": int, "learner": object, "rule": object}
        kinds |= dict.fromkeys(measures, float)
        columns = {}
        for name in ("setting", "learner", *keys, "fold", *measures, "rule"):
            values = [row.get(name) for row in ordered]
            types = {type(value) for value in values}  # whole numbers stay whole, texts as they are
            kind = int if types <= {int} else float if types <= {int, float} else object
            columns[name] = pd.Series(values, dtype=object).to_numpy().astype(kinds.get(name, kind))
        return pd.DataFrame(columns)

    @cached_property
    def summary(self) -> pd.DataFrame:
        """One row per setting: its keys, means over folds, standard errors and number of folds.

        ``forest_loss`` and ``forest_conditions`` are included if there are `estimates`.
        """
        table = self.table
        measures = [c for c in table.columns if c.startswith("test_") and c not in COUNTED]
        expected = {"fold", "rule", *AVERAGED, *measures, *COUNTED}
        keys = [c for c in table.columns if c not in expected]
        groups = table.groupby("setting", sort=True)
        means = table[keys].drop_duplicates("setting").set_index("setting")
        for name in (*measures, *AVERAGED):
            means[name] = groups[name].mean()
            if name in measures:
                means[f"{name}_se"] = groups[name].sem()
        if "n_clauses" not in means:
            means["n_clauses"] = means["n_clauses_used"]
        means["folds"] = groups.size()
        names = [FOREST_LOSS, FOREST_SIZE]
        known = pd.DataFrame.from_dict(dict(self.estimates), "index", float, names)
        means = means.reset_index()
        return means.join(known, on="setting") if self.estimates else means

    def points(self) -> pd.DataFrame:
        """Return the `summary` of settings finished in all folds; other means are of other rows."""
        return self.summary[self.summary["folds"] == self.n_folds]

    def setting(self, number: int) -> Setting:
        """Return the parameters of a number of column ``setting``."""
        if not 0 <= number < len(self.settings):
            raise ValueError(
                f"Setting {number} does not exist. Use a number from 0 to {len(self.settings) - 1}."
            )
        return dict(self.settings[number])

    def model(self, number: int) -> Any:
        """Build the unfitted learner of a setting."""
        setting = self.setting(number)
        estimators = [family.estimator for family in self.families for _ in family.settings]
        return clone(estimators[number]).set_params(**setting)

    def front(self, x: str = "n_conditions", y: str = "test_error") -> pd.DataFrame:
        """Return the settings not dominated in two columns of `summary`, from left to right.

        Small values are better, except of ``test_f1`` and ``test_auc``. Equal settings are all
        kept. Before the end only the settings with the most finished folds are compared. ValueError
        if the summary has no such column.
        """
        rows = comparable(self.summary)
        across, up = coordinate(rows, x), coordinate(rows, y)
        selected = rows[pareto_front(across, up)]
        return selected.sort_values([x, y, "setting"], ascending=[x not in MAXIMISED, True, True])

    def suggest(self, y: str = "test_error") -> dict[str, Any]:
        """Select a setting: `rulekit.suggest` of this result."""
        return suggest(self, y)

    def join(self, *others: "Comparison") -> "Comparison":
        """Combine comparisons on the same folds; settings are renumbered.

        Families may occur in several; the first reference models are taken. ValueError for other
        rows or folds.
        """
        joined = (self, *others)
        for number, one in enumerate(others, 1):
            if one.folds_digest != self.folds_digest:
                raise ValueError(
                    "Only comparisons of the same rows, target, weights and folds can be joined; "
                    f"comparison {number} differs. Repeat it with the same `cv` and `random_state`."
                )
        shifts = [0, *np.cumsum([len(one.settings) for one in joined[:-1]]).tolist()]
        pairs = list(zip(joined, shifts, strict=True))
        return replace(
            self,
            families=tuple(family for one in joined for family in one.families),
            finished=tuple(
                r | {"setting": r["setting"] + by} for one, by in pairs for r in one.finished
            ),
            models={k + by: model for one, by in pairs for k, model in one.models.items()},
            references=next((one.references for one in joined if one.references is not None), None),
            estimates={k + by: each for one, by in pairs for k, each in one.estimates.items()},
        )


def suggest(result: Comparison | pd.DataFrame, y: str = "test_error") -> dict[str, Any]:
    """Select a setting, and list alternatives.

    Parameters
    ----------
    result : Comparison or DataFrame
        A finished sweep; or a table with one row per setting, like `Comparison.summary` and
        `Choice.table`: columns ``setting`` (numbers), ``folds``, ``n_conditions``,
        ``n_clauses_used``, the measure and its standard error, and the settings' parameters.
    y : str, default="test_error"

    Returns
    -------
    dict
        Numbers of settings, and a sentence under ``reason``.

        ``default``: the suggested setting. The mean of each setting is averaged with those of its
        neighbours (one step up and down in price, clauses, or another parameter for the size of a
        rule, with the others equal; weights 1/4, 1/2, 1/4 along each), two tenths of a point are
        added for each condition, and the lowest sum is selected; a tie goes to fewer conditions,
        then to fewer clauses, then to the lower number. A rule that is empty on average is selected
        only if all are.

        ``best``: the best mean without averaging; ties as above. It is optimistic, see the notes.

        ``simplest_within_1se``: fewest conditions among those at most one standard error worse than
        the best.

    Raises
    ------
    ValueError
        If nothing has finished, or a column is missing.

    Notes
    -----
    The best mean of several hundred settings is a point or more too optimistic, and its setting is
    often not the best. This selection was measured to be better than the best mean and the
    one-standard-error rule (``benchmarks/bench_choice.py``, ``docs/decisions/0011``); nevertheless
    keep the grid small. For a cost, the price of a condition is 0.2 % of the greatest mean cost;
    for a measure to be maximised it is subtracted.

    Examples
    --------
    >>> errors = {"test_error": [0.30, 0.26, 0.25], "test_error_se": [0.02] * 3}
    >>> sizes = {"n_conditions": [1.0, 2.0, 8.0], "n_clauses_used": [1.0, 1.0, 3.0]}
    >>> names = {"setting": [0, 1, 2], "method": ["a", "b", "c"], "folds": [5] * 3}
    >>> found = suggest(pd.DataFrame(names | errors | sizes))
    >>> found["default"], found["best"]
    (1, 2)
    """
    if isinstance(result, Comparison):
        return suggestion(result.summary, result.settings, y)
    needed = ("setting", "folds", f"{y}_se", "n_conditions", "n_clauses_used")
    if missing := [name for name in needed if name not in getattr(result, "columns", ())]:
        are = "is" if len(missing) == 1 else "are"
        raise ValueError(
            f"`result` must be a sweep's result, or a table with one row a setting and the columns "
            f"{', '.join(needed)}; {', '.join(missing)} {are} missing, as in `Comparison.summary`."
        )
    measured = {"setting", "learner", "folds", ESTIMATE, FOREST_LOSS, FOREST_SIZE, *GAPS, *AVERAGED}
    if "n_clauses" in result and result["n_clauses"].equals(result["n_clauses_used"]):
        measured.add("n_clauses")  # the mean number; the grid does not vary it
    keys = [c for c in result.columns if c not in measured and not c.startswith("test_")]
    rows = result[keys].astype(object).where(result[keys].notna(), None).to_dict("records")
    settings = dict(zip(result["setting"].astype(int).tolist(), rows, strict=True))
    return suggestion(result, settings, y)


def fit_setting(
    estimator: Any, setting: Mapping[str, Any], X: Any, y: Any, sample_weight: Any = None
) -> Any:
    """Fit a learner with one setting on all given rows."""
    model = clone(estimator).set_params(**setting)
    return model.fit(X, y) if sample_weight is None else model.fit(X, y, sample_weight)


def fit_settings(
    estimator: Any,
    X: Any,
    y: Any,
    settings: Sequence[Mapping[str, Any]],
    sample_weight: Any = None,
    should_stop: ShouldStop | None = None,
) -> Iterator[Any]:
    """Iterate over a fitted model for each setting until `should_stop()`; one search a kind."""
    if hasattr(estimator, "_fit_settings"):  # a rule learner
        # not from a generator here: its frame would be the place that warnings name
        return estimator._fit_settings(X, y, settings, sample_weight, should_stop)
    begun = takewhile(lambda _: should_stop is None or not should_stop(), settings)
    return (fit_setting(estimator, setting, X, y, sample_weight) for setting in begun)
