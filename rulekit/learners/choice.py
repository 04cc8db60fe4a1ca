"""Selection among many settings by their cross-validated scores.

Over many settings the lowest score is low by luck, and the setting that has it is not the best one.
Three things help: a score is averaged with those of neighbouring settings, whose luck differs; a
price per condition decides between settings that the folds cannot tell apart; and settings are few.
"""

import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from threadpoolctl import threadpool_limits

from rulekit.data import Costs
from rulekit.learners.cluster import Once, in_order, spread, tried_twice
from rulekit.learners.training import CheckedColumns, SharedWork, TrainingTable

COST = "test_cost_per_100"  # the measure of what wrong answers cost
#: Price of one condition when settings are compared, as a share of rows: two tenths of a point.
CONDITION_PRICE = 0.002
Setting = dict[str, Any]
Settings = Sequence[Setting] | Mapping[int, Setting]  # by number
Fold = tuple[NDArray[np.intp], NDArray[np.intp]]
Counted = Callable[[NDArray[Any], NDArray[np.intp]], NDArray[np.float64]]
PLAIN = (str, int, float, type(None))
#: Measures that are better when larger; all others are better when smaller.
MAXIMISED = frozenset({"test_f1", "test_auc"})

FOREST_LOSS = "forest_loss"  # column of the loss on all training rows by out-of-bag votes
FOREST_SIZE = "forest_conditions"  # conditions of that rule

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
    """Loss of wrong predictions for training rows; shapes: y (n,), weight (n,)."""

    y: NDArray[Any]
    weight: NDArray[np.float64]
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

    @property
    def scale(self) -> float:
        """What the mean over rows is multiplied by: costs are given per 100 cases."""
        return 1.0 if self.costs is None else 100.0

    def each(self, rows: NDArray[np.intp], answers: NDArray[Any]) -> NDArray[Any]:
        """Return whether each row is wrong, or what it costs; shape (n,), not weighted."""
        y = self.y[rows]
        return answers != y if self.costs is None else self.costs.of_rows(y, answers)

    def of(self, rows: NDArray[np.intp], answers: NDArray[Any]) -> float:
        """Compute the loss of predictions for some rows: error share, or cost per 100 cases."""
        weight = self.weight[rows]
        return float(self.scale * (weight * self.each(rows, answers)).sum() / weight.sum())

    def text(self, value: float) -> str:
        """Format a value of the measure."""
        if self.costs is None:
            return f"{100 * value:.1f} %"
        return f"{self.costs.amount(round(value, 1))} a 100 cases"


def fold_scores(
    learner: Any,
    table: TrainingTable,
    settings: Sequence[Mapping[str, Any]],
    folds: Sequence[Fold],
    loss: Loss,
    n_jobs: int | None = 1,
    stops: Sequence[Callable[[], bool] | None] | None = None,
    counted: Counted | None = None,
) -> NDArray[np.float64]:
    """Cross-validate settings on training rows; shared work of a fold is done once.

    Shape of the result: (number of folds, number of settings, 3 + m).
    """
    callbacks = [None] * len(folds) if stops is None else stops
    scored = tried_twice(
        lambda: in_order(
            spread(
                _scores,
                [
                    (Once(table), Once(loss), learner, settings, fold, stop, counted)
                    for fold, stop in zip(folds, callbacks, strict=True)
                ],
                n_jobs,
            )
        ),
        lambda: "Nothing of the choice is kept.",
    )
    return np.stack(scored)


def _scores(
    table: TrainingTable,
    loss: Loss,
    learner: Any,
    settings: Sequence[Mapping[str, Any]],
    fold: Fold,
    stop: Callable[[], bool] | None,
    counted: Counted | None,
) -> NDArray[np.float64]:
    train, test = fold
    more = 0 if counted is None else len(counted(table.y[test], test))
    scores = np.full((len(settings), 3 + more), math.nan)
    columns = CheckedColumns({name: values[test] for name, values in table.columns.items()})
    losses: dict[Any, list[float]] = {}
    fitted = clone(learner)
    with threadpool_limits(1):
        rows = table.part(train, type(fitted).__name__, multi_class=fitted._multi_class)
        for i, model in enumerate(fitted._models(rows, settings, SharedWork(stop, many=True))):
            if stop is None:  # who limits the time tells that it passed
                model._warn(ConvergenceWarning)
            rule = model.rule_set_
            if rule not in losses:  # neighbouring prices mostly end in the same rule
                answers = model.predict(columns)
                losses[rule] = [loss.of(test, answers)]
                losses[rule] += [] if counted is None else counted(answers, test).tolist()
            error, *others = losses[rule]
            scores[i] = error, model.n_conditions_, model.n_rules_, *others
    return scores


