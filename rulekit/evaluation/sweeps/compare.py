"""Comparison of learners on the same folds, within a time budget, with early results."""

import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from os import PathLike
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone

from rulekit.data import Costs
from rulekit.data.folds import Fold, make_folds
from rulekit.data.target import read_labels
from rulekit.data.typed import as_pandas
from rulekit.evaluation.sweeps.baselines import baselines
from rulekit.evaluation.sweeps.collector import fingerprint
from rulekit.evaluation.sweeps.grid import Family, rule_learners, spread_order
from rulekit.evaluation.sweeps.result import (
    EXTRAS,
    SweepResult,
    check_same_folds,
    fit_settings,
    summarise,
    table_of,
)
from rulekit.evaluation.sweeps.store import SweepStore
from rulekit.evaluation.sweeps.sweep import ShouldStop, priced, settled_costs, sweep
from rulekit.learners.choice import FOREST_LOSS, FOREST_SIZE
from rulekit.learners.cluster import cached_on_workers
from rulekit.learners.paths import Setting

Row = dict[str, Any]


@dataclass(frozen=True, eq=False)
class Comparison:
    """Results of a comparison, during and after it.

    Parameters
    ----------
    families : tuple of Family
        Their settings are numbered in this order.
    n_folds : int
    folds_digest : str
        Fingerprint of rows, target, weights and folds; equal for results that share a curve.
    finished : tuple of dict
        One row per finished fit, as `rulekit.evaluation.sweep` reports it; ``learner`` is the
        family's name.
    models : mapping of int to classifier
        Models by number of setting, fitted on all rows, for families that keep their models.
    references : DataFrame or None
        Reference models on the same folds: ``name`` and the columns of `summarise`.
    estimates : mapping of int to (float, float)
        A forest's estimates for models, by number of setting: the loss, and the conditions.
    """

    families: tuple[Family, ...]
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
        totals: Counter[str] = Counter()
        for family in self.families:
            totals[family.name] += len(family.settings) * self.n_folds
        return {name: (done[name], total) for name, total in totals.items()}

    @property
    def missed(self) -> tuple[str, ...]:
        """Return the names of the families without a setting finished in all folds."""
        found = set(self.points().get("learner", ()))
        return tuple(family.name for family in self.families if family.name not in found)

    @cached_property
    def result(self) -> SweepResult:
        """The finished rows as one result, for its front, its suggestion and its table."""
        names = list(dict.fromkeys(k for setting in self.settings for k in setting))
        return SweepResult(
            table=table_of([_plain(row) for row in self.finished], names),
            settings=self.settings,
            estimators=tuple(f.estimator for f in self.families for _ in f.settings),
            n_folds=self.n_folds,
            complete=self.is_complete,
            folds_digest=self.folds_digest,
        )

    def points(self, *, whole: bool = True) -> pd.DataFrame:
        """Average over folds: one row per setting, as in `summarise`.

        With `whole`, settings with missing folds are left out, since their means are over other
        rows. ``forest_loss`` and ``forest_conditions`` are included if there are `estimates`.
        """
        points = self._means
        return points[points["folds"] == self.n_folds] if whole and len(points) else points.copy()

    @cached_property
    def _means(self) -> pd.DataFrame:
        if not self.finished:
            return pd.DataFrame()
        means = summarise([_plain(row) for row in self.finished])
        names = [FOREST_LOSS, FOREST_SIZE]
        known = pd.DataFrame.from_dict(dict(self.estimates), "index", float, names)
        return means.join(known, on="setting") if self.estimates else means

    def join(self, *others: "Comparison") -> "Comparison":
        """Combine comparisons on the same folds; settings are renumbered.

        Families may occur in several; the first reference models are taken. ValueError for other
        rows or folds.
        """
        everyone = (self, *others)
        check_same_folds(everyone, "comparison", "it")
        shifts = [0, *np.cumsum([len(one.settings) for one in everyone[:-1]]).tolist()]
        pairs = list(zip(everyone, shifts, strict=True))

        return Comparison(
            families=tuple(family for one in everyone for family in one.families),
            n_folds=self.n_folds,
            folds_digest=self.folds_digest,
            finished=tuple(
                row | {"setting": row["setting"] + by} for one, by in pairs for row in one.finished
            ),
            models={k + by: model for one, by in pairs for k, model in one.models.items()},
            references=next(
                (one.references for one in everyone if one.references is not None), None
            ),
            estimates={k + by: each for one, by in pairs for k, each in one.estimates.items()},
        )


@dataclass(frozen=True, eq=False)
class Progress:
    """Progress of a comparison.

    Parameters
    ----------
    stage : {"search", "references"}
        The current stage.
    family : str
        The current learner; empty for reference models.
    row : dict or None
        The fit that has just finished; None at the end of a stage, when all its results are in
        `found` (for "references" at the beginning).
    found : Comparison
        All results so far.
    """

    stage: str
    family: str
    row: Row | None
    found: Comparison


def _plain(row: Row) -> Row:
    return {name: value for name, value in row.items() if name not in EXTRAS}


