"""Settings that `RuleClassifier` compares on its training rows, and the selection."""

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import product
from numbers import Integral
from typing import Any

import joblib
import numpy as np
import pandas as pd
from joblib import effective_n_jobs
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from sklearn.isotonic import IsotonicRegression

from rulekit.binning.binned_table import Floats
from rulekit.data import Costs, make_folds
from rulekit.data.folds import Fold, restrict_folds
from rulekit.data.typed import read_labels
from rulekit.exceptions import DataError
from rulekit.learners.base import Paths, Setting
from rulekit.learners.choice import (
    ESTIMATE,
    FOREST_LOSS,
    FOREST_SIZE,
    FoldPaths,
    FoldScores,
    GroupGaps,
    Loss,
    comparable,
    estimates,
    fold_scores,
    suggestion,
)
from rulekit.learners.training import TrainingTable, as_constraints, plain_label

#: Prices of a condition for the box search, in wrong rows of a table of 500 rows.
SEARCH_PRICES = (0.1, 0.25, 0.5, 1.0, 2.0, 3.0, 5.0, 8.0, 12.0)
SEARCH_ROBUSTNESS = (0.0, 0.1)  # few, as a large pool is chosen from worse; 0.3 was left out for it
LABEL_NOISE = (0.0, 1.0)
SEARCH_CLAUSES = (1, 2, 3, 4, 5)
LIST_CLAUSES = (1, 2, 3)  # for each of several classes but one
TRUST = 0.75  # in the forest's shares; the rest in the row's own class
N_TREES = 200
MOST_POINTS = 10  # conditions of a scorecard where no limit is given
SELECTED_FORM = {
    "rule": "So it is a rule: conditions joined by AND and OR.",
    "points": "So it is points to add up: conditions with whole points, and a total.",
}


def search_grid(y: ArrayLike) -> dict[str, list[Any]]:
    """Return the settings of the box search that `RuleClassifier` compares.

    Parameters
    ----------
    y : array-like of shape (n,)

    Returns
    -------
    dict of str to list
        Two levels of ``robustness``, and of ``label_noise``; ``positive_label``: a rule for one
        class and a rule for the other, which says of the first when it is not given; 1 to 5
        ``n_clauses``; and nine prices ``theta``, in proportion to the rows: a small pool, see
        ``docs/decisions/0011``. A fold is searched once for each of the first eight combinations,
        whatever the number of prices and clauses. With more than two classes, which are all
        described, no label and no robustness, and 1 to 3 clauses for each class but one.

    Examples
    --------
    >>> grid = search_grid(["ill"] * 100 + ["well"] * 150)
    >>> grid["positive_label"], grid["theta"][:3]
    (['ill', 'well'], [0.05, 0.125, 0.25])
    """
    rows = read_labels(y)
    labels = np.unique(rows).tolist()
    prices = [float(f"{price * len(rows) / 500:.3g}") for price in SEARCH_PRICES]
    if len(labels) > 2:
        noise, clauses = list(LABEL_NOISE), list(LIST_CLAUSES)
        return {"label_noise": noise, "n_clauses": clauses, "theta": prices}
    return {
        "robustness": list(SEARCH_ROBUSTNESS),
        "label_noise": list(LABEL_NOISE),
        "positive_label": labels,
        "n_clauses": list(SEARCH_CLAUSES),
        "theta": prices,
    }


@dataclass(eq=False)
class Form:
    """A form of rule with its learner, its settings and their paths."""

    name: str
    learner: Any
    table: TrainingTable
    settings: tuple[Setting, ...]
    free: int = 1  # settings scored before the first look at the time
    empty: Setting | None = None  # learns a rule without conditions

    @cached_property
    def paths(self) -> Paths:
        """The paths on all rows."""
        return Paths(self.learner, self.table)


def form_of_rules(learner: Any, table: TrainingTable, label: Any = None) -> Form:
    """List the settings of `search_grid`, for rules of either class or of a given one."""
    grid = search_grid(table.y)
    if label is not None:
        grid["positive_label"] = [label]
    settings = [dict(zip(grid, values, strict=True)) for values in product(*grid.values())]
    # With more classes, the heaviest one is learned, which may not be the cheapest.
    exact = len(table.classes) == 2 and not as_constraints(learner.constraints).required
    positive = None if learner.costs is None else learner.costs.positive
    missed = table.classes[-1] if positive is None else positive
    of_missed = [s for s in settings if s.get("positive_label") == missed] or settings
    empty = of_missed[0] | {"theta": float(len(table.y))} if exact else None
    free = len(grid["n_clauses"]) * len(grid["theta"])
    return Form("rule", learner, table, tuple(settings), free, empty)


