"""Selection among many settings by cross-validated scores, and limits on gaps between groups."""

# The lowest score is low by luck: scores are averaged with those of neighbouring settings, and a
# price per condition decides between settings that the folds cannot distinguish.

import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from numbers import Real
from typing import Any, Self

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from threadpoolctl import threadpool_limits

from rulekit.binning.binned_table import Floats
from rulekit.data import Costs
from rulekit.data.costs import COST
from rulekit.data.folds import Fold
from rulekit.data.groups import FEW, GROUP_MEASURES, RowGroups, row_groups
from rulekit.exceptions import DataError
from rulekit.learners.base import Paths, Setting, identify
from rulekit.learners.cluster import Once, spread_sorted, try_twice
from rulekit.learners.training import TrainingTable
from rulekit.rules import RuleSet
from rulekit.rules.condition import take_rows
from rulekit.rules.rule_set import Masks, stack_masks

#: Price of one condition when settings are compared, as a share of rows: two tenths of a point.
CONDITION_PRICE = 0.002
Settings = Sequence[Setting] | Mapping[int, Setting]  # by number
Counted = Callable[[NDArray[Any], NDArray[np.intp]], Floats]
#: Measures that are better when larger; all others are better when smaller.
MAXIMISED = frozenset({"test_f1", "test_auc"})

FOREST_LOSS = "forest_loss"  # column of the loss on all training rows by out-of-bag votes
FOREST_SIZE = "forest_conditions"  # conditions of that rule
ESTIMATE = "estimate"  # column of the sum that decides, see `estimates`

#: Weight of that loss beside the inner folds, whose error varies far more.
FOREST_SHARE = 2.0 / 3.0
#: Parameters that set how large a rule may be: settings next to each other in one of these, and
#: alike in all others, are neighbours. Of nested names the last part counts.
SIZE_KEYS = ("theta", "n_clauses", "max_conditions", "max_variables", "max_leaf_nodes")

#: What people call parameters; of nested names the last part counts.
CALLED = {
    "theta": "price of a condition",
    "robustness": "robustness",
    "label_noise": "doubtful rows discounted by",
    "positive_label": "for",
    "form": "form",
}
COUNTED = {
    "n_clauses": "clause",
    "max_conditions": "condition",
    "max_variables": "column",
    "max_leaf_nodes": "leaf node",
}
HIDDEN_AT_ZERO = ("robustness", "label_noise")  # at 0


@dataclass(frozen=True, eq=False)
class Loss:
    """Loss of wrong predictions for training rows."""

    y: NDArray[Any]  # (n,)
    weight: Floats  # (n,)
    costs: Costs | None = None

    @property
    def measure(self) -> str:
        """The column of the measure in a summary."""
        return "test_error" if self.costs is None else COST

    @property
    def price(self) -> float:
        """Penalty of one condition: 0.2 points of the mean weight of a wrong row."""
        if self.costs is None:
            return CONDITION_PRICE
        by_class = self.costs.class_weight(np.unique(self.y))
        heavy = np.array([by_class[label] for label in self.y.tolist()])
        return 100.0 * CONDITION_PRICE * float(self.weight @ heavy / self.weight.sum())

    def each(self, rows: NDArray[np.intp], answers: NDArray[Any]) -> NDArray[Any]:
        """Return whether each row is wrong, or what 100 like it cost; shape (n,), not weighted."""
        y = self.y[rows]
        return answers != y if self.costs is None else 100.0 * self.costs.compute(y, answers)

    def spread_over_rows(self, answers: NDArray[Any], rows: NDArray[np.intp]) -> Floats:
        """Return the loss of each training row, 0 for those not tested, shape (n,)."""
        each = np.zeros(len(self.y))
        each[rows] = self.each(rows, answers)
        return each

    def compute(self, rows: NDArray[np.intp], answers: NDArray[Any]) -> float:
        """Compute the loss of predictions for some rows: error share, or cost per 100 cases."""
        weight = self.weight[rows]
        return float((weight * self.each(rows, answers)).sum() / weight.sum())

    def text(self, value: float) -> str:
        """Format a value of the measure."""
        if self.costs is None:
            return f"{100 * value:.1f} %"
        return f"{self.costs.amount(round(value, 1))} a 100 cases"


