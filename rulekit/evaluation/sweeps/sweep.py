"""Cross-validation of a learner over a grid, in parallel, resumable, with progress."""

import tempfile
import threading
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from joblib import effective_n_jobs
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from threadpoolctl import threadpool_limits

from rulekit.data import Costs, make_folds
from rulekit.data.folds import Fold
from rulekit.data.target import read_labels
from rulekit.data.typed import as_pandas
from rulekit.evaluation import metrics
from rulekit.evaluation.sweeps.collector import Collector, Work
from rulekit.evaluation.sweeps.grid import PATH_KEYS, SHARED_KEYS, Grid, families, settings_of
from rulekit.evaluation.sweeps.result import SweepResult, fit_setting
from rulekit.evaluation.sweeps.store import SweepStore
from rulekit.learners.base import BaseRuleClassifier
from rulekit.learners.choice import COST, Setting
from rulekit.learners.cluster import PULSE, Once, cancellation, spread, tried_twice
from rulekit.rules import Columns
from rulekit.rules.codec import rule_to_dict

Part = tuple[Any, NDArray[Any], NDArray[np.float64] | None]  # features, classes, weights


@dataclass(frozen=True)
class FoldRows:
    """The rows of one fold; shapes: X (n, k), y (n,), weight (n,)."""

    X: Any
    y: NDArray[Any]
    weight: NDArray[np.float64] | None
    train_rows: NDArray[np.intp]
    test_rows: NDArray[np.intp]
    costs: Costs | None = None

    @cached_property
    def train(self) -> Part:
        """Features, classes and weights of the training rows."""
        return self._part(self.train_rows)

    @cached_property
    def test(self) -> Part:
        """Features, classes and weights of the test rows."""
        return self._part(self.test_rows)

    def _part(self, at: NDArray[np.intp]) -> Part:
        X = self.X.iloc[at] if isinstance(self.X, pd.DataFrame) else np.asarray(self.X)[at]
        return X, self.y[at], None if self.weight is None else self.weight[at]


class Measuring:
    """Measures models of one fold; equal rules of learners that share their work only once."""

    def __init__(self, estimator: Any, rows: FoldRows) -> None:
        self.rows = rows
        self._shares_work = hasattr(estimator, "fit_many")
        self._has_label = hasattr(estimator, "positive_label")
        self._label = getattr(estimator, "positive_label", None)
        self._errors_by_rule: dict[Any, dict[str, Any]] = {}
        self._columns: tuple[Columns, Columns] | None = None

    def __call__(self, model: Any) -> dict[str, Any]:
        """Measure one fitted model on both parts of the fold."""
        rule = getattr(model, "rule_set_", None)
        errors = self._errors_by_rule.get(rule) if self._shares_work and rule is not None else None
        if errors is None:
            errors = self._errors(model)
            errors["rule"] = None if rule is None else rule_to_dict(rule)
            self._errors_by_rule[rule] = errors
        size = getattr(model, "n_conditions_", None) if rule is None else rule.n_conditions
        return errors | {
            "n_conditions": _number(size),  # a tree's count differs from the count of its rule
            "n_clauses_used": _number(getattr(model, "n_rules_", None)),
            "objective": _number(getattr(model, "objective_", None)),
        }

    def _errors(self, model: Any) -> dict[str, Any]:
        _, y, weight = self.rows.test
        _, y_train, weight_train = self.rows.train
        predicted, predicted_train, scores = self._answers(model)
        measured = {
            "test_error": metrics.error_rate(y, predicted, weight),
            "train_error": metrics.error_rate(y_train, predicted_train, weight_train),
            "test_balanced_error": metrics.balanced_error_rate(y, predicted, weight),
        }
        if self.rows.costs is not None:
            measured[COST] = metrics.cost_per_100(y, predicted, self.rows.costs, weight)
        if len(model.classes_) != 2:
            return measured
        positive = self._positive(model)
        counts = metrics.confusion_counts(y, predicted, positive, weight)
        measured |= {f"test_{name}": count for name, count in counts.items()}
        measured["test_f1"] = metrics.f1_score(counts)
        if scores is not None:
            column = int(np.flatnonzero(model.classes_ == positive)[0])
            measured["test_auc"] = metrics.area_under_roc(y, scores[:, column], positive, weight)
        return measured

    def _answers(self, model: Any) -> tuple[NDArray[Any], NDArray[Any], NDArray[np.float64] | None]:
        """Return predictions on test and training rows, and any probabilities on test rows."""
        X, X_train = self.rows.test[0], self.rows.train[0]
        if not (self._shares_work and isinstance(model, BaseRuleClassifier)):
            scores = model.predict_proba(X) if hasattr(model, "predict_proba") else None
            return model.predict(X), model.predict(X_train), scores
        if self._columns is None:
            self._columns = model.read_columns(X), model.read_columns(X_train)
        test, train = self._columns
        return model.predict(test), model.predict(train), model.predict_proba(test)

    def _positive(self, model: Any) -> Any:
        if not self._has_label:
            return getattr(model, "positive_label_", model.classes_[-1])
        return model.classes_[-1] if self._label is None else self._label


