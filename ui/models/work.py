"""The work of a run in a separate process: data in, finished points out; no page."""

import hashlib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rulekit.data.folds import Fold
from rulekit.evaluation import Comparison, Family, Progress, SweepStore, compare_learners
from rulekit.evaluation.sweeps.collector import code_version
from rulekit.learners.choice import FOREST_LOSS, FOREST_SIZE
from rulekit.learners.cluster import cached_on_workers
from rulekit.learners.forest_loss import judged
from ui.learners.spec import RunSpec, quick_part, quiet
from ui.runs.scheduler import counted_as_running

ShouldStop = Callable[[], bool]


class Reporter(Protocol):
    """Interface of a job to its work: progress reports and the stop signal."""

    def report(self, **progress: Any) -> None:
        """Report progress (`done`, `total`, `message`) and results so far (`interim`)."""

    def should_stop(self) -> bool:
        """Whether the work should end."""


@dataclass(frozen=True, eq=False)
class Measured:
    """Finished points of a run: settings measured on all folds.

    Attributes
    ----------
    spec : RunSpec
    key : str
        Fields that all points of a curve share, see `ui.learners.offered.curve_key`.
    points : DataFrame
        By number of setting, as returned by `summarise`, and ``most``: the largest number of
        conditions of any fold's rule.
    models : mapping of int to classifier
        Learned from all training rows; for a quick search from a part of the table.
    references : DataFrame or None
        Reference models on the same folds.
    missed : tuple of str
        Names of learners without a complete point at the end of their time.
    """

    spec: RunSpec
    key: str
    points: pd.DataFrame
    models: Mapping[int, Any] = field(default_factory=dict)
    references: pd.DataFrame | None = None
    missed: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Work:
    """A run as a job: compares the learners on the same folds.

    Attributes
    ----------
    spec : RunSpec
    key : str
        As in `Measured`.
    X, y : DataFrame and Series of length n
        The training rows.
    weight : ndarray of shape (n,) or None
    folds : sequence of (ndarray, ndarray)
    families : sequence of Family
    judge : classifier
        Unfitted; its cut points and constraints are those of the forest that judges the rules.
    store : Path or None
        Where finished fits are stored and looked up.
    """

    spec: RunSpec
    key: str
    X: pd.DataFrame
    y: pd.Series
    weight: NDArray[np.float64] | None
    folds: Sequence[Fold]
    families: Sequence[Family]
    judge: Any
    store: Path | None = None

    def __call__(self, reporter: Reporter) -> Measured:
        """Compute the points and report progress."""
        quiet()
        with counted_as_running(urgent=not self.spec.thorough), cached_on_workers():
            if not self.spec.thorough:
                return self._quickly(reporter)
            comparison = self._compared(
                budget_seconds=self.spec.budget,
                references=self.spec.baselines,
                store=self.store,
                on_progress=_ProgressReport(reporter, self),
                should_stop=reporter.should_stop,
            )
        return self._judged(self.measured(comparison))

    def stored(self) -> Measured:
        """Return the points of finished fits in the store; nothing is computed."""
        options = {"budget_seconds": self.spec.budget, "store": self.store, "only_stored": True}
        return self._judged(self.measured(self._compared(**options)))

    def _judged(self, measured: Measured) -> Measured:
        """Add a forest's estimates for the rules, see `_estimates`; kept beside the points.

        `rulekit.learners.choice.suggestion` averages them with the cross-validated errors, as in
        `RuleClassifier`. Restored points have no rules: their estimates are read.
        """
        points = measured.points
        if not len(points):
            return measured
        if self.store is None:
            found = self._estimates(measured)
        else:
            parts = (code_version(), self.key, self.spec, points.index.tolist())
            key = hashlib.sha256(repr(parts).encode()).hexdigest()
            with SweepStore(self.store) as store:
                if measured.models:
                    store.put(key, "forest", self._estimates(measured))
                found = store.get([key]).get(key, {})
        names = [FOREST_LOSS, FOREST_SIZE]
        estimates = [found.get(str(k)) or [np.nan, np.nan] for k in points.index]
        return replace(
            measured, points=points.join(pd.DataFrame(estimates, points.index, names, dtype=float))
        )

    def _estimates(self, measured: Measured) -> dict[str, list[float]]:
        """Compute loss and size of each rule by a forest's votes on the rows of a quick search."""
        models = {k: measured.models[k] for k in measured.points.index if k in measured.models}
        if not models:
            return {}
        rows, columns = quick_part(self.X, self.y, np.arange(len(self.y)), self.judge)
        read = {f for model in models.values() for f in model.rule_set_.features}.union(columns)
        found = judged(
            list(models.values()),
            self.judge,
            self.X[[name for name in self.X.columns if name in read]].iloc[rows],
            self.y.iloc[rows],
            sample_weight=None if self.weight is None else self.weight[rows],
            costs=self.judge.costs,
        )
        return {str(k): each for k, each in zip(models, found.tolist(), strict=True)}

    def measured(self, comparison: Comparison) -> Measured:
        """Return the finished points of a comparison."""
        points = comparison.points()
        if len(points):
            rows = pd.DataFrame(
                [{k: r[k] for k in ("setting", "n_conditions")} for r in comparison.rows]
            )
            points = points.set_index("setting")
            points["most"] = rows.groupby("setting")["n_conditions"].max().astype(int)
        models = {
            number: comparison.models[number]
            for number in points.index
            if number in comparison.models
        }
        there = set(points["learner"]) if len(points) else set()
        missed = tuple(f.name for f in self.families if f.name not in there)
        return Measured(self.spec, self.key, points, models, comparison.references, missed)

    def _compared(self, **options: Any) -> Comparison:
        shared = {"learners": self.families, "cv": self.folds, "sample_weight": self.weight}
        return compare_learners(self.X, self.y, **(shared | options))

    def _quickly(self, reporter: Reporter) -> Measured:
        """Measure and fit every setting on a part of the table.

        The points of a side are reported with their models, so that no page has to fit one.
        """
        progress = _ProgressReport(reporter, self)
        sides: list[Comparison] = []
        for family in self.families:
            rows = self._quick_errors(family, progress, reporter.should_stop)
            models = self._quick_models(family, reporter.should_stop)
            one = Comparison((family,), len(self.folds), self.key, finished=rows, models=models)
            sides.append(one)
            measured = self._judged(self.measured(sides[0].join(*sides[1:])))
            if len(sides) < len(self.families):  # the last one is the result
                reporter.report(interim=measured)
        return measured

    def _quick_errors(
        self, family: Family, progress: "_ProgressReport", should_stop: ShouldStop
    ) -> tuple[dict[str, Any], ...]:
        """Cross-validate on a part of each fold; folds with the same columns are run together."""
        together: dict[tuple[str, ...], dict[int, Fold]] = {}
        for k, (train, test) in enumerate(self.folds):
            rows, columns = quick_part(self.X, self.y, train, family.estimator)
            together.setdefault(tuple(columns), {})[k] = rows, test
        errors: list[dict[str, Any]] = []
        for columns, folds in together.items():
            numbers = list(folds)
            side = compare_learners(
                self.X[list(columns)],
                self.y,
                learners=[family],
                cv=list(folds.values()),
                sample_weight=self.weight,
                on_progress=partial(progress, folds=numbers),
                should_stop=should_stop,
            )
            errors += [row | {"fold": numbers[row["fold"]]} for row in side.finished]
        return tuple(errors)

    def _quick_models(self, family: Family, should_stop: ShouldStop) -> dict[int, Any]:
        """Learn every setting from a part of the training rows."""
        rows, columns = quick_part(self.X, self.y, np.arange(len(self.y)), family.estimator)
        fits = family.estimator.fit_many(
            self.X[columns].iloc[rows],
            self.y.iloc[rows],
            family.settings,
            sample_weight=None if self.weight is None else self.weight[rows],
            should_stop=should_stop,
        )
        return dict(enumerate(fits))