@dataclass(frozen=True, eq=False)
class FoldScores:
    """Losses, conditions and clauses of settings on folds, NaN where a fold was not finished."""

    values: Floats  # (folds, settings, 3 or more): further ones are what is counted on test rows

    @property
    def loss(self) -> Floats:
        """The losses, shape (folds, settings)."""
        return self.values[:, :, 0]

    @property
    def counts(self) -> Floats:
        """What `counted` returned for the test rows, shape (folds, settings, ...)."""
        return self.values[:, :, 3:]

    def summary(self, settings: Sequence[Setting], measure: str = "test_error") -> pd.DataFrame:
        """Average over folds: one row per setting."""
        errors, n_conditions, n_clauses = (pd.DataFrame(self.values[:, :, k]) for k in range(3))
        means = {measure: errors.mean(), f"{measure}_se": errors.sem()}
        means |= {"n_conditions": n_conditions.mean(), "n_clauses_used": n_clauses.mean()}
        numbers = pd.DataFrame({"setting": range(len(settings))})
        summary = pd.concat([numbers, pd.DataFrame(list(settings)), pd.DataFrame(means)], axis=1)
        return summary.assign(folds=errors.count())


@dataclass(eq=False)
class FoldPaths:
    """The paths of a learner on the training rows of a fold, kept within this process."""

    learner: Any
    fold: Fold
    paths: Paths | None = None

    def __getstate__(self) -> dict[str, Any]:
        """Pickle without the paths."""
        return {**vars(self), "paths": None}


def fold_scores(
    folds: Sequence[FoldPaths],
    table: TrainingTable,
    settings: Sequence[Setting],
    loss: Loss,
    n_jobs: int | None = 1,
    stops: Sequence[Callable[[], bool] | None] | None = None,
    counted: Counted | None = None,
) -> FoldScores:
    """Cross-validate settings on training rows, with one search for each kind and fold."""
    tasks = [
        (Once(table), Once(loss), fold, settings, stop, counted)
        for fold, stop in zip(folds, stops or [None] * len(folds), strict=True)
    ]
    work = partial(spread_sorted, _score_fold, tasks, n_jobs)
    return FoldScores(np.stack(try_twice(work, lambda: "Nothing of the choice is kept.")))


def _score_fold(
    table: TrainingTable,
    loss: Loss,
    fold: FoldPaths,
    settings: Sequence[Setting],
    stop: Callable[[], bool] | None,
    counted: Counted | None,
) -> Floats:
    test = fold.fold[1]
    columns = take_rows(table.columns, test)
    known: Masks = {}  # many rules share their conditions

    def measure(rule: RuleSet) -> list[float]:
        fired = stack_masks(rule.clauses, columns, known)
        answers = rule.answers(fired).astype(table.classes.dtype)
        more = [] if counted is None else counted(answers, test).tolist()
        return [loss.compute(test, answers), rule.n_conditions, len(rule.clauses), *more]

    more = 0 if counted is None else len(counted(table.y[test], test))
    with threadpool_limits(1):
        if fold.paths is None:
            learner = clone(fold.learner)
            name, several = type(learner).__name__, learner._multi_class
            fold.paths = Paths(learner, table.part(fold.fold[0], name, multi_class=several))
        return fold.paths.score(settings, measure, 3 + more, stop)


def suggestion(
    summary: pd.DataFrame, settings: Settings, y: str, price: float | None = None
) -> dict[str, Any]:
    """Select a setting; see `rulekit.suggest`."""
    rows = comparable(summary)
    worth = coordinate(rows, y).round(12)  # figures alike but for rounding are a tie
    rows = rows.assign(_worth=worth)[~np.isnan(worth)]
    if rows.empty:
        raise ValueError(
            f"No setting has a {y!r} yet, so none can be suggested. Continue the sweep."
        )
    best = rows.sort_values(["_worth", "n_conditions", "n_clauses_used", "setting"]).iloc[0]
    error = best.get(f"{y}_se", np.nan)  # the dashboard has none of fewer than five folds
    near = rows[rows["_worth"] <= best["_worth"] + np.nan_to_num(error) + 1e-12]
    simplest = near.sort_values(["n_conditions", "_worth", "n_clauses_used", "setting"]).iloc[0]
    rows = rows.sort_values(["n_clauses_used", "setting"])
    price = price_of_condition(rows, y) if price is None else price
    total = estimates(rows, settings, y, price)
    size = np.nan_to_num(rows[FOREST_SIZE if FOREST_SIZE in rows else "n_conditions"])
    order = np.lexsort((size, total.round(12)))  # ties by conditions, then position
    filled = has_conditions(rows)
    chosen = next((i for i in order if filled[i]), order[0])
    default, penalty = rows.iloc[chosen], f"{100 * CONDITION_PRICE:g} points"
    if y == COST:
        penalty = f"{price:.3g}"
    elif y in MAXIMISED:
        penalty = f"{CONDITION_PRICE:g}"
    measure, penalty = y.replace("_", " "), f"at a penalty of {penalty} for each condition"
    reason = (
        f"Selected: {_name_setting(default, settings)} ({_value(default[y], y)} with "
        f"{default['n_conditions']:.1f} conditions). "
        f"It has the {'highest' if y in MAXIMISED else 'lowest'}"
    )
    if FOREST_LOSS in default:
        reason += (
            f" estimated {measure} {penalty}; the estimate combines the folds of similar settings "
            "with a random forest's estimate for the rule on all rows "
            f"({_value(default[FOREST_LOSS], y)})."
        )
    else:
        reason += f" {measure}, averaged with similar settings, {penalty}."
    if chosen != order[0]:
        reason += (
            f" An empty rule ({_name_setting(rows.iloc[order[0]], settings)}), which predicts one "
            "class for every row, is no worse by that figure; the best setting with a condition "
            "was selected."
        )
    selected = {"default": default, "simplest_within_1se": simplest, "best": best}
    return {name: int(row["setting"]) for name, row in selected.items()} | {"reason": reason}


