"""Stability: learning repeated on resamples of the rows."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from numbers import Integral, Real
from typing import Any

import numpy as np
import pandas as pd
from joblib import effective_n_jobs
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted
from threadpoolctl import threadpool_limits

from rulekit._frames import as_pandas
from rulekit._validation import row_weights
from rulekit.evaluation.trust.stability_found import Resample, Stability
from rulekit.exceptions import DataError
from rulekit.families import RuleClassifier
from rulekit.learners import BoxSearchClassifier, FixedRuleClassifier, search_grid
from rulekit.learners.choice import suggestion, summary_of
from rulekit.learners.cluster import Once, cached_on_workers, in_order, spread, tried_twice
from rulekit.learners.training import Clock, SharedWork
from rulekit.rules.rule_set import rule_of

TRIES = 100  # attempts to draw groups until every class occurs
N_REPORTS = 20  # number of progress reports


def stability(  # noqa: PLR0913  all but three by keyword
    model: Any,
    X: Any,
    y: ArrayLike,
    *,
    n_resamples: int = 100,
    budget_seconds: float | None = None,
    groups: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    random_state: int = 0,
    n_jobs: int | None = None,
    on_progress: Callable[[Stability], None] | None = None,
    should_stop: Callable[[], bool] | None = None,
) -> Stability:
    """Learn the rule again from resamples of its rows, and count what returns.

    A resample draws as many rows as there are, with replacement, within each class; a row drawn
    twice counts twice. About 37 % of the rows are left out of each resample, and the rule is
    measured on them.

    Parameters
    ----------
    model : fitted classifier
        It is learned again with its parameters. For a `RuleClassifier`, the selected kind of search
        is repeated, and the size of the rule, price and clauses or number of points, is selected
        again, on the rows left out.
    X, y, sample_weight
        The table it was learned from.
    n_resamples : int, default=100
        Number of resamples, at least two.
    budget_seconds : float, default=None
        No resample is started after this many seconds; at least two are made. None is no limit.
    groups : array-like of shape (n,), default=None
        Whole groups of rows are drawn, whatever their classes.
    random_state : int, default=0
        For the draws, and for learners without a seed.
    n_jobs : int, default=None
        Workers, as joblib counts them; the result does not depend on it.
    on_progress : callable, optional
        Called about twenty times with the results so far.
    should_stop : callable, optional
        Called between resamples; true ends the work, and the finished resamples are returned.

    Raises
    ------
    ValueError
        If a parameter is invalid.
    DataError
        If the table cannot be used, the rule was not learned, or no resample of the groups has all
        classes.

    Notes
    -----
    Costs as much as `n_resamples` fits. A `max_gap` does not apply when sizes are selected again.

    References
    ----------
    .. [1] N. Meinshausen, P. Buhlmann, "Stability selection" (2010).

    Examples
    --------
    >>> from rulekit import BoxSearchClassifier, load_sample
    >>> X, y = load_sample("breast_cancer").xy("diagnosis")
    >>> X = X[["worst radius", "worst texture", "worst smoothness"]]
    >>> model = BoxSearchClassifier(theta=5.0, n_clauses=1, random_state=0).fit(X, y)
    >>> found = stability(model, X, y, n_resamples=20)
    >>> found.columns.set_index("column")["returned"].to_dict()["worst radius"]
    20
    """
    _check(n_resamples, budget_seconds, random_state)
    rule = rule_of(model)
    check_is_fitted(model, "rule_set_")
    if isinstance(model, FixedRuleClassifier):
        raise DataError(
            "This rule was written or changed by hand, so there is no learner to repeat. "
            "Pass the learner it came from."
        )
    X = as_pandas(X)
    frame = X if isinstance(X, pd.DataFrame) else pd.DataFrame(np.asarray(X))
    labels = np.asarray(y)
    if len(labels) != len(frame):
        raise DataError(
            f"`X` and `y` must have the same number of rows; they have {len(frame)} and "
            f"{len(labels)}."
        )
    weight = row_weights(sample_weight, None, frame, labels)
    drawn = _draws(labels, weight, groups, random_state)
    again = _again(model)
    of_classes = again.learner._class_weight(np.unique(labels))
    loss = row_weights(sample_weight, of_classes, frame, labels)
    stop = Clock.of_seconds(budget_seconds, should_stop)
    columns = model.read_columns(X)
    empty = Stability(rule, (), n_resamples, columns, labels, loss, of_classes is not None)
    done: list[Resample] = []
    rows = (frame, labels, weight, loss)
    with cached_on_workers():
        for resamples in _made(again, rows, drawn, n_resamples, n_jobs, stop):
            before = len(done)
            done += resamples
            step = max(1, n_resamples // N_REPORTS)
            if on_progress is not None and len(done) // step > before // step:
                on_progress(replace(empty, resamples=tuple(done)))
    return replace(empty, resamples=tuple(done))


def _check(n_resamples: Any, budget_seconds: Any, random_state: Any) -> None:
    """Check the arguments."""
    whole = isinstance(n_resamples, Integral) and not isinstance(n_resamples, bool)
    if not whole or n_resamples < 2:
        raise ValueError(f"`n_resamples` must be a whole number, 2 or more, got {n_resamples!r}.")
    if budget_seconds is not None and not (
        isinstance(budget_seconds, Real) and float(budget_seconds) > 0
    ):
        raise ValueError(f"`budget_seconds` must be positive or None, got {budget_seconds!r}.")
    if not isinstance(random_state, Integral) or random_state < 0:
        raise ValueError(f"`random_state` must be a whole number, 0 or more, got {random_state!r}.")


Rows = tuple[pd.DataFrame, NDArray[Any], NDArray[np.float64], NDArray[np.float64]]  # X, y, what a
# row weighs, and what its error does
Draw = Callable[[int], tuple[NDArray[np.float64], int]]


def _draws(y: NDArray[Any], weight: NDArray[np.float64], groups: Any, random_state: int) -> Draw:
    """Return a function that draws the k-th resample: counts of rows, and a seed."""
    units, parts = _units(y, groups)
    _, codes = np.unique(y, return_inverse=True)
    n_classes = int(codes.max()) + 1

    def drawn(k: int) -> tuple[NDArray[np.float64], int]:
        rng = np.random.default_rng([random_state, k])
        for _ in range(TRIES):
            times = np.zeros(int(units.max()) + 1)
            for part in parts:
                chosen = rng.integers(len(part), size=len(part))
                times[part] = np.bincount(chosen, minlength=len(part))
            drawn_times = times[units]
            drawn_classes = len(np.unique(codes[drawn_times * weight > 0]))
            if drawn_classes == n_classes and (weight[drawn_times == 0] > 0).any():
                return drawn_times, int(rng.integers(2**31))
        raise DataError(
            f"None of {TRIES} resamples held every class and left a row out: there are too few "
            f"{'rows' if groups is None else 'groups with rows'} of the rarer class. Find more"
            f"{'.' if groups is None else ', or draw rows instead (`groups=None`).'}"
        )

    return drawn


def _units(y: NDArray[Any], groups: Any) -> tuple[NDArray[np.intp], list[NDArray[np.intp]]]:
    """Return the unit of each row, and the sets of units that are drawn from together."""
    if groups is None:
        return np.arange(len(y)), [np.flatnonzero(y == label) for label in pd.unique(y)]
    given = np.asarray(groups)
    if given.shape != y.shape:
        raise DataError(
            f"`groups` must name a group for each of the {len(y)} rows; its shape is {given.shape}."
        )
    codes, names = pd.factorize(given)
    if (codes < 0).any():
        raise DataError(
            f"`groups` must name a group for every row; {int((codes < 0).sum())} have none. Set "
            "one; a row can be a group of its own."
        )
    if len(names) < 2:
        raise DataError("`groups` must name two groups or more; all rows are in one.")
    return codes, [np.arange(len(names))]


@dataclass(frozen=True)
class _Learning:
    """How a rule is learned again: a learner, and the settings to select from."""

    learner: Any
    sizes: Callable[[NDArray[Any]], list[dict[str, Any]]] | None = None
    refines: bool = False


def _again(model: Any) -> _Learning:
    """Return how to learn a model again."""
    if not isinstance(model, RuleClassifier):
        return _Learning(clone(model))
    learner = clone(model.learner_)
    if isinstance(learner, BoxSearchClassifier):
        learner.set_params(refine_thresholds=False, time_limit=None)
        refines = bool(model.best_params_["refine_thresholds"])
        return _Learning(learner, _prices_and_clauses, refines)
    most = int(model.choice_.table["max_conditions"].max())
    learner.set_params(calibration_folds=0)
    return _Learning(learner, _Sizes(most))


def _prices_and_clauses(y: NDArray[Any]) -> list[dict[str, Any]]:
    grid = search_grid(y)
    return [{"n_clauses": k, "theta": p} for k in grid["n_clauses"] for p in grid["theta"]]


@dataclass(frozen=True)
class _Sizes:
    """Sizes of a scorecard."""

    most: int

    def __call__(self, y: NDArray[Any]) -> list[dict[str, Any]]:
        """Return the sizes."""
        return [{"max_conditions": k} for k in range(1, self.most + 1)]


def _made(
    again: _Learning,
    rows: Rows,
    drawn: Draw,
    n: int,
    n_jobs: int | None,
    stop: Clock,
) -> Iterator[list[Resample]]:
    """Learn from all resamples, as many at a time as there are workers."""
    workers = effective_n_jobs(n_jobs)
    begun = 0
    while begun < n and not (stop.stopped() or (begun >= 2 and stop())):
        batch = range(begun, min(n, begun + workers))
        work = partial(_batch, again, rows, [drawn(k) for k in batch], n_jobs)
        yield tried_twice(work, f"{begun} of {n} resamples were made.".__str__)
        begun += len(batch)


def _batch(again: _Learning, rows: Rows, draws: list[Any], n_jobs: int | None) -> list[Resample]:
    """Learn from some resamples at a time."""
    return in_order(spread(_resampled, [(Once(rows), again, *draw) for draw in draws], n_jobs))


def _resampled(rows: Rows, again: _Learning, times: NDArray[np.float64], seed: int) -> Resample:
    """Learn from one resample, given as counts of rows."""
    X, y, weight, loss = rows
    learner = clone(again.learner)
    learner_seed = learner.get_params(deep=False).get("random_state", 0)
    if not isinstance(learner_seed, Integral):
        learner.set_params(random_state=seed)
    seen, left = np.flatnonzero(times * weight > 0), np.flatnonzero((times == 0) & (weight > 0))
    part = X.iloc[seen], y[seen], (times * weight)[seen], (times * loss)[seen]
    rest = X.iloc[left], y[left], weight[left], loss[left]
    with threadpool_limits(1):  # the warnings of a hundred fits are not shown
        if again.sizes is None:
            model = learner._fit_quietly(*part[:3])
        else:
            model = _of_the_best_size(again, learner, part, rest)
        wrong = np.asarray(model.predict(rest[0]) != rest[1])
    values, codes = np.unique(part[1], return_inverse=True)
    usual = values[np.bincount(codes, part[3]).argmax()]
    return Resample(model.rule_set_, left, wrong, np.asarray(rest[1] != usual))


def _of_the_best_size(again: _Learning, learner: Any, part: Rows, rest: Rows) -> Any:
    """Learn rules of all sizes, and select one by its errors on the rows left out."""
    assert again.sizes is not None
    X, y, weight, _ = part
    settings = again.sizes(y)
    models = list(learner._models(learner._read(X, y, weight), settings, SharedWork(many=True)))
    scores = np.full((1, len(settings), 3), np.nan)
    losses: dict[Any, float] = {}
    for i, model in enumerate(models):
        rule = model.rule_set_
        if rule not in losses:
            wrong = model.predict(rest[0]) != rest[1]
            losses[rule] = float(rest[3] @ wrong / rest[3].sum())
        scores[0, i] = losses[rule], model.n_conditions_, model.n_rules_
    taken = suggestion(summary_of(settings, scores), settings, "test_error")["default"]
    if not again.refines:
        return models[taken]
    learner = clone(learner).set_params(**settings[taken], refine_thresholds=True)
    return learner._fit_quietly(X, y, weight)
