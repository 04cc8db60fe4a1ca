"""The work of a run in a separate process: data in, finished fits out; no page."""

import hashlib
import os
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.base import clone

from rulekit.data.folds import Fold
from rulekit.evaluation import Comparison, LearnerGrid, Progress, SweepStore, compare_learners
from rulekit.evaluation.sweeps.result import fit_settings
from rulekit.exceptions import RulekitError
from rulekit.learners.choice import ESTIMATE, FOREST_SIZE, has_conditions
from rulekit.learners.cluster import code_version
from rulekit.learners.inner_choice import estimate_losses
from ui.learners.spec import SEARCH_OF_CHOICE, RunSpec, quick_part, quick_table, quiet
from ui.runs.worker import Report

SELECTED = "Suggested rule"
SEARCHES_OF_SELECTION = 50  # in a `RuleClassifier`: eight kinds in five folds, and refined cuts


@dataclass(frozen=True, eq=False)
class RunTask:
    """A run as a job: compares the learners on the same folds."""

    spec: RunSpec
    key: str  # the `ui.learners.offered.curve_key`
    X: pd.DataFrame  # the training rows
    y: pd.Series
    weight: NDArray[np.float64] | None
    folds: Sequence[Fold]
    families: Sequence[LearnerGrid]
    judge: Any  # unfitted box search with the cuts and constraints of the forest that judges rules
    selector: Any = None  # unfitted `RuleClassifier` that selects the suggested rule
    store: Path | None = None  # of finished fits

    def __call__(self, report: Report) -> Comparison:
        """Compare the learners and report progress."""
        quiet()
        with count_as_running(urgent=not self.spec.thorough):
            if not self.spec.thorough:
                return self._quickly(report)
            if not self.families:  # the choice of the library alone
                report(message="some hundred kinds")
                return self._add_estimates(self._measure(self._find_selected(), store=self.store))
            found = self._compare(
                budget_seconds=self.spec.budget,
                references=self.spec.baselines,
                store=self.store,
                on_progress=_ProgressReport(report, self),
            )
            if self.selector is not None and found.is_complete:
                report(message="Selecting the suggested rule", interim=self._add_estimates(found))
                found = found.join(self._measure(self._find_selected(), store=self.store))
        return self._add_estimates(found)

    def load_stored(self) -> Comparison:
        """Return the finished fits in the store; nothing is computed."""
        options = {"store": self.store, "only_stored": True}
        parts = [self._compare(budget_seconds=self.spec.budget, **options)] if self.families else []
        if (selected := self._find_selected(only_stored=True)) is not None:
            parts.append(self._measure(selected, **options))
        if not parts:
            return Comparison((), len(self.folds), self.key)
        return self._add_estimates(parts[0].join(*parts[1:]))

    def _find_selected(self, *, only_stored: bool = False) -> dict[str, Any] | None:
        """Return what `_select` finds on all training rows; None without."""
        if self.selector is None:
            return None
        make = None if only_stored else self._select
        selected = self._remember("selected", self.spec.against, make=make)
        if selected is not None and "positive_label" in selected:
            selected["positive_label"] = np.unique(self.y).tolist()[selected["positive_label"]]
        return selected

    def _select(self) -> dict[str, Any]:
        """Select a setting, whose described class is given by its number; with `ESTIMATE`s."""
        rows = np.ones(len(self.y), bool) if self.weight is None else self.weight > 0
        weight = None if self.weight is None else self.weight[rows]
        model = clone(self.selector).fit(self.X[rows], self.y[rows], weight)
        selected = dict(model.best_params_)
        if "positive_label" in selected:
            labels = np.unique(self.y).tolist()
            selected["positive_label"] = labels.index(selected["positive_label"])
        # the lowest estimate for each size of rule, unless the lowest of all did not decide
        choice, estimates = model.choice_, []
        rows = choice.table.dropna(subset=[ESTIMATE])
        if FOREST_SIZE in rows and choice.default in rows.index:
            lowest = rows[has_conditions(rows)].groupby(FOREST_SIZE)[ESTIMATE].min().items()
            estimates = [{"n_conditions": float(k), choice.measure: float(v)} for k, v in lowest]
        return selected | {ESTIMATE: estimates}

    def _remember(
        self, *parts: Any, make: Callable[[], dict[str, Any]] | None
    ) -> dict[str, Any] | None:
        """Return what is stored for this curve and parts, else what `make` computes, stored."""
        key = hashlib.sha256(repr((code_version(), self.key, *parts)).encode()).hexdigest()
        if self.store is None:
            return None if make is None else make()
        with SweepStore(self.store) as store:
            if make is not None and not store.get([key]):
                store.put(key, make())
            return store.get([key]).get(key)

    def _measure(self, selected: Mapping[str, Any], **options: Any) -> Comparison:
        """Cross-validate the setting that `RuleClassifier` selects."""
        estimator = clone(self.judge).set_params(**SEARCH_OF_CHOICE)
        grid = {name: [value] for name, value in selected.items() if name != ESTIMATE}
        family = LearnerGrid(SELECTED, estimator, grid, True, True, 1)
        found = self._compare(learners=[family], **options)
        lines = pd.DataFrame(selected[ESTIMATE]).assign(name=ESTIMATE)
        return replace(found, references=lines) if len(lines) else found

    def _add_estimates(self, found: Comparison) -> Comparison:
        """Add a forest's estimates for the rules, which `suggestion` averages with the errors."""
        numbers = [int(number) for number in found.points().get("setting", ())]
        make = partial(self._estimates, found.models, numbers) if found.models else None
        # restored points have no rules, so their estimates are read
        estimates = self._remember(self.spec, numbers, make=make) if numbers else None
        return average_folds(
            found, estimates={int(k): tuple(v) for k, v in (estimates or {}).items()}
        )

    def _estimates(self, fitted: Mapping[int, Any], numbers: Sequence[int]) -> dict[str, Any]:
        """Compute loss and size of each rule by a forest's votes on the rows of a quick search."""
        models = {k: fitted[k] for k in numbers if k in fitted}
        if not models:
            return {}
        rows, columns = quick_part(self.X, self.y, np.arange(len(self.y)), self.judge)
        read = {f for model in models.values() for f in model.rule_set_.features}.union(columns)
        found = estimate_losses(
            list(models.values()),
            self.judge,
            self.X[[name for name in self.X.columns if name in read]].iloc[rows],
            self.y.iloc[rows],
            sample_weight=None if self.weight is None else self.weight[rows],
            costs=self.judge.costs,
        )
        return {str(k): each for k, each in zip(models, found.tolist(), strict=True)}

    def _compare(self, **options: Any) -> Comparison:
        shared = {"learners": self.families, "cv": self.folds, "sample_weight": self.weight}
        return compare_learners(self.X, self.y, **(shared | options))

    def _quickly(self, report: Report) -> Comparison:
        """Measure and fit every setting on a part of the table, so that no page has to fit one."""
        # It is a part of each fold, and folds with the same columns are run together.
        progress = _ProgressReport(report, self)
        found: Comparison | None = None
        for family in self.families:
            together: dict[tuple[str, ...], dict[int, Fold]] = {}
            for k, (train, test) in enumerate(self.folds):
                part, columns = quick_part(self.X, self.y, train, family.estimator)
                together.setdefault(tuple(columns), {})[k] = part, test
            rows: list[dict[str, Any]] = []
            for names, folds in together.items():
                numbers = list(folds)
                side = compare_learners(
                    self.X[list(names)],
                    self.y,
                    learners=[family],
                    cv=list(folds.values()),
                    sample_weight=self.weight,
                    on_progress=partial(progress, folds=numbers),
                )
                rows += [row | {"fold": numbers[row["fold"]]} for row in side.finished]
            X, y, weight = quick_table(self.X, self.y, self.weight, family.estimator)
            models = dict(enumerate(fit_settings(family.estimator, X, y, family.settings, weight)))
            one = Comparison(
                (family,), len(self.folds), self.key, finished=tuple(rows), models=models
            )
            found = self._add_estimates(one if found is None else found.join(one))
            if family is not self.families[-1]:  # the last one is the result
                report(interim=found)
        assert found is not None
        return found


