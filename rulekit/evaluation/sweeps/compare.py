"""Cross-validation of learners on the same folds: parallel, resumable, within a time budget."""

import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import accumulate, chain, pairwise, product
from os import PathLike
from typing import Any

import numpy as np
import pandas as pd
from joblib import effective_n_jobs
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from threadpoolctl import threadpool_limits

from rulekit._validation import JOBS, SECONDS, HasMethods, check_arguments
from rulekit.data import Costs
from rulekit.data.folds import Fold, make_folds
from rulekit.data.typed import as_pandas, read_labels
from rulekit.evaluation.sweeps.baselines import reference_learners
from rulekit.evaluation.sweeps.fits import Caller, FoldTask, fit_fold, settle_costs, with_costs
from rulekit.evaluation.sweeps.grid import Grid, LearnerGrid, rule_learners, spread_order, units_of
from rulekit.evaluation.sweeps.result import Comparison, Row, fit_settings
from rulekit.evaluation.sweeps.store import SweepStore, data_digest, folds_digest, work_key
from rulekit.learners.base import Setting
from rulekit.learners.cluster import Once, spread, try_twice
from rulekit.learners.training import ShouldStop
from rulekit.rules import RuleSet
from rulekit.rules.codec import rule_from_dict


@dataclass(frozen=True, eq=False)
class Progress:
    """Progress of a sweep or comparison.

    Parameters
    ----------
    family : str
        The current learner; empty for reference models.
    row : dict or None
        The fit that has just finished, a row of `Comparison.table`; None at the end of a learner's
        turn, and at the beginning of the reference models.
    found : Comparison or None
        All results so far, where there is no `row`.
    from_store : bool
        Whether the row was stored before.
    """

    family: str
    row: Row | None = None
    found: Comparison | None = None
    from_store: bool = False


OnProgress = Callable[[Progress], None]
Learners = Mapping[str, tuple[Any, Any]] | Sequence[LearnerGrid]