def _number(value: Any) -> float | None:
    return None if value is None else float(value)


OnResult = Callable[[dict[str, Any]], None]
ShouldStop = Callable[[], bool]
Land = Callable[[int, int, dict[str, Any]], None]  # setting, fold, measures


@dataclass(frozen=True)
class _Task:
    """One fold and one family of settings: the work of one worker call."""

    estimator: Any
    fold: int
    numbers: tuple[int, ...]
    settings: tuple[Setting, ...]
    costs: Costs | None


def sweep(  # noqa: PLR0913  one call says everything; all but three are by keyword
    estimator: Any,
    X: Any,
    y: ArrayLike,
    *,
    grid: Grid,
    cv: Any = 10,
    n_jobs: int | None = None,
    random_state: int | None = None,
    store: SweepStore | None = None,
    on_result: OnResult | None = None,
    should_stop: ShouldStop | None = None,
    sample_weight: ArrayLike | None = None,
    costs: Costs | None = None,
    only_stored: bool = False,
) -> SweepResult:
    """Cross-validate a learner over a grid of settings.

    Parameters
    ----------
    estimator : classifier
        Not modified. One with ``fit_many`` fits the settings of a fold from one shared preparation;
        any other scikit-learn classifier is cloned and fitted.
    X : DataFrame or array of shape (n, k)
        Features.
    y : array-like of shape (n,)
        Classes.
    grid : mapping of str to list, or several of these
        Parameters to vary. Each mapping gives all combinations of its values.
    cv : int, splitter or iterable, default=10
        See `rulekit.data.folds.make_folds`; folds are seeded, shuffled and stratified. Give
        ``make_folds(y, 10, groups=...)`` to keep groups together.
    n_jobs : int, default=None
        Workers, as joblib counts them: None is one, or the value set by `joblib.parallel_config`.
        The active backend is used; each worker computes with one thread.
    random_state : int, default=None
        Seed of the folds; None is 0, so that a sweep can be repeated and resumed.
    store : SweepStore, default=None
        Where finished fits are stored, as soon as `on_result` gets them, and looked up first.
    on_result : callable, default=None
        Called with a row of the table (a dictionary, with ``done``, ``total`` and ``from_store``
        added), stored rows first: after each fit if workers share this process's memory, else after
        all fits of a unit of work. Never called concurrently, but not always from the calling
        thread. An exception raised by it ends the sweep and is raised.
    should_stop : callable, default=None
        Called between fits, from any thread; True ends the sweep early.
    sample_weight : array-like of shape (n,), default=None
        Weights of rows, in fits and in errors.
    costs : Costs, default=None
        Costs of wrong predictions: measured as `test_cost_per_100`, and used in learning. A learner
        with a parameter `costs` gets them, any other gets equivalent weights of rows. None for the
        costs that the learner has already.
    only_stored : bool, default=False
        Fit nothing: return what is stored for exactly these fits, as after a stop.

    Returns
    -------
    SweepResult
        Its table does not depend on `n_jobs`, on the order of the work, or on the store's content
        (except for ``seconds``) if the learner is repeatable. After a stop it contains what was
        finished, and ``complete`` is False.

    Raises
    ------
    ValueError
        If the grid names no parameter of the learner, lengths differ, `only_stored` is set without
        a store, or the learner has other costs, or class weights in addition; and any error of a
        fit, with a note on its setting and fold.
    DataError
        If a class has fewer rows than folds, or the store cannot be used.
    RulekitError
        If a worker process is killed, and another one in a second attempt.

    Notes
    -----
    A unit of work is one fold with all settings that can share its matrix.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> tree = DecisionTreeClassifier(random_state=0)
    >>> found = sweep(tree, X, y, grid={"max_leaf_nodes": [2, 3]}, cv=5)
    >>> found.summary["test_error"].round(3).tolist()
    [0.333, 0.073]
    """
    if only_stored and store is None:
        raise ValueError("`only_stored` needs a `store` to read from; got None.")
    X = as_pandas(X)
    labels, weights = _checked(X, y, sample_weight)
    settings = settings_of(grid, estimator)
    folds = make_folds(labels, cv, random_state=0 if random_state is None else random_state)
    settled = settled_costs(costs, [estimator], labels)
    work = Work(priced(estimator, settled), settings, folds, X, labels, weights, settled)
    collector = Collector(work, store, on_result)
    stop = should_stop or (lambda: False)
    if not stop():
        collector.look_up()
    if only_stored:
        return collector.result()

    tried_twice(lambda: _run(work, collector, stop, n_jobs), collector.kept)
    return collector.result()