def average_folds(found: Comparison, **estimates: Any) -> Comparison:
    """Drop the rules of the folds, which no page reads, and average here, not in the server."""
    rows = tuple(row | {"rule": None} for row in found.finished)
    found = replace(found, finished=rows, **estimates)
    _ = found.summary  # kept, also when it is sent
    return found


class _ProgressReport:
    """Reports the progress of a comparison to a job, in searches."""

    def __init__(self, report: Report, work: RunTask):
        self.report, self.work = report, work
        self.sizes = {f.name: len(f.settings) if f.whole_front else 1 for f in work.families}
        fits = [len(f.settings) // self.sizes[f.name] for f in work.families]
        self.landed: Counter[str] = Counter()
        n_folds = len(work.folds)
        total = sum(fits) * n_folds + (0 if work.selector is None else SEARCHES_OF_SELECTION)
        self.is_named = len(work.spec.learners) > 1  # else the names are of kinds of search
        report(done=0, total=total, message=self._words(work.families[0].name, 1))

    def __call__(self, progress: Progress, folds: Sequence[int] | None = None) -> None:
        """Report a fit of one of `folds` (all if None), and the points when a learner is done."""
        if not progress.family:
            self.report(message="Reference models")
        elif progress.found is not None:
            if self.work.spec.thorough:
                self.report(interim=average_folds(progress.found))
        else:
            name, fold = progress.family, progress.row["fold"]
            fold = (fold if folds is None else folds[fold]) + 1
            self.landed[name] += 1
            done = sum(self.landed[each] // size for each, size in self.sizes.items())
            self.report(done=done, message=self._words(name, fold))

    def _words(self, name: str, fold: int) -> str:
        return f"{name}: " * self.is_named + f"fold {fold} of {len(self.work.folds)}"


SCHEDULER = "RULEKIT_SCHEDULER"  # environment variable: the address, such as tcp://10.0.0.7:8786
SECONDS = 5.0  # timeout of a scheduler in seconds


def count_as_running(urgent: bool) -> AbstractContextManager[Any]:
    """Select the joblib backend for fits in this block."""
    if not (address := os.environ.get(SCHEDULER)):
        return joblib.parallel_config("threading", n_jobs=joblib.cpu_count())
    if _client(address).status != "running":
        _client.cache_clear()
    return joblib.parallel_config("dask", client=_client(address), priority=int(urgent))


@lru_cache(maxsize=1)
def _client(address: str) -> Any:
    try:
        from distributed import Client

        return Client(address, timeout=SECONDS, set_as_default=False)
    except ImportError as error:
        raise RulekitError(
            f"{SCHEDULER} needs Dask, which is not installed on this server; run: "
            'pip install "rulekit-dashboard[cluster]".'
        ) from error
    except (OSError, ValueError) as error:
        raise RulekitError(
            f"{SCHEDULER} must name a Dask scheduler that answers; {address!r} did not ({error}). "
            "Start it, or start this server without the variable."
        ) from error
