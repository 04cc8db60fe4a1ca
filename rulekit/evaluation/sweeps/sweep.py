"""Cross-validation of a learner over a grid, in parallel, resumable, with progress."""

import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from threadpoolctl import threadpool_limits

from rulekit._frames import as_pandas
from rulekit.data import Costs, make_folds
from rulekit.evaluation.sweeps.channel import Channel, Listener
from rulekit.evaluation.sweeps.collector import Collector, Work
from rulekit.evaluation.sweeps.grid import PATH_KEYS, SHARED_KEYS, Grid, families, settings_of
from rulekit.evaluation.sweeps.measuring import FoldRows, Measuring
from rulekit.evaluation.sweeps.result import SweepResult, fit_setting
from rulekit.evaluation.sweeps.store import SweepStore
from rulekit.learners.choice import Setting
from rulekit.learners.cluster import Once
from rulekit.learners.workers import spread, tried_twice

OnResult = Callable[[dict[str, Any]], None]
ShouldStop = Callable[[], bool]
Fold = tuple[NDArray[np.intp], NDArray[np.intp]]
Table = tuple[Any, NDArray[Any], NDArray[np.float64] | None]  # features, classes, weights


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
        Left as it is. One with ``fit_many`` fits the settings of a fold from one shared
        preparation; any other scikit-learn classifier is cloned and fitted.
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
        Workers, as joblib counts them: None is one, or what `joblib.parallel_config` says. The
        active backend is used, whichever it is; each worker computes with one thread.
    random_state : int, default=None
        Seed of the folds; None is 0, so that a sweep can be repeated and resumed.
    store : SweepStore, default=None
        Where finished folds are kept, each as soon as it is finished, and looked up first.
    on_result : callable, default=None
        Called with a row of the table (a dictionary, with ``done``, ``total`` and ``from_store``
        added) as soon as it is known, stored rows first. Never called twice at the same time, but
        not always from the calling thread. What it raises ends the sweep and is raised.
    should_stop : callable, default=None
        Called between fits, from any thread; True ends the sweep early.
    sample_weight : array-like of shape (n,), default=None
        Weights of rows, in fits and in errors.
    costs : Costs, default=None
        What wrong answers cost: measured as `test_cost_per_100`, and learned by. A learner with a
        parameter `costs` is given them, any other rows that weigh accordingly. None for those that
        the learner has already.
    only_stored : bool, default=False
        Fit nothing: give what the store holds for this very work, as after a stop.

    Returns
    -------
    SweepResult
        Its table does not depend on `n_jobs`, on the order of the work, or on what the store
        already held (but for ``seconds``), as long as the learner itself is repeatable. After a
        stop it holds what was finished, and ``complete`` is False.

    Raises
    ------
    ValueError
        If the grid names no parameter of the learner, lengths differ, `only_stored` is set
        without a store, or the learner has other costs, or class weights beside them; and
        whatever a fit raises, with a note that says which setting and fold.
    DataError
        If a class has fewer rows than there are folds, or the store cannot be used.
    RulekitError
        If a worker process is killed, and in a second try one more.

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
    stop = should_stop or _never
    if not stop():
        collector.look_up()
    if only_stored:
        return collector.result()

    def run() -> None:
        with Listener(collector.land, stop) as listener, threadpool_limits(1):
            _run(work, listener, collector, n_jobs)

    tried_twice(run, collector.kept)
    return collector.result()


def _run(work: Work, listener: Listener, collector: Collector, n_jobs: int | None) -> None:
    """Distribute the remaining work; after an error drain it, because aborting kills workers."""
    tasks = _tasks(work, collector, effective_n_jobs(n_jobs))
    rows = Once((work.X, work.y, work.weights), collector.data)
    folds = [Once(*pair) for pair in zip(work.folds, collector.folds, strict=True)]
    calls = [(rows, folds[task.fold], task, listener.channel()) for task in tasks]
    for _, (fold, landed, error) in spread(_do, calls, n_jobs, listener.stopped):
        with listener.guarded():
            if error is not None:
                raise error
            for number, measured in landed:
                collector.land(number, fold, measured)
    if listener.error is not None:
        raise listener.error


def _tasks(work: Work, collector: Collector, n_workers: int) -> list[_Task]:
    """List the remaining units, fold by fold; finer ones where workers would be idle."""
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
    table: Table, fold: Fold, task: _Task, channel: Channel
) -> tuple[int, list[tuple[int, dict[str, Any]]], Exception | None]:
    """Fit and measure every setting of a task and report each at once."""
    rows: list[tuple[int, dict[str, Any]]] = []
    rows_of = FoldRows(*table, *fold, task.costs)
    measure = Measuring(task.estimator, rows_of)
    with threadpool_limits(1) if channel.is_remote else nullcontext():
        fits = _fits(task, rows_of, channel.stopped)
        for number, setting in zip(task.numbers, task.settings, strict=True):
            if channel.stopped():
                break
            start = time.perf_counter()
            try:
                model = next(fits, None)
                if model is None:
                    _check_ended(channel, len(rows), len(task.numbers))
                    break
                seconds = time.perf_counter() - start
                measured = measure(model) | {"seconds": seconds}
            except Exception as error:
                error.add_note(f"This happened in fold {task.fold} with the setting {setting}.")
                if channel.is_remote:  # the way back to the caller loses it
                    error.add_note(traceback.format_exc())
                return task.fold, rows, error
            rows.append((number, measured))
            channel.send(number, task.fold, measured)
    return task.fold, rows, None


def _check_ended(channel: Channel, done: int, n_settings: int) -> None:
    """Raise if a learner stopped early for another reason than the stop signal."""
    if not channel.stopped():
        raise RuntimeError(
            f"`fit_many` must fit every setting; it ended after {done} of {n_settings}."
        )


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
    """Return the costs for the comparison as a matrix over the classes.

    So that a rule for the other class is charged the same. None if none is given.
    """
    classes = np.unique(y)
    found = None
    for given, who in ((costs, None), *((getattr(e, "costs", None), e) for e in estimators)):
        if given is None:
            continue
        settled = given.settled(classes, getattr(who or estimators[0], "positive_label", None))
        if found is not None and settled != found:
            raise ValueError(
                f"Learners are compared by the same costs; {type(who).__name__} has others "
                f"({settled}) than those given before ({found}). Leave the learner's None."
            )
        found = settled
    return found


def _checked(
    X: Any, y: ArrayLike, sample_weight: ArrayLike | None
) -> tuple[NDArray[Any], NDArray[np.float64] | None]:
    labels = np.asarray(y)
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


def _never() -> bool:
    return False