def price_of_condition(summary: pd.DataFrame, y: str) -> float:
    """Return the price of a condition in the unit of a measure."""
    return CONDITION_PRICE * (float(summary[y].abs().max()) if y == COST else 1.0)


def has_conditions(rows: pd.DataFrame) -> NDArray[np.bool_]:
    """Return whether the rules of settings have conditions, on average and on all rows."""
    size = rows[FOREST_SIZE if FOREST_SIZE in rows else "n_conditions"]
    return np.asarray(~(np.fmin(rows["n_conditions"], size).to_numpy(dtype=float) < 0.5))


def estimates(summary: pd.DataFrame, settings: Settings, y: str, price: float) -> Floats:
    """Return the sum that decides between settings, whose lowest value is selected."""
    # It is the measure averaged with those of similar settings, and with the forest's estimate if
    # known, plus `price` for each condition. NaN for settings with fewer finished folds than
    # others.
    rows = comparable(summary)
    of_row = [settings[int(number)] for number in rows["setting"]]
    learners = rows["learner"].tolist() if "learner" in rows else [""] * len(rows)
    even = smooth_scores(coordinate(rows, y).round(12), neighbourhoods(of_row, learners))
    if FOREST_LOSS in rows:
        even = (1.0 - FOREST_SHARE) * even + FOREST_SHARE * rows[FOREST_LOSS].to_numpy(dtype=float)
    size = rows[FOREST_SIZE if FOREST_SIZE in rows else "n_conditions"].fillna(0.0)
    total = pd.Series(even + price * size.to_numpy(dtype=float), rows.index)
    return np.asarray(total.reindex(summary.index))


def comparable(summary: pd.DataFrame) -> pd.DataFrame:
    """Return the settings with the most finished folds; others used other rows."""
    return summary[summary["folds"] == summary["folds"].max()] if len(summary) else summary


def coordinate(rows: pd.DataFrame, name: str) -> Floats:
    """Read a column of a summary so that smaller is better."""
    if name not in rows.columns or not pd.api.types.is_numeric_dtype(rows[name]):
        numeric = [c for c in rows.columns if pd.api.types.is_numeric_dtype(rows[c])]
        raise ValueError(f"The summary has no measure {name!r}; it has {', '.join(numeric)}.")
    values: Floats = rows[name].to_numpy(dtype=float)
    return -values if name in MAXIMISED else values


def neighbourhoods(
    settings: Sequence[Setting], learners: Sequence[str]
) -> list[tuple[list[Any], Floats]]:
    """Return, for each size parameter, the line of each setting and its position on it."""
    keys, axes = identify(settings), []
    for name in dict.fromkeys(k for s in settings for k in s if k.rpartition("__")[2] in SIZE_KEYS):
        lines = [
            (learner, name in setting, tuple(part for part in key if part[0] != name))
            for setting, learner, key in zip(settings, learners, keys, strict=True)
        ]
        values = [s.get(name) for s in settings]
        axes.append((lines, np.array([math.inf if v is None else float(v) for v in values])))
    return axes