class _ProgressReport:
    """Reports the progress of a comparison to a job, in searches."""

    def __init__(self, reporter: Reporter, work: Work):
        self.reporter, self.work = reporter, work
        self.sizes = {f.name: len(f.settings) if f.whole_front else 1 for f in work.families}
        fits = [len(f.settings) // self.sizes[f.name] for f in work.families]
        self.landed: Counter[str] = Counter()
        n_folds = len(work.folds)
        first = f"{work.families[0].name}: fold 1 of {n_folds}"
        reporter.report(done=0, total=sum(fits) * n_folds, message=first)

    def __call__(self, progress: Progress, folds: Sequence[int] | None = None) -> None:
        """Report a fit, and the finished points when a learner is done.

        `folds` are the numbers of the compared folds; None for all.
        """
        if progress.stage == "references":
            self.reporter.report(message="Reference models")
        elif progress.row is None:
            if self.work.spec.thorough:
                self.reporter.report(interim=self.work.measured(progress.found))
        else:
            name, fold = progress.family, progress.row["fold"]
            fold = (fold if folds is None else folds[fold]) + 1
            self.landed[name] += 1
            done = sum(self.landed[each] // size for each, size in self.sizes.items())
            message = f"{name}: fold {fold} of {len(self.work.folds)}"
            self.reporter.report(done=done, message=message)