def summary_of(
    settings: Sequence[Setting], scores: NDArray[np.float64], measure: str = "test_error"
) -> pd.DataFrame:
    """Average `fold_scores` over folds: one row per setting."""
    errors = pd.DataFrame(scores[:, :, 0])
    means = {measure: errors.mean(), f"{measure}_se": errors.sem()}
    for k, name in enumerate(("n_conditions", "n_clauses_used"), start=1):
        means[name] = pd.DataFrame(scores[:, :, k]).mean()
    numbers = pd.DataFrame({"setting": range(len(settings))})
    summary = pd.concat([numbers, pd.DataFrame(list(settings)), pd.DataFrame(means)], axis=1)
    return summary.assign(folds=errors.count())


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
    error = best[f"{y}_se"] if np.isfinite(best[f"{y}_se"]) else 0.0
    near = rows[rows["_worth"] <= best["_worth"] + error + 1e-12]
    simplest = near.sort_values(["n_conditions", "_worth", "n_clauses_used", "setting"]).iloc[0]
    rows = rows.sort_values(["n_clauses_used", "setting"])
    of_row = [settings[int(number)] for number in rows["setting"]]
    learners = rows["learner"].tolist() if "learner" in rows else [""] * len(rows)
    even = smoothed(rows["_worth"], neighbourhoods(of_row, learners))
    if FOREST_LOSS in rows:
        even = (1.0 - FOREST_SHARE) * even + FOREST_SHARE * rows[FOREST_LOSS].to_numpy(dtype=float)
    charged = _price_of_condition(rows, y) if price is None else price
    size = rows[FOREST_SIZE if FOREST_SIZE in rows else "n_conditions"]
    order = cheapest(even, size, charged)
    has_conditions = ~(np.fmin(rows["n_conditions"], size).to_numpy(dtype=float) < 0.5)
    chosen = next((i for i in order if has_conditions[i]), order[0])
    default = rows.iloc[chosen]
    return {
        "default": int(default["setting"]),
        "simplest_within_1se": int(simplest["setting"]),
        "best": int(best["setting"]),
        "reason": _reason(default, settings, y, charged)
        + ("" if chosen == order[0] else _about_the_empty(rows.iloc[order[0]], settings)),
    }


def comparable(summary: pd.DataFrame) -> pd.DataFrame:
    """Return the settings with the most finished folds; others used other rows."""
    return summary[summary["folds"] == summary["folds"].max()] if len(summary) else summary


def coordinate(rows: pd.DataFrame, name: str) -> NDArray[np.float64]:
    """Read a column of a summary so that smaller is better."""
    if name not in rows.columns or not pd.api.types.is_numeric_dtype(rows[name]):
        numeric = [c for c in rows.columns if pd.api.types.is_numeric_dtype(rows[c])]
        raise ValueError(f"The summary has no measure {name!r}; it has {', '.join(numeric)}.")
    values: NDArray[np.float64] = rows[name].to_numpy(dtype=float)
    return -values if name in MAXIMISED else values


def neighbourhoods(
    settings: Sequence[Setting], learners: Sequence[str]
) -> list[tuple[list[Any], NDArray[np.float64]]]:
    """Return, for each size parameter, the line of each setting and its position on it."""
    names = dict.fromkeys(k for s in settings for k in s if k.rpartition("__")[2] in SIZE_KEYS)
    axes = []
    for name in names:
        lines = [
            (learner, name in setting, identity({k: v for k, v in setting.items() if k != name}))
            for setting, learner in zip(settings, learners, strict=True)
        ]
        values = [s.get(name) for s in settings]
        places = np.array([math.inf if v is None else float(v) for v in values])
        axes.append((lines, places))
    return axes