def smooth_scores(scores: ArrayLike, axes: Sequence[tuple[Sequence[Hashable], ArrayLike]]) -> Any:
    """Average each setting's score with those of its neighbours."""
    smooth = np.array(scores, dtype=float)
    for line_of, coordinate in axes:
        lines: dict[Hashable, list[int]] = {}
        for i in np.argsort(np.asarray(coordinate, dtype=float), kind="stable").tolist():
            lines.setdefault(line_of[i], []).append(i)
        for members in lines.values():
            line = smooth[members]
            before, after = np.r_[line[:1], line[:-1]], np.r_[line[1:], line[-1:]]
            smooth[members] = 0.25 * before + 0.5 * line + 0.25 * after
    return smooth


def _name_setting(row: Any, settings: Settings) -> str:
    names = []
    for name, value in settings[int(row["setting"])].items():
        if (last := name.rpartition("__")[2]) in COUNTED and value is not None:
            names.append(f"at most {value} {COUNTED[last]}{'' if value == 1 else 's'}")
        elif value != 0 or last not in HIDDEN_AT_ZERO:
            shown = f"{value:g}" if isinstance(value, float) else value
            names.append(f"{CALLED[last]} {shown}" if last in CALLED else f"{name} = {value}")
    return ", ".join(names) or str(row["learner"])


def _value(value: float, y: str) -> str:
    if y == COST:
        return f"{value:.1f}"
    return f"{value:.3f}" if y in MAXIMISED else f"{100 * value:.1f} %"


ODDS = ("found", "false_alarms")  # what a plain number limits
GAPS = ("gap", *(f"gap_{measure}" for measure in GROUP_MEASURES))  # columns of `Choice.table`
EXACT = 1e-12


def mark_counted(y: NDArray[Any], answers: NDArray[Any], label: Any) -> dict[str, NDArray[Any]]:
    """Return which rows count for each total and measure of `GROUP_MEASURES`, shape (n,) each."""
    true, called = np.equal(y, label).astype(bool), np.equal(answers, label).astype(bool)
    return {
        "rows": np.ones(len(y), dtype=bool),
        "positives": true,
        "negatives": ~true,
        "error": np.not_equal(y, answers).astype(bool),
        "found": true & called,
        "false_alarms": ~true & called,
        "called_positive": called,
    }