class _Caller:
    """The caller, as seen by tasks: functions in its process, a stop file in other processes."""

    is_remote = False  # whether this is a copy in another process

    def __init__(self, land: Land, should_stop: ShouldStop) -> None:
        self._land, self._should_stop = land, should_stop
        self.error: Exception | None = None

    def __enter__(self) -> "_Caller":
        self._folder = tempfile.TemporaryDirectory(prefix="rulekit-", ignore_cleanup_errors=True)
        self._file = Path(self._folder.name) / "stop"
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="sweep-stop", daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._file.touch()
        self._ended.set()
        self._thread.join()
        self._folder.cleanup()

    def __getstate__(self) -> dict[str, Any]:
        """Pickle without functions, locks and threads."""
        return {"_file": self._file, "is_remote": True}

    def report(self, setting: int, fold: int, measured: dict[str, Any]) -> None:
        """Pass on a result in the caller's process; its first error stops the tasks."""
        if not self.is_remote:
            try:
                self._land(setting, fold, measured)
            except Exception as error:
                self.error = self.error or error

    def stopped(self) -> bool:
        """Return whether tasks should end; in the caller's process."""
        return self.error is not None or self._should_stop()

    def stop_in_task(self) -> ShouldStop:
        """Return the check of this thread's task, in any process."""
        return (cancellation() or self._file.exists) if self.is_remote else self.stopped

    def _watch(self) -> None:
        """Create the file when the tasks should end."""
        while not self._ended.wait(PULSE):
            try:
                if self.stopped():
                    self._file.touch()
                    return
            except Exception as error:
                self.error = self.error or error


def _run(work: Work, collector: Collector, stop: ShouldStop, n_jobs: int | None) -> None:
    """Distribute the remaining work; after an error wait, since aborting kills workers."""
    tasks = _tasks(work, collector, effective_n_jobs(n_jobs))
    rows = Once((work.X, work.y, work.weights), collector.data)
    folds = [Once(*pair) for pair in zip(work.folds, collector.folds, strict=True)]
    with _Caller(collector.land, stop) as caller, threadpool_limits(1):
        calls = [(rows, folds[task.fold], task, caller) for task in tasks]
        for position, (result, error) in spread(_do, calls, n_jobs, caller.stopped):
            caller.error = caller.error or error
            for number, measured in result:
                caller.report(number, tasks[position].fold, measured)
        if caller.error is not None:
            raise caller.error