def identity(setting: Mapping[str, Any]) -> tuple[Any, ...]:
    """Return a key of a setting: plain values by value, other objects by identity."""
    return tuple(
        (name, type(value).__name__, value if isinstance(value, PLAIN) else id(value))
        for name, value in sorted(setting.items())
    )


def smoothed(scores: ArrayLike, axes: Sequence[tuple[Sequence[Hashable], ArrayLike]]) -> Any:
    """Average each setting's score with those of its neighbours.

    Shapes: scores (m,), axes m; result (m,).
    """
    smooth = np.array(scores, dtype=float)
    for line_of, coordinate in axes:
        places = np.asarray(coordinate, dtype=float)
        lines: dict[Hashable, list[int]] = {}
        for i in np.argsort(places, kind="stable").tolist():
            lines.setdefault(line_of[i], []).append(i)
        for members in lines.values():
            line = smooth[members]
            before, after = np.r_[line[:1], line[:-1]], np.r_[line[1:], line[-1:]]
            smooth[members] = 0.25 * before + 0.5 * line + 0.25 * after
    return smooth


def cheapest(scores: ArrayLike, sizes: ArrayLike, price: float) -> NDArray[np.intp]:
    """Sort settings by score plus `price` per condition; ties by conditions, then position.

    Shapes: scores, sizes (m,); result (m,).
    """
    size = np.nan_to_num(np.asarray(sizes, dtype=float))
    total = np.asarray(scores, dtype=float) + price * size
    return np.lexsort((size, total.round(12)))


def _price_of_condition(rows: pd.DataFrame, y: str) -> float:
    """Return the penalty of a condition in the unit of a measure.

    A share of rows as it is; a cost, which has a unit of its own, in shares of the greatest one.
    """
    return CONDITION_PRICE * (float(rows["_worth"].abs().max()) if y == COST else 1.0)


def _reason(default: Any, settings: Settings, y: str, price: float) -> str:
    """Return which setting was selected, and by which figure, in two sentences."""
    order = "highest" if y in MAXIMISED else "lowest"
    measure, penalty = y.replace("_", " "), _price(y, price)
    selected = f"Selected: {_named(default, settings)} ({_figure(default, y)}). It has the {order}"
    if FOREST_LOSS not in default:
        return (
            f"{selected} {measure}, averaged with similar settings, at a penalty of {penalty} for "
            "each condition."
        )
    return (
        f"{selected} estimated {measure} at a penalty of {penalty} for each condition; the "
        "estimate combines the folds of similar settings with a random forest's estimate for the "
        f"rule on all rows ({_value(default[FOREST_LOSS], y)})."
    )


def _about_the_empty(row: Any, settings: Settings) -> str:
    return (
        f" An empty rule ({_named(row, settings)}), which predicts one class for every row, is no "
        "worse by that figure; the best setting with a condition was selected."
    )


def _price(y: str, price: float) -> str:
    if y == COST:
        return f"{price:.3g}"
    return f"{CONDITION_PRICE:g}" if y in MAXIMISED else f"{100 * CONDITION_PRICE:g} points"


def _named(row: Any, settings: Settings) -> str:
    names = [
        _parameter(name, name.rpartition("__")[2], value)
        for name, value in settings[int(row["setting"])].items()
    ]
    return ", ".join(filter(None, names)) or str(row["learner"])


def _parameter(name: str, last: str, value: Any) -> str:
    if last in HIDDEN_AT_ZERO and value == 0:
        return ""
    if last in COUNTED and value is not None:
        return f"at most {value} {COUNTED[last]}{'' if value == 1 else 's'}"
    shown = f"{value:g}" if isinstance(value, float) else value
    return f"{CALLED[last]} {shown}" if last in CALLED else f"{name} = {value}"


def _figure(row: Any, y: str) -> str:
    return f"{_value(row[y], y)} with {row['n_conditions']:.1f} conditions"


def _value(value: float, y: str) -> str:
    if y == COST:
        return f"{value:.1f}"
    return f"{value:.3f}" if y in MAXIMISED else f"{100 * value:.1f} %"