@dataclass(frozen=True, eq=False)
class GroupGaps:
    """Counts predictions by group, and selects settings within the limits."""

    groups: RowGroups
    limits: dict[str, float]
    enough: dict[str, NDArray[np.bool_]]  # (groups,)
    y: NDArray[Any]  # (n,)
    label: Any
    weight: Floats  # (n,)

    @classmethod
    def from_table(
        cls,
        table: TrainingTable,
        name: str,
        max_gap: float | Mapping[str, float] | None,
        label: Any,
    ) -> Self:
        """Group training rows by a column."""
        if name in table.ignored:
            raise DataError(
                f"`groups` names column {name!r}, which holds too many different texts for groups; "
                "name another column."
            )
        if name not in table.columns:
            raise DataError(
                f"`groups` names column {name!r}, which the table does not have; correct the name."
            )
        groups = row_groups(table.frame[name], name)
        among, n = mark_counted(table.y, table.y, label), len(groups.labels)
        enough = {
            measure: np.bincount(groups.codes[among[whole]], minlength=n) >= FEW
            for measure, whole in GROUP_MEASURES.items()
        }
        named = max_gap if isinstance(max_gap, Mapping) else dict.fromkeys(ODDS, max_gap)
        limits = {k: float(limit) for k, limit in named.items() if limit is not None}
        if few := [measure for measure in limits if enough[measure].sum() < 2]:
            raise DataError(
                f"A gap is measured between groups of {FEW} rows or more, but by column {name!r} "
                f"fewer than two have that many {GROUP_MEASURES[few[0]]} for the measure "
                f"{few[0]!r}. Group by another column, or limit another measure."
            )
        return cls(groups, limits, enough, table.y, label, table.sample_weight)

    def __call__(self, answers: NDArray[Any], rows: NDArray[np.intp]) -> Floats:
        """Sum the weights of rows by group, shape (7 * groups,)."""
        masks = mark_counted(self.y[rows], answers, self.label)
        codes, n, weight = self.groups.codes[rows], len(self.groups.labels), self.weight[rows]
        return np.concatenate([np.bincount(codes, weight * mask, n) for mask in masks.values()])

    def compute_gaps(self, sums: Floats) -> dict[str, Floats]:
        """Compute the gaps of settings from their sums by fold, shape (settings,) each."""
        names = mark_counted(self.y, self.y, self.label)
        total = np.nansum(sums, axis=0).reshape(sums.shape[1], len(names), -1)
        counts = dict(zip(names, total.swapaxes(0, 1), strict=True))
        gaps = {}
        for measure, among in GROUP_MEASURES.items():
            with np.errstate(invalid="ignore", divide="ignore"):
                shares = (counts[measure] / counts[among])[:, self.enough[measure]]
            several_groups = shares.shape[1] > 1
            gaps[f"gap_{measure}"] = (
                np.ptp(shares, axis=1) if several_groups else np.full(len(shares), np.nan)
            )
        limited = [gaps[f"gap_{measure}"] for measure in self.limits or ODDS]
        return gaps | {"gap": np.max(limited, axis=0)}

    def is_kept(self, answers: NDArray[Any]) -> bool:
        """Return whether predictions for all rows keep the limits."""
        gaps = self.compute_gaps(self(answers, np.arange(len(self.y)))[None, None])
        return all(gaps[f"gap_{m}"][0] <= most + EXACT for m, most in self.limits.items())

    def describe_rejected(self, n: int, left: pd.DataFrame) -> str:
        """Return how many settings were rejected, as a sentence."""
        if left.empty:
            raise DataError(
                f"No rule satisfies `max_gap` between the groups of {self.groups.name!r}: {n} "
                "settings satisfy it on the inner folds, but not their rules of all rows. Raise "
                "`max_gap`, or group by another column."
            )
        if not n:
            return ""
        return f" Of these {n} would have been taken, but what they learn from all rows does not."

    def select_allowed(self, summary: pd.DataFrame, loss: Loss) -> tuple[pd.DataFrame, str]:
        """Return the settings within the limits, and a sentence on what that leaves."""
        if not self.limits:
            return summary, ""
        limits = pd.Series({f"gap_{name}": limit for name, limit in self.limits.items()})
        excess = (summary[limits.index] - limits).max(axis=1)
        within_limits = summary[excess <= EXACT]
        allowed = " and ".join(f"{limit:g} in {name!r}" for name, limit in self.limits.items())
        where = f"between the groups of {self.groups.name!r}"

        def write_loss(row: pd.Series) -> str:
            if loss.costs is None:
                return f"is wrong in {100 * row['test_error']:.1f} % of the rows"
            return f"costs {row[COST]:.4g} a 100 cases"

        if within_limits.empty:
            near = summary.loc[excess.idxmin()]
            gaps = ", ".join(f"{near[f'gap_{name}']:.3g} in {name!r}" for name in self.limits)
            raise DataError(
                f"`max_gap` allows a gap of {allowed} {where}, but no rule satisfies it on the "
                f"inner folds; the closest has {gaps} and {write_loss(near)}. Raise `max_gap`, or "
                "group by another column."
            )
        best = summary.loc[summary[loss.measure].idxmin()]
        note = (
            f" {len(within_limits)} of {len(summary)} settings keep the gap {where} within "
            f"{allowed} on the inner folds; without that limit the best one {write_loss(best)}, "
            f"with a gap of {best['gap']:.3g}. On new rows gaps may be larger."
        )
        if not (within_limits["n_conditions"] >= 0.5).any():
            note += (
                " Only rules without conditions, which predict the same for every row, keep to it."
            )
        return within_limits, note


def check_gaps(groups: str | None, max_gap: Any, positive_label: Any) -> None:
    """Reject a limit without groups, of an unknown measure, or without a named class."""
    if max_gap is not None and groups is None:
        raise ValueError(
            f"`max_gap` needs `groups`; got max_gap={max_gap!r} and groups=None. Set `groups` to "
            "the column whose groups are compared, or remove `max_gap`."
        )
    if not isinstance(max_gap, Mapping):
        return
    for name, limit in max_gap.items():
        number = isinstance(limit, Real) and not isinstance(limit, bool)
        if name not in GROUP_MEASURES or not number or not 0 <= limit < 1:
            raise ValueError(
                f"`max_gap` must map measures ({', '.join(map(repr, GROUP_MEASURES))}) to gaps "
                f"from 0 to below 1; got {name!r}: {limit!r}."
            )
        if name in ODDS and positive_label is None:
            raise ValueError(
                f"`max_gap` limits {name!r}, which is counted for one class. Set "
                "`positive_label`, or make `max_gap` a number, which limits both classes."
            )
    if not max_gap:
        raise ValueError("`max_gap` is empty. Add a measure, or remove it.")