def form_of_points(learner: Any, table: TrainingTable, most: int | None = None) -> Form:
    """List sizes of a scorecard, from the smallest that fits the required conditions."""
    required = len(as_constraints(learner.constraints).required)
    sizes = range(max(1, required), required + (MOST_POINTS if most is None else most) + 1)
    free = sizes[0] + 3  # stops are checked before each size, from 0 on, and around all of them
    return Form("points", learner, table, tuple({"max_conditions": k} for k in sizes), free)


@dataclass(frozen=True, eq=False)
class Choice:
    """The selected form and setting, with the reason.

    `table` has a row for each setting: ``setting`` (its number), ``form``, its parameters, the
    measure and its standard error, mean sizes, ``folds`` (how many were finished), and
    ``forest_loss`` and ``forest_conditions``, a forest's estimate of the measure for the rule of
    all rows and its size, and ``estimate``, the sum whose lowest value is selected: the measure
    averaged with those of similar settings and with that estimate, plus the price of the
    conditions (NaN for settings outside the limits on gaps). With groups also ``gap_...``, the
    largest differences between them over the rows of all inner folds (NaN where fewer than two have
    30 rows), and ``gap``, the largest of those that `max_gap` limits.
    """

    form: str
    setting: Setting
    error: float  # mean of `measure` on the inner folds; optimistic, as the best of many
    constant_error: float  # of the constant rule
    reason: str
    default: int  # number of a setting in `table`, as the next three
    simplest_within_1se: int
    best: int
    table: pd.DataFrame = field(repr=False)
    measure: str = "test_error"  # or "test_cost_per_100"

    def gap_curve(self) -> pd.DataFrame:
        """List the rows of `table` with the lowest error for each gap between groups."""
        if "gap" not in self.table:
            raise ValueError("No groups were compared; give `groups` to the learner.")
        rows = comparable(self.table).dropna(subset=["gap"])
        rows = rows.assign(_error=rows[self.measure].round(12), _gap=rows["gap"].round(12))
        rows = rows.sort_values(["_gap", "_error", "n_conditions", "setting"])
        better = rows["_error"] < rows["_error"].cummin().shift(fill_value=np.inf)
        return rows[better].drop(columns=["_error", "_gap"]).reset_index(drop=True)

    def replace_setting(
        self, form: str, setting: Setting, row: pd.DataFrame, reason: str
    ) -> "Choice":
        """Return the choice of one more setting, whose row of a summary is added to `table`."""
        number = len(self.table)
        added = row.assign(setting=number, **({"form": form} if "form" in self.table else {}))
        table = pd.concat([self.table, added], ignore_index=True)
        figures: Any = {"error": float(row[self.measure].iloc[0]), "default": number}
        return replace(self, form=form, setting=setting, reason=reason, table=table, **figures)