def sweep(estimator: Any, X: Any, y: ArrayLike, *, grid: Grid, **options: Any) -> Comparison:
    """Cross-validate a learner over a grid of settings.

    Parameters
    ----------
    estimator : classifier
        Not modified. A rule learner searches a fold once for all settings of one kind; any other
        scikit-learn classifier is cloned and fitted for each setting.
    X : DataFrame or array of shape (n, k)
    y : array-like of shape (n,)
    grid : mapping of str to list, or several of these
        Parameters to vary. Each mapping gives all combinations of its values.
    **options
        As for `compare_learners`.

    Returns
    -------
    Comparison
        Of this learner alone, under the name of its class.

    Raises
    ------
    ValueError
        If the grid names no parameter of the learner; and errors of `compare_learners`.

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
    check_arguments("sweep", estimator=(estimator, [HasMethods(["fit", "get_params"])]))
    return compare_learners(X, y, learners={type(estimator).__name__: (estimator, grid)}, **options)


def compare_learners(  # noqa: PLR0913  one call says everything; all but two are by keyword
    X: Any,
    y: ArrayLike,
    *,
    learners: Learners | None = None,
    cv: Any = 10,
    budget_seconds: float | None = None,
    references: bool = False,
    n_jobs: int | None = None,
    random_state: int | None = None,
    store: SweepStore | str | PathLike[str] | None = None,
    on_progress: OnProgress | None = None,
    should_stop: ShouldStop | None = None,
    sample_weight: ArrayLike | None = None,
    costs: Costs | None = None,
    only_stored: bool = False,
) -> Comparison:
    """Cross-validate several learners on the same folds.

    Parameters
    ----------
    X : DataFrame or array of shape (n, k)
    y : array-like of shape (n,)
    learners : mapping of str to (classifier, grid), or iterable of LearnerGrid, default=None
        The learners to compare, in this order. None is `rule_learners`.
    cv : int, splitter or iterable, default=10
        See `rulekit.data.make_folds`; folds are seeded, shuffled and stratified. Give
        ``make_folds(y, 10, groups=...)`` to keep groups together.
    budget_seconds : float, default=None
        For all learners together; None is no limit. Each learner may use an equal part of the
        remaining time, so unused time is passed on to later ones. Each learner begins with its
        smallest setting, which is fitted in all folds even if that takes longer, so that every
        learner has a point; other settings follow in an order that samples the whole grid coarsely
        first, each in all folds. A learner with a parameter ``time_limit`` gets its part as the
        limit of a single fit; for the smallest setting, and if one fit yields the whole front, the
        part of a fold. A running fit is not interrupted. Models to be kept are fitted for the
        settings measured in all folds by then.
    references : bool, default=False
        Cross-validate reference models, too (`evaluation.sweeps.baselines`): at the end, or with a
        budget at the beginning, as an additional stage.
    n_jobs : int, default=None
        Workers, as joblib counts them: None is one, or the value set by `joblib.parallel_config`.
        The active backend is used; each worker computes with one thread.
    random_state : int, default=None
        Seed of the folds; None is 0, so that a comparison can be repeated and resumed.
    store : SweepStore or path, default=None
        Where finished fits are stored, as soon as `on_progress` gets them, and looked up first.
    on_progress : callable, default=None
        Called with a `Progress` after each fit, stored ones first, and after each learner; if
        workers do not share this process's memory, after all fits of a unit of work: a fold with
        the settings that share its matrix. Never called concurrently, but not always from the
        calling thread. An exception raised by it ends the comparison and is raised.
    should_stop : callable, default=None
        Called between fits, from any thread; True ends the comparison early. Other processes
        finish the unit of work that they have begun.
    sample_weight : array-like of shape (n,), default=None
        Weights of rows, in fits and in errors.
    costs : Costs, default=None
        Costs of wrong predictions: measured as `test_cost_per_100`, and used in learning. A learner
        with a parameter `costs` gets them, any other, as the reference models, gets equivalent
        weights of rows. None for the costs that the learners have already.
    only_stored : bool, default=False
        Fit nothing: return what is stored for exactly these fits, as after a stop.

    Returns
    -------
    Comparison
        Without a budget its table depends neither on `n_jobs` nor on the store's content (except
        for ``seconds``) if the learners are repeatable. After a stop, or at the end of the budget,
        it contains what was finished.

    Raises
    ------
    ValueError
        If there is no learner, a grid names no parameter of its learner, lengths differ, the budget
        is not positive, `only_stored` is set without a store, or the learners have different costs
        or class weights in addition; and any error of a fit, with a note on its setting and fold.
    DataError
        If a class has fewer rows than folds, or the store cannot be used.
    RulekitError
        If a worker process is killed, and another one in a second attempt.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> trees = DecisionTreeClassifier(random_state=0), {"max_leaf_nodes": [2, 3]}
    >>> found = compare_learners(X, y, learners={"trees": trees}, cv=5, budget_seconds=60)
    >>> found.points()["test_error"].round(3).tolist()
    [0.333, 0.073]
    >>> found.progress
    {'trees': (10, 10)}
    """
    stored = (store, [SweepStore, str, PathLike, None])
    seconds = (budget_seconds, SECONDS)
    check_arguments("compare_learners", budget_seconds=seconds, n_jobs=(n_jobs, JOBS), store=stored)
    if only_stored and store is None:
        raise ValueError("`only_stored` needs a `store` to read from; got None.")
    X = as_pandas(X)
    labels = read_labels(y)
    weight = None if sample_weight is None else np.asarray(sample_weight, dtype=float)
    for name, unit, values in (("y", "class", labels), ("sample_weight", "weight", weight)):
        if values is not None and values.shape != (len(X),):
            raise ValueError(
                f"`{name}` must hold one {unit} a row ({len(X)}); its shape is {values.shape}."
            )
    folds = make_folds(labels, cv, random_state=0 if random_state is None else random_state)
    families = tuple(rule_learners(labels) if learners is None else _learner_grids(learners))
    settled = settle_costs(costs, [family.estimator for family in families], labels)
    families = tuple(replace(f, estimator=with_costs(f.estimator, settled)) for f in families)
    comparing = _Comparing(X, labels, folds, weight, families, settled)
    if on_progress is not None:
        comparing.on_progress = on_progress
    comparing.n_jobs, comparing.budget = n_jobs, budget_seconds
    comparing.should_stop = should_stop or comparing.should_stop
    if store is not None:
        comparing.store = store if isinstance(store, SweepStore) else SweepStore(store)
    if only_stored:
        rounds = (comparing.rounds(*family) for family in comparing.numbered)
        for limited, numbers in chain.from_iterable(rounds):
            comparing.look_up(comparing.keys(limited, numbers))
    else:
        comparing.run(references)
    return comparing.make_result()


def _learner_grids(learners: Any) -> tuple[LearnerGrid, ...]:
    """Return the learners with their grids."""
    check_arguments("compare_learners", learners=(learners, [Mapping, list, tuple]))
    if not learners:
        raise ValueError("`learners` must name at least one learner; it is empty.")
    if isinstance(learners, Mapping):
        pairs = [v if isinstance(v, (tuple, list)) else (v,) for v in learners.values()]
        wrong: list[Any] = [v for v in pairs if len(v) != 2 or not hasattr(v[0], "get_params")]
        listed = [] if wrong else list(map(LearnerGrid, learners, *zip(*pairs, strict=True)))
    else:
        listed = [*learners]
        wrong = [v for v in listed if not isinstance(v, LearnerGrid)]
    if wrong:
        raise ValueError(
            "`learners` must map names to pairs of an estimator and its grid, or list "
            f"`LearnerGrid`; got {wrong[0]!r:.60}."
        )
    return tuple(listed)


@dataclass
class _Comparing:
    """A comparison in progress; results arrive from all threads, and each is recorded once."""

    X: Any
    y: NDArray[Any]
    folds: list[Fold]
    weight: NDArray[np.float64] | None
    families: tuple[LearnerGrid, ...]
    costs: Costs | None
    on_progress: OnProgress = lambda _: None
    n_jobs: int | None = None
    budget: float | None = None
    store: SweepStore | None = None
    should_stop: ShouldStop = lambda: False
    began: float = field(default_factory=lambda: time.time())
    rows: dict[tuple[int, int], Row] = field(default_factory=dict)  # by setting and fold
    models: dict[int, Any] = field(default_factory=dict)
    lines: pd.DataFrame | None = None
    lock: Any = field(default_factory=threading.RLock)
    # settings of one fold often share the dictionary of a rule; it is kept, so that its id is too
    rules: dict[int, tuple[Any, RuleSet]] = field(default_factory=dict)

    @cached_property
    def data(self) -> str:
        """Digest of the table."""
        return data_digest(self.X, self.y, self.weight, self.costs)

    @cached_property
    def fold_digests(self) -> tuple[str, ...]:
        """Digest of each fold."""
        return folds_digest(self.folds)

    @cached_property
    def settings(self) -> list[tuple[str, Setting]]:
        """The settings of all families by number, each with the name of its family."""
        return [(family.name, setting) for family in self.families for setting in family.settings]

    @property
    def numbered(self) -> list[tuple[LearnerGrid, range]]:
        """The families, each with the numbers of its settings."""
        ends = list(accumulate((len(family.settings) for family in self.families), initial=0))
        return [(f, range(*pair)) for f, pair in zip(self.families, pairwise(ends), strict=True)]

    def run(self, references: bool = False) -> None:
        """Run all learners until everything is done, the time is up, or it is stopped."""
        n_stages = len(self.families) + references
        if references and self.budget is not None:  # at the end there may be no time left
            self.refer(*self.turn(n_stages))
            n_stages -= 1
        for position, (family, of_family) in enumerate(self.numbered):
            turn = self.turn(n_stages - position, keeps_models=family.keep_models)
            for k, (limited, numbers) in enumerate(self.rounds(family, of_family)):
                # the first round gives every learner a point
                should_stop, until = turn if k else (self.should_stop, np.inf)
                if not should_stop():
                    self.fit_round(limited, numbers, should_stop, until)
            if self.should_stop():
                return
            done = Counter(number for number, _ in self.rows)
            whole = [number for number in of_family if done[number] == len(self.folds)]
            if family.keep_models and whole and not self.should_stop():
                chosen = [self.settings[number][1] for number in whole]
                learner = self.limit(family).estimator
                fits = fit_settings(learner, self.X, self.y, chosen, self.weight, self.should_stop)
                self.models |= dict(zip(whole, fits, strict=False))
            self.on_progress(Progress(family.name, found=self.make_result()))
        if references and self.budget is None and not self.should_stop():
            self.refer(self.should_stop, np.inf)

    def refer(self, should_stop: ShouldStop, until: float) -> None:
        """Cross-validate the reference models that finish in time."""
        self.on_progress(Progress("", found=self.make_result()))
        families = tuple(reference_learners(self.costs))
        others = _Comparing(self.X, self.y, self.folds, self.weight, families, self.costs)
        others.n_jobs = self.n_jobs
        for family, numbers in others.numbered:
            if not should_stop():
                others.fit_round(family, numbers, should_stop, until)
        points = others.make_result().points()
        self.lines = points.rename(columns={"learner": "name"}) if len(points) else None

    def make_result(self) -> Comparison:
        """Return the current result."""
        with self.lock:
            rows, models = tuple(self.rows.values()), dict(self.models)
        # equal for results that are comparable on one curve
        digest = "-".join((self.data[:16], *(fold[:8] for fold in self.fold_digests)))
        return Comparison(self.families, len(self.folds), digest, rows, models, self.lines)

    def turn(self, n_stages: int, *, keeps_models: bool = False) -> tuple[ShouldStop, float]:
        """Return the end of the first of several stages, minus time for models: check and time."""
        if self.budget is None:
            return self.should_stop, np.inf
        now, n_folds = time.time(), len(self.folds)
        share = n_folds / (n_folds + keeps_models) / n_stages
        end = now + share * (self.began + self.budget - now)
        return lambda: time.time() >= end or self.should_stop(), end

    def limit(self, family: LearnerGrid, *, each_fold: bool = False) -> LearnerGrid:
        """Limit a single fit of a family to its part of the budget, or to the part per fold."""
        if self.budget is None or "time_limit" not in family.estimator.get_params(deep=False):
            return family
        part = self.budget / len(self.families)
        if family.whole_front or each_fold:
            part /= len(self.folds) + family.keep_models
        limit = min(family.estimator.time_limit or np.inf, part)
        return replace(family, estimator=clone(family.estimator).set_params(time_limit=limit))

    def rounds(
        self, family: LearnerGrid, numbers: Sequence[int]
    ) -> list[tuple[LearnerGrid, Sequence[int]]]:
        """List settings that are fitted together, with their time limit; the smallest is first."""
        is_limited = "time_limit" in family.estimator.get_params(deep=False)
        if self.budget is None or (family.whole_front and is_limited):
            return [(self.limit(family), numbers)]
        order = [numbers[k] for k in spread_order(len(numbers))]
        sizes = [
            [
                np.inf if value is None else value
                for name, value in setting.items()
                if name.rpartition("__")[2].startswith(("max_", "n_"))
                and isinstance(value, (int, float, type(None)))
            ]
            for setting in family.settings
        ]
        alike = [number for number, size in zip(numbers, sizes, strict=True) if size == min(sizes)]
        least = alike[len(alike) // 2]  # of several one with a middle price
        begun = (self.limit(family, each_fold=True), [least])
        rest = [number for number in order if number != least]
        doubled = [rest[2**k - 2 : 2 ** (k + 1) - 2] for k in range(1, len(order).bit_length())]
        return [begun, *((self.limit(family), part) for part in doubled if part)]

    def fit_round(
        self, family: LearnerGrid, numbers: Sequence[int], should_stop: ShouldStop, until: float
    ) -> None:
        """Cross-validate settings of a family; `until` is the end of its turn."""
        keys = self.keys(family, numbers)
        self.look_up(keys)

        def land(number: int, fold: int, measured: dict[str, Any]) -> None:
            with self.lock:
                if (number, fold) not in self.rows:
                    row = self.record(number, fold, measured)
                    if self.store is not None:
                        self.store.put(keys[number, fold], measured)
                    self.on_progress(Progress(family.name, row))

        def run_tasks() -> None:
            tasks, caller = self.tasks(family, numbers), Caller(land, should_stop, until)
            table, folds = Once((self.X, self.y, self.weight)), [Once(f) for f in self.folds]
            calls = [(table, folds[task.fold], task, caller) for task in tasks]
            n_jobs = self.n_jobs if family.n_jobs is None else family.n_jobs
            with threadpool_limits(1):
                for position, (rows, error) in spread(fit_fold, calls, n_jobs, caller.is_stopped):
                    caller.error = caller.error or error
                    for number, measured in rows:
                        caller.report(number, tasks[position].fold, measured)
            if caller.error is not None:
                raise caller.error

        try_twice(run_tasks, self.describe_kept)

    def keys(self, family: LearnerGrid, numbers: Sequence[int]) -> dict[tuple[int, int], str]:
        """Compute the key in the store of each fit, by number and fold; empty without a store."""
        return {
            (number, fold): work_key(self.data, family.estimator, self.settings[number][1], digest)
            for fold, digest in enumerate(self.fold_digests)
            for number in (numbers if self.store is not None else ())
        }

    def look_up(self, keys: dict[tuple[int, int], str]) -> None:
        """Load stored fits, fold by fold."""
        stored = {} if self.store is None else self.store.get(keys.values())
        for place, key in keys.items():
            if key in stored and place not in self.rows:
                row = self.record(*place, stored[key])
                self.on_progress(Progress(row["learner"], row, from_store=True))

    def record(self, number: int, fold: int, measured: dict[str, Any]) -> Row:
        """Record the measures of a fit as a row."""
        plain = measured.get("rule")
        if plain is not None and id(plain) not in self.rules:
            self.rules[id(plain)] = plain, rule_from_dict(plain)
        name, setting = self.settings[number]
        named = {"setting": number, "learner": name, **setting, "fold": fold}
        rule = None if plain is None else self.rules[id(plain)][1]
        row = self.rows[number, fold] = named | measured | {"rule": rule}
        return row

    def tasks(self, family: LearnerGrid, numbers: Sequence[int]) -> list[FoldTask]:
        """List the remaining units of work, fold by fold; smaller ones if workers would be idle."""
        settings = [self.settings[number][1] for number in numbers]
        groups = units_of(family.estimator, settings)
        n_workers = effective_n_jobs(self.n_jobs if family.n_jobs is None else family.n_jobs)
        if len(groups) * len(self.folds) < n_workers:
            groups = units_of(family.estimator, settings, split=True)
        tasks = []
        for fold, group in product(range(len(self.folds)), groups):
            if todo := [k for k in group if (numbers[k], fold) not in self.rows]:
                named = {numbers[k]: settings[k] for k in todo}
                tasks.append(FoldTask(family.estimator, fold, named, self.costs))
        return tasks

    def describe_kept(self) -> str:
        """Return a sentence on what is kept if the comparison is interrupted now."""
        done = f"{len(self.rows)} of {self.make_result().n_fits} fits were finished"
        kept = "Give a `store`" if self.store is None else "and are kept in the store"
        return f"{done}{'.' if self.store is None else ','} {kept}."