def _tasks(work: Work, collector: Collector, n_workers: int) -> list[_Task]:
    """List the remaining units, fold by fold; smaller ones if workers would be idle."""
    groups = families(work.settings, SHARED_KEYS)
    if len(groups) * len(work.folds) < n_workers:
        groups = families(work.settings, PATH_KEYS)
    tasks = []
    for fold in range(len(work.folds)):
        for group in groups:
            todo = tuple(i for i in group if not collector.has(i, fold))
            if todo:
                settings = tuple(work.settings[i] for i in todo)
                tasks.append(_Task(work.estimator, fold, todo, settings, work.costs))
    return tasks


def _do(
    table: Part, fold: Fold, task: _Task, caller: _Caller
) -> tuple[list[tuple[int, dict[str, Any]]], Exception | None]:
    """Fit and measure every setting of a task; report each at once in the caller's process."""
    rows: list[tuple[int, dict[str, Any]]] = []
    rows_of = FoldRows(*table, *fold, task.costs)
    measure, stopped = Measuring(task.estimator, rows_of), caller.stop_in_task()
    with threadpool_limits(1) if caller.is_remote else nullcontext():
        fits = _fits(task, rows_of, stopped)
        for number, setting in zip(task.numbers, task.settings, strict=True):
            if stopped():
                break
            start = time.perf_counter()
            try:
                model = next(fits, None)
                if model is None:
                    if stopped():
                        break
                    raise RuntimeError(
                        "`fit_many` must fit every setting; it ended after "
                        f"{len(rows)} of {len(task.numbers)}."
                    )
                seconds = time.perf_counter() - start
                rows.append((number, measure(model) | {"seconds": seconds}))
            except Exception as error:
                error.add_note(f"This happened in fold {task.fold} with the setting {setting}.")
                if caller.is_remote:  # pickling on the way back to the caller would lose it
                    error.add_note(traceback.format_exc())
                return rows, error
            caller.report(number, task.fold, rows[-1][1])
    return rows, None


def _fits(task: _Task, rows: FoldRows, should_stop: ShouldStop) -> Iterator[Any]:
    X, y, weight = rows.train
    if task.costs is not None and not takes_costs(task.estimator):
        by_class = task.costs.class_weight(np.unique(rows.y))
        factors = np.array([by_class[label] for label in y.tolist()])
        weight = factors if weight is None else factors * weight
    if hasattr(task.estimator, "fit_many"):
        estimator = clone(task.estimator)
        yield from estimator.fit_many(
            X, y, task.settings, sample_weight=weight, should_stop=should_stop
        )
    else:
        for setting in task.settings:
            yield fit_setting(task.estimator, setting, X, y, weight)


def takes_costs(estimator: Any) -> bool:
    """Return whether a learner has a parameter for costs."""
    return "costs" in estimator.get_params(deep=False)


def priced(estimator: Any, costs: Costs | None) -> Any:
    """Return a copy of a learner with costs, where it accepts them."""
    if costs is None or not takes_costs(estimator):
        return estimator
    return clone(estimator).set_params(costs=costs)


def settled_costs(costs: Costs | None, estimators: Sequence[Any], y: NDArray[Any]) -> Costs | None:
    """Return the costs for the comparison as a matrix over the classes, or None."""
    classes = np.unique(y)
    costs_found = None
    for given, estimator in ((costs, None), *((getattr(e, "costs", None), e) for e in estimators)):
        if given is None:
            continue
        settled = given.settled(
            classes, getattr(estimator or estimators[0], "positive_label", None)
        )
        if costs_found is not None and settled != costs_found:
            raise ValueError(
                f"All learners must have the same costs; {type(estimator).__name__} has {settled} "
                f"instead of {costs_found}. Set its `costs` to None."
            )
        costs_found = settled
    return costs_found


def _checked(
    X: Any, y: ArrayLike, sample_weight: ArrayLike | None
) -> tuple[NDArray[Any], NDArray[np.float64] | None]:
    labels = read_labels(y)
    n = len(X)
    if labels.shape != (n,):
        raise ValueError(f"`y` must hold one class a row ({n}); its shape is {labels.shape}.")
    if sample_weight is None:
        return labels, None
    weights = np.asarray(sample_weight, dtype=float)
    if weights.shape != (n,):
        raise ValueError(
            f"`sample_weight` must hold one weight a row ({n}); its shape is {weights.shape}."
        )
    return labels, weights