@dataclass(frozen=True, eq=False)
class ForestLoss:
    """Loss of predictions for the training rows, by a random forest's out-of-bag votes."""

    # The votes estimate how often rows like a row have each class: an error counted by such shares
    # varies far less than that on a few folds, and a rule that only follows noise gains nothing.

    classes: NDArray[Any]  # (K,)
    expected: Floats  # (n, K)

    @classmethod
    def from_table(cls, table: TrainingTable, loss: Loss, learner: Any, seed: int) -> "ForestLoss":
        """Grow the forest."""
        from rulekit.learners.forest_kernels import MOST_ROWS, forest_columns, votes

        K, given = len(table.classes), table.weights(None)
        one_hot = np.eye(K)[table.codes]
        _, bins = clone(learner)._bin_table(table, False)
        barred = set(as_constraints(learner.constraints).forbidden)
        used = [s for s, e in enumerate(bins.encodings) if e.name not in barred]
        codes, ordered = forest_columns(bins.codes, bins.encodings, used)
        grow = partial(votes, codes, ordered, table.codes, given, N_TREES, seed, MOST_ROWS)
        shares = table.once(("votes", joblib.hash((codes, ordered)), seed), grow)
        if loss.costs is None:  # of each answer to a row of each class, (K, K)
            heavier = np.bincount(table.codes, loss.weight) / np.bincount(table.codes, given)
            prices = heavier[:, None] * (1.0 - np.eye(K))
        else:
            true, answers = np.repeat(table.classes, K), np.tile(table.classes, K)
            prices = 100.0 * loss.costs.compute(true, answers).reshape(K, K)
        if not np.allclose(prices, prices.max() * (1.0 - np.eye(len(prices)))):
            shares = calibrate_votes(shares, table.codes, given)
        mixed = np.where(np.isnan(shares), one_hot, (1.0 - TRUST) * one_hot + TRUST * shares)
        return cls(table.classes, given[:, None] * (mixed @ prices) / loss.weight.sum())

    def loss(self, answers: NDArray[Any]) -> float:
        """Compute the loss of predictions for all training rows."""
        each = [self.expected[answers == label, k].sum() for k, label in enumerate(self.classes)]
        return math.fsum(each)

    def losses(self, paths: Paths, settings: Sequence[Setting], until: float = math.inf) -> Floats:
        """Compute the loss and the size of the rules that settings learn from all rows."""
        clock = iter([False])  # the first setting is always scored
        return paths.score(
            settings,
            lambda rule: (self.loss(paths.table.predict(rule)), rule.n_conditions),
            2,
            None if math.isinf(until) else lambda: next(clock, True) and time.time() > until,
        )


def estimate_losses(
    models: Sequence[Any],
    learner: Any,
    X: Any,
    y: Any,
    *,
    sample_weight: Any = None,
    costs: Costs | None = None,
) -> Floats:
    """Compute the loss and the size of fitted rules by a forest's votes on given rows."""
    table = clone(learner)._read(X, y, sample_weight)
    forest = ForestLoss.from_table(table, Loss(table.y, table.weights(None), costs), learner, 0)
    losses = [forest.loss(model.rule_set_.predict(table.columns)) for model in models]
    return np.array([losses, [float(model.n_conditions_) for model in models]], dtype=float).T


def calibrate_votes(shares: Floats, codes: NDArray[np.integer], weight: Floats) -> Floats:
    """Turn out-of-bag votes (n, K) into probabilities by isotonic regression, class by class."""
    # Votes are drawn towards the middle; with unequal costs that makes every rule look expensive.
    with_votes = np.flatnonzero(~np.isnan(shares).any(axis=1))
    calibrated_shares = shares.copy()
    for k in range(shares.shape[1]):
        curve = IsotonicRegression(y_min=1e-3, y_max=1.0)
        calibrated_shares[with_votes, k] = curve.fit(
            shares[with_votes, k], (codes[with_votes] == k).astype(float), weight[with_votes]
        ).predict(shares[with_votes, k])
    calibrated_shares[with_votes] /= calibrated_shares[with_votes].sum(axis=1, keepdims=True)
    return calibrated_shares


Criteria = tuple[Sequence[Setting], str, float]  # settings, measure, price of a condition