OnProgress = Callable[[Progress], None]
Learners = Mapping[str, tuple[Any, Any]] | Iterable[Family]


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
        Features.
    y : array-like of shape (n,)
        Classes.
    learners : mapping of str to (classifier, grid), or iterable of Family, default=None
        The learners to compare, in this order. None is `rule_learners`.
    cv : int, splitter or iterable, default=10
        See `rulekit.data.make_folds`.
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
        Workers, as for `rulekit.evaluation.sweep`.
    random_state : int, default=None
        Seed of the folds; None is 0.
    store : SweepStore or path, default=None
        Where finished fits are stored and looked up. A path is opened when it is first needed.
    on_progress : callable, default=None
        Called with a `Progress` after each fit and each stage; never concurrently, but not always
        from the calling thread. An exception raised by it ends the comparison and is raised.
    should_stop : callable, default=None
        Called between fits, from any thread; True ends the comparison early.
    sample_weight : array-like of shape (n,), default=None
        Weights of rows, in fits and in errors.
    costs : Costs, default=None
        Costs of wrong predictions, as for `rulekit.evaluation.sweep`; reference models use them,
        too. None for the costs of the learners.
    only_stored : bool, default=False
        Fit nothing: return what is stored for exactly these fits.

    Returns
    -------
    Comparison
        Without a budget it depends neither on `n_jobs` nor on the store's content (except for
        ``seconds``) if the learners are repeatable. After a stop, or at the end of the budget, it
        contains what was finished.

    Raises
    ------
    ValueError
        If there is no learner, the budget is not positive, or `only_stored` is set without a store;
        and errors of `rulekit.evaluation.sweep`.
    DataError
        See `rulekit.evaluation.sweep`.

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
    if budget_seconds is not None and not budget_seconds > 0:
        raise ValueError(f"`budget_seconds` must be positive or None, got {budget_seconds!r}.")
    if only_stored and store is None:
        raise ValueError("`only_stored` needs a `store` to read from; got None.")
    labels = read_labels(y)
    folds = make_folds(labels, cv, random_state=0 if random_state is None else random_state)
    families = _families(rule_learners(labels) if learners is None else learners)
    weight = None if sample_weight is None else np.asarray(sample_weight, dtype=float)
    settled = settled_costs(costs, [family.estimator for family in families], labels)
    families = tuple(replace(f, estimator=priced(f.estimator, settled)) for f in families)
    work = _Comparing(as_pandas(X), labels, folds, weight, families, settled)
    work.n_jobs, work.budget, work.store_or_path = n_jobs, budget_seconds, store
    work.on_progress, work.should_stop = on_progress, should_stop or work.should_stop
    if only_stored:
        work.look_up()
    else:
        with cached_on_workers():
            work.run(references)
    return work.found()