@dataclass(eq=False)
class InnerComparison:
    """Forms and their settings on the same inner folds."""

    forms: Sequence[Form]
    table: TrainingTable
    folds: Sequence[Fold]
    loss: Loss
    n_jobs: int | None = None
    limit: float | None = None
    until: float = math.inf
    gaps: GroupGaps | None = None
    forest: ForestLoss | None = None
    refine: bool = False

    @cached_property
    def fold_paths(self) -> dict[str, list[FoldPaths]]:
        """The paths of each form on the folds."""
        return {f.name: [FoldPaths(f.learner, fold) for fold in self.folds] for f in self.forms}

    def choose(self) -> Choice:
        """Compare all settings, and select one."""
        forms, loss, gaps = self.forms, self.loss, self.gaps
        scores = FoldScores(np.hstack([self._scores(k).values for k in range(len(forms))]))
        names = [form.name for form in forms for _ in form.settings]
        settings = [setting for form in forms for setting in form.settings]
        named = [{"form": n} | s for n, s in zip(names, settings, strict=True)]
        listed = named if len(forms) > 1 else settings
        criteria = (listed, loss.measure, loss.price)
        summary = scores.summary(listed, loss.measure)
        if self.forest is not None:
            losses = [self.forest.losses(f.paths, f.settings, self.until) for f in forms]
            estimated = np.concatenate(losses)
            if np.isfinite(estimated).all():
                summary[[FOREST_LOSS, FOREST_SIZE]] = estimated
        allowed, about = summary, ""
        if gaps is not None:
            summary = summary.assign(**gaps.compute_gaps(scores.counts))
            allowed, about = gaps.select_allowed(comparable(summary), loss)
            if gaps.limits:
                passed = self._list_rejected(allowed, criteria, names, settings)
                allowed = allowed[~allowed["setting"].isin(passed)]
                about += gaps.describe_rejected(len(passed), allowed)
        suggested = suggestion(allowed, *criteria)
        summary.loc[allowed.index, ESTIMATE] = estimates(allowed, *criteria)
        number = suggested["default"]
        error = float(summary.loc[number, loss.measure])
        # of one class for every row: the best one of each fold
        labels = self.table.classes
        costs = [[loss.compute(t, np.full(len(t), c)) for c in labels] for t, _ in self.folds]
        cheapest = zip(self.folds, labels[np.argmin(costs, axis=1)], strict=True)
        of_constant = np.array([loss.compute(t, np.full(len(t), c)) for (_, t), c in cheapest])
        constant = float(of_constant.mean())
        of_forms = _describe_forms(allowed, names, number, criteria, loss)
        reason = suggested.pop("reason") + of_forms + about
        if constant <= error + 1e-12:
            least, rules = loss.text(constant), f"than this setting's rules ({loss.text(error)})"
            reason += (
                f" The most frequent class, given to every row, is wrong in {least} of the same "
                f"rows, and so no worse {rules}: where wrong rows alone count, answer without a "
                "rule."
                if loss.costs is None
                else f" The cheapest answer, given to every row, costs {least} on the same rows, "
                f"no more {rules}: answer without a rule."
            )
        selected = names[number], settings[number], error, constant, reason
        choice = Choice(*selected, **suggested, table=summary, measure=loss.measure)
        if loss.costs is None:
            return choice
        return _take_cheaper_constant(choice, forms, of_constant, loss)

    def _scores(self, k: int) -> FoldScores:
        """Score the settings of a form within its share of the time."""
        form, stops, n_folds = self.forms[k], None, len(self.folds)
        if self.limit is not None:  # each fold has an equal share
            share = self.limit / len(self.forms)
            end = self.until - share * (len(self.forms) - 1 - k)
            workers = min(effective_n_jobs(self.n_jobs), n_folds)
            rounds = math.ceil(n_folds / workers)
            left = [rounds - 1 - fold // workers for fold in range(n_folds)]
            stops = [_Deadline(end - share * n / rounds, form.free) for n in left]
        paths, settings = self.fold_paths[form.name], form.settings
        return fold_scores(paths, self.table, settings, self.loss, self.n_jobs, stops, self.gaps)

    def settle(self, name: str, setting: Setting) -> tuple[Form, Setting]:
        """Return a form and its setting, with cuts refined where the inner folds improve by it."""
        form = next(form for form in self.forms if form.name == name)
        if form.name != "rule":
            return form, setting
        both = [setting | {"refine_thresholds": moves} for moves in (False, True)]
        if not self.refine or time.time() > self.until:
            return form, both[0]
        loss = Loss(self.table.y, form.learner._weights(self.table))
        scores = fold_scores(self.fold_paths[name], self.table, both, loss, self.n_jobs)
        plain, moved = scores.loss.mean(axis=0)
        return form, both[int(moved < plain - 1e-12)]

    def _list_rejected(
        self, allowed: pd.DataFrame, criteria: Criteria, names: list[str], settings: list[Setting]
    ) -> list[int]:
        """List the settings whose rule on all rows breaks a limit, best first."""
        assert self.gaps is not None
        passed: list[int] = []
        while len(remaining := allowed[~allowed["setting"].isin(passed)]):
            number = suggestion(remaining, *criteria)["default"]
            form, setting = self.settle(names[number], settings[number])
            if self.gaps.is_kept(self.table.predict(form.paths.rule(setting))):
                return passed
            passed.append(number)
        return passed


def _take_cheaper_constant(
    choice: Choice, forms: Sequence[Form], of_constant: Floats, loss: Loss
) -> Choice:
    """Return the choice of an empty rule if the cheapest constant costs no more on the folds."""
    form = next((form for form in forms if form.empty is not None), None)
    if form is None or form.empty is None or choice.constant_error > choice.error + 1e-12:
        return choice
    scores = FoldScores(of_constant[:, None, None] * [1.0, 0.0, 0.0])
    row = scores.summary([form.empty], choice.measure)
    reason = (
        f"Selected: one answer for every row, which costs {loss.text(choice.constant_error)} on "
        f"the inner folds. The rules of the best setting cost {loss.text(choice.error)} there."
    )
    return choice.replace_setting(form.name, form.empty, row, reason)


def _describe_forms(
    allowed: pd.DataFrame, names: list[str], number: int, criteria: Criteria, loss: Loss
) -> str:
    """Return a sentence that compares the selected form with the others."""
    form_of_row, figures = allowed["setting"].map(lambda k: names[k]), []
    if form_of_row.nunique() < 2:
        return ""
    for name in dict.fromkeys(form_of_row):
        of_form = allowed[form_of_row == name]
        row = of_form.loc[suggestion(of_form, *criteria)["default"]]
        size = f"{row['n_conditions']:.1f} conditions"
        figures.append(f"{name} {loss.text(row[loss.measure])} with {size}")
    each = f" Of each form the setting it would take alone: {', '.join(figures)}."
    return f"{each} {SELECTED_FORM[names[number]]}"


def single_row_class(cv: Any, table: TrainingTable) -> Any:
    """Return the label of a class of one row, which no inner folds can hold, else None."""
    counts = np.bincount(table.codes)
    alone = isinstance(cv, Integral) and counts.min() < 2
    return plain_label(table.classes[int(counts.argmin())]) if alone else None


def simplest(form: Form, table: TrainingTable, loss: Loss) -> Choice:
    """Select the setting of one clause, or of one condition, without a comparison."""
    middle = float(f"{len(table.y) / 500:.3g}")  # one wrong row of 500, see `SEARCH_PRICES`
    plain = [s for s in form.settings if not s.get("robustness") and not s.get("label_noise")]
    setting = next((s for s in plain if s.get("theta", middle) == middle), plain[0])
    row = {"setting": 0, **setting, loss.measure: np.nan, f"{loss.measure}_se": np.nan, "folds": 0}
    reason = "A class of a single row cannot be cross-validated; the simplest setting is used."
    selected = form.name, setting, np.nan, np.nan, reason
    return Choice(*selected, 0, 0, 0, pd.DataFrame([row]), loss.measure)


def inner_folds(cv: Any, table: TrainingTable, seed: int) -> list[Fold]:
    """Split the training rows into folds, fewer if the rarer class has fewer rows."""
    if isinstance(cv, (list, tuple)):
        return restrict_folds(cv, table.y, table.used)
    if isinstance(cv, Integral):
        if (alone := single_row_class(cv, table)) is not None:
            raise DataError(
                "Choosing by cross-validation needs two rows of each class or more; class "
                f"{alone!r} has a single row. Leave this class out, or find more rows of it."
            )
        cv = min(int(cv), int(np.bincount(table.codes).min()))
    return make_folds(table.y, cv, random_state=seed)


@dataclass
class _Deadline:
    """Deadline of the work on a fold; the first settings are always tried."""

    until: float
    free: int

    def __call__(self) -> bool:
        self.free -= 1
        return self.free < 0 and time.time() > self.until


def compare_losses(
    pair: tuple[Any, Any],
    table: TrainingTable,
    folds: Sequence[Fold],
    loss: Loss,
    n_jobs: int | None = None,
) -> tuple[Floats, float, FoldScores]:
    """Compare two fitted learners on the same inner folds, without refined cuts."""
    each = []
    for learner in pair:
        plain = {"refine_thresholds": False} if "refine_thresholds" in learner._looked_up else {}
        paths = [FoldPaths(learner, fold) for fold in folds]
        scores = fold_scores(paths, table, [plain], loss, n_jobs, counted=loss.spread_over_rows)
        of_rows = [scores.counts[k, 0][test] for k, (_, test) in enumerate(folds)]
        each.append(np.concatenate(of_rows))
    weight = np.concatenate([loss.weight[test] for _, test in folds])
    losses = np.array(each) @ weight / weight.sum()
    spread = weight * (each[1] - each[0] - (losses[1] - losses[0]))
    tested = np.concatenate([test for _, test in folds])
    of_row = np.bincount(tested, spread)  # a row of repeated folds is one observation
    return losses, float(np.sqrt(of_row @ of_row) / weight.sum()), scores