@dataclass
class _Comparing:
    """A comparison in progress."""

    X: Any
    y: NDArray[Any]
    folds: list[Fold]
    weight: NDArray[np.float64] | None
    families: tuple[Family, ...]
    costs: Costs | None
    n_jobs: int | None = None
    budget: float | None = None
    store_or_path: SweepStore | str | PathLike[str] | None = None
    on_progress: OnProgress | None = None
    should_stop: ShouldStop = lambda: False
    began: float = field(default_factory=lambda: time.monotonic())
    finished: list[Row] = field(default_factory=list)
    models: dict[int, Any] = field(default_factory=dict)
    lines: pd.DataFrame | None = None

    def run(self, references: bool) -> None:
        """Run all stages until everything is done, the time is up, or it is stopped."""
        n_stages = len(self.families) + references
        if references and self.budget is not None:  # at the end there may be no time left
            self.refer(self.until_turn_ends(n_stages))
            n_stages -= 1
        for position, (family, first) in enumerate(self.numbered):
            stop = self.until_turn_ends(n_stages - position, keeps_models=family.keep_models)
            for k, (limited, numbers) in enumerate(self.rounds(family)):
                # the first round gives every learner a point
                ends = stop if k else self.should_stop
                if not ends():
                    self.sweep(limited, first, numbers, store=self.store, should_stop=ends)
            if self.should_stop():
                return
            self.keep_models(self.limited(family), first, self.whole(family, first))
            self.report_progress("search", family.name)
        if references and self.budget is None and not self.should_stop():
            self.refer(self.should_stop)

    def refer(self, stop: ShouldStop) -> None:
        """Cross-validate the reference models that finish in time."""
        self.report_progress("references")
        options: Any = {"cv": self.folds, "sample_weight": self.weight, "should_stop": stop}
        found = baselines(self.X, self.y, n_jobs=self.n_jobs, costs=self.costs, **options)
        tables = [r.summary.assign(name=name) for name, r in found.items() if r.complete]
        self.lines = pd.concat(tables, ignore_index=True) if tables else None

    def look_up(self) -> None:
        """Load what the store holds."""
        for family, first in self.numbered:
            for limited, numbers in self.rounds(family):
                self.sweep(limited, first, numbers, store=self.store, only_stored=True)

    @cached_property
    def store(self) -> SweepStore | None:
        """The store of finished fits; a path is opened or created at first use."""
        if self.store_or_path is None or isinstance(self.store_or_path, SweepStore):
            return self.store_or_path
        return SweepStore(self.store_or_path)

    @cached_property
    def digest(self) -> str:
        """Digest of everything that must be equal for two comparisons on one curve."""
        return fingerprint(self.X, self.y, self.weight, self.folds, self.costs)

    @cached_property
    def numbered(self) -> list[tuple[Family, int]]:
        """The families, each with the number of its first setting."""
        sizes = [len(family.settings) for family in self.families]
        return [(f, sum(sizes[:position])) for position, f in enumerate(self.families)]

    def found(self) -> Comparison:
        """Return the current result."""
        rows, models = tuple(self.finished), dict(self.models)
        n_folds = len(self.folds)
        return Comparison(self.families, n_folds, self.digest, rows, models, self.lines)

    def report_progress(self, stage: str, family: str = "", row: Row | None = None) -> None:
        """Report progress to the caller."""
        if self.on_progress is not None:
            self.on_progress(Progress(stage, family, row, self.found()))

    def until_turn_ends(self, n_stages: int, *, keeps_models: bool = False) -> ShouldStop:
        """Return a check of whether the first of several stages is over, minus time for models."""
        if self.budget is None:
            return self.should_stop
        now, n_folds = time.monotonic(), len(self.folds)
        share = n_folds / (n_folds + keeps_models) / n_stages
        end = now + share * (self.began + self.budget - now)
        return lambda: time.monotonic() >= end or self.should_stop()

    def limited(self, family: Family, *, each_fold: bool = False) -> Family:
        """Limit a single fit of a family to its part of the budget, or to the part per fold."""
        if self.budget is None or not has_time_limit(family):
            return family
        part = self.budget / len(self.families)
        if family.whole_front or each_fold:
            part /= len(self.folds) + family.keep_models
        limit = min(family.estimator.time_limit or np.inf, part)
        return replace(family, estimator=clone(family.estimator).set_params(time_limit=limit))

    def rounds(self, family: Family) -> list[tuple[Family, list[int]]]:
        """List the settings swept together, with their time limit; the smallest one comes first."""
        order = spread_order(len(family.settings))
        if self.budget is None or (family.whole_front and has_time_limit(family)):
            return [(self.limited(family), sorted(order))]
        least = smallest(family.settings)
        begun = (self.limited(family, each_fold=True), [least])
        rest = [number for number in order if number != least]
        doubled = [rest[2**k - 2 : 2 ** (k + 1) - 2] for k in range(1, len(order).bit_length())]
        return [begun, *((self.limited(family), numbers) for numbers in doubled if numbers)]

    def sweep(self, family: Family, first: int, numbers: Sequence[int], **options: Any) -> None:
        """Cross-validate settings of a family and record each row under its number."""

        def land(row: Row) -> None:
            named = {"setting": first + numbers[row["setting"]], "learner": family.name}
            self.finished.append(row | named)
            self.report_progress("search", family.name, self.finished[-1])

        grid = [{k: [v] for k, v in family.settings[number].items()} for number in numbers]
        sweep(
            family.estimator,
            self.X,
            self.y,
            grid=grid,
            cv=self.folds,
            n_jobs=self.n_jobs if family.n_jobs is None else family.n_jobs,
            on_result=land,
            sample_weight=self.weight,
            costs=self.costs,
            **options,
        )

    def whole(self, family: Family, first: int) -> list[int]:
        """List the settings of a family that are finished in all folds."""
        done = Counter(row["setting"] for row in self.finished)
        return [k for k in range(len(family.settings)) if done[first + k] == len(self.folds)]

    def keep_models(self, family: Family, first: int, numbers: Sequence[int]) -> None:
        """Fit settings of a family on all rows, if models are to be kept."""
        if not family.keep_models or not numbers or self.should_stop():
            return
        settings = [family.settings[number] for number in numbers]
        fits = fit_settings(
            family.estimator, self.X, self.y, settings, self.weight, self.should_stop
        )
        self.models |= {first + k: model for k, model in zip(numbers, fits, strict=False)}


def smallest(settings: Sequence[Setting]) -> int:
    """Return the number of the smallest setting; if several, one with a middle price."""
    sizes = [
        [
            np.inf if value is None else value
            for name, value in setting.items()
            if name.rpartition("__")[2].startswith(("max_", "n_"))
            and isinstance(value, (int, float, type(None)))
        ]
        for setting in settings
    ]
    alike = [number for number, size in enumerate(sizes) if size == min(sizes)]
    return alike[len(alike) // 2]


def has_time_limit(family: Family) -> bool:
    """Return whether a single fit of a learner can be limited."""
    return "time_limit" in family.estimator.get_params(deep=False)


def _families(learners: Learners) -> tuple[Family, ...]:
    if isinstance(learners, Mapping):
        learners = [Family(name, *pair) for name, pair in learners.items()]
    families = tuple(learners)
    if not families:
        raise ValueError("`learners` must name at least one learner; it is empty.")
    return families
