"""What a run of Models does in its thread: a quick first pass, the search in full, its variants.

A first pass without disturbances answers every setting of the box search at once, and is shown
while the search goes on; its points are replaced as soon as the better ones are whole. Only the
search in full goes into the store.
"""

import os
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin, clone

from rulekit.data import make_folds
from rulekit.evaluation import SweepStore, sweep
from ui import jobs
from ui.learners import RunSpec, answers_at_once, legs, settings_of_run
from ui.models_points import Outcome, outcome_of, reference_models
from ui.picked import fit_path, quiet
from ui.run_spec import LEARNER_KEY
from ui.state import AppState

DRAFT_CELLS = 60_000  # cells of a fold's training rows that a first pass learns from at most
DRAFT_ROWS = 1_000  # but never from fewer rows than these, where there are as many
DRAFT_SECONDS = 2.0  # for one search of a first pass
DRAWN_SECONDS = 0.3  # a first pass waits so long for a page that draws its first fold's points
REFRESH_SECONDS = 3.0  # points of slow learners join those that stand about this often
Fold = tuple[NDArray[np.intp], NDArray[np.intp]]
Row = dict[str, Any]


@dataclass(frozen=True)
class Swept:
    """What a run learns from: rows, folds, weights."""

    X: pd.DataFrame
    y: pd.Series
    folds: tuple[Fold, ...]
    weight: NDArray[np.float64] | None


@dataclass(frozen=True)
class Part:
    """One sweep of a run.

    Attributes
    ----------
    estimator : classifier
    grid : dict
    first : int
        Number that its first setting has in the run.
    words : str
        What it does.
    searched : tuple of dict
        Those of its settings that one search answers, or that share most of their work: their
        models of all training rows are kept, to pick from.
    quick_look : classifier or None
        The learner of a first pass, for the settings in `searched`.
    """

    estimator: ClassifierMixin
    grid: dict[str, list[Any]]
    first: int
    words: str
    searched: tuple[dict[str, Any], ...] = ()
    quick_look: ClassifierMixin | None = None


def swept(spec: RunSpec, state: AppState) -> Swept:
    """Return the rows of a run, with its folds and weights."""
    X, y = state.training
    train, _ = state.rows()
    groups = None if state.groups is None else state.groups[train]
    folds = make_folds(y, spec.folds, groups=groups, random_state=0)
    return Swept(X, y, tuple(folds), state.training_weight)


def parts_of(spec: RunSpec, state: AppState) -> list[Part]:
    """List the sweeps of a run, its settings numbered as in `ui.learners.settings_of_run`."""
    parts: list[Part] = []
    first, at_once = 0, 0
    for leg in legs(spec):
        learners, settings = leg.learners, leg.settings(spec)
        searcher = next((one for one in learners if one.whole_front), None)
        kept = [one.key for one in learners if one.keeps_models]
        words = " and ".join(one.name for one in learners)
        if leg.variant:
            words = ", ".join(learners[0].variant_words(leg.variant)).capitalize()
        part = Part(
            learners[0].estimator(spec, state, leg.variant),
            leg.grid(spec),
            first,
            words,
            tuple(s for s in settings if s[LEARNER_KEY] in kept),
            None if searcher is None else searcher.estimator(spec, state, leg.variant),
        )
        first += len(settings)
        if learners[0].at_once and parts:  # takes no time, so it need not wait its turn
            at_once += 1
            parts.insert(at_once, part)
        else:
            parts.append(part)
    return parts


def stored(spec: RunSpec, state: AppState, store: SweepStore) -> Outcome:
    """Return what the store holds of a run; nothing is computed."""
    data = swept(spec, state)
    rows = [row for part in parts_of(spec, state) for row in _stored(part, data, store)]
    return outcome_of(rows, spec)


def threads(spec: RunSpec) -> int:
    """Return how many threads serve a run best.

    Solvers of linear programs release the interpreter's lock; the box search holds it, and two
    searches at once take longer than one after the other.
    """
    return 1 if answers_at_once(spec) else os.cpu_count() or 1


def draft_rows(X: pd.DataFrame) -> int:
    """Return how many of a fold's training rows a first pass learns from at most."""
    return max(DRAFT_ROWS, DRAFT_CELLS // max(1, X.shape[1]))


@dataclass
class Run:
    """A run in its thread.

    Parameters
    ----------
    job : Job
        Is told of every finished fold, and what stands so far.
    spec : RunSpec
    state : AppState
        The analysis when the run began.
    data : Swept
    place : Path or None
        Where finished folds are kept.
    """

    job: jobs.Job
    spec: RunSpec
    state: AppState
    data: Swept
    place: Path | None
    rows: list[Row] = field(default_factory=list)
    drafted: list[Row] = field(default_factory=list)
    words: str = ""
    models: dict[str, ClassifierMixin] = field(default_factory=dict)
    refreshed: float = 0.0

    def work(self) -> Outcome:
        """Go through all rounds, and return what stands at the end."""
        quiet()
        parts = parts_of(self.spec, self.state)
        searched = next((part for part in parts if part.quick_look is not None), None)
        if searched is not None and not self._known(searched):
            self._first_pass(searched)
        for part in parts:
            self._sweep(part)
            if self.job.should_stop():
                return self.outcome()
            self._look_up(part)
            self.job.report(standing=self.outcome())
        lines = None
        if self.spec.baselines and not self.job.should_stop():
            self.job.report(message="Fitting the reference models")
            X, y, folds = self.data.X, self.data.y, list(self.data.folds)
            with joblib.parallel_config("threading", n_jobs=os.cpu_count() or 1):
                lines = reference_models(X, y, folds, self.data.weight)
        return replace(self.outcome(), baselines=lines)

    @cached_property
    def store(self) -> SweepStore | None:
        """Keeps finished folds; opened, or made, when it is first asked for."""
        return None if self.place is None else SweepStore(self.place)

    def outcome(self) -> Outcome:
        """Put together what there is: of the first pass what nothing better has replaced."""
        n_folds = len(self.data.folds)
        done = Counter(row["setting"] for row in self.rows)
        whole = {number for number, folds in done.items() if folds == n_folds}
        old = [row for row in self.drafted if row["setting"] not in whole]
        waiting = {row["setting"] for row in old}
        new = [row for row in self.rows if row["setting"] not in waiting]
        found = outcome_of([*old, *new], self.spec)
        draft = self.words if old else ""
        return replace(found, finished=len(self.rows), draft=draft, models=dict(self.models))

    def _known(self, part: Part) -> bool:
        """Whether the store holds a part already, so that no first pass is needed.

        A store that is not there yet is made after the first pass, which it would hold up.
        """
        if self.place is None or not self.place.exists():
            return False
        expected = _n_settings(part) * len(self.data.folds)
        return len(_stored(part, self.data, self.store)) == expected

    def _first_pass(self, part: Part) -> None:
        """Answer all settings of a plain search without disturbances."""
        most, n_folds = draft_rows(self.data.X), len(self.data.folds)
        folds = [(_sampled(train, self.data.y, most), test) for train, test in self.data.folds]
        n_rows, share = len(self.data.folds[0][0]), len(folds[0][0]) / len(self.data.folds[0][0])
        self.words = "First pass, without disturbances"
        part_words = ""
        if share < 1:
            part_words = f"{len(folds[0][0]):,} of the {n_rows:,} rows of a fold"
            self.words += f", learned from {part_words}"
            part_words = f" on {part_words}"
        quick = {"kicks": 0, "time_limit": DRAFT_SECONDS}
        learner = clone(part.quick_look).set_params(**quick)
        grid = part.grid | {"theta": [share * t for t in part.grid["theta"]]}
        if "method" in grid:
            grid["method"] = [part.searched[0][LEARNER_KEY]]
        listed = settings_of_run(self.spec)
        first = listed.index(part.searched[0])

        def land(row: Row) -> None:
            row = row | {"setting": row["setting"] + first}
            self.drafted.append(row)
            message = f"First pass{part_words}, fold {row['fold'] + 1} of {n_folds}"
            whole = len(self.drafted) % len(part.searched) == 0  # a fold more
            seen = outcome_of(self.drafted, self.spec, suggest=False) if whole else None
            self.job.report(row, done=self.job.done, message=message, glimpse=seen)
            if len(self.drafted) == len(part.searched):
                self.job.give_way(DRAWN_SECONDS)

        data = replace(self.data, folds=tuple(folds))
        stop = self.job.should_stop
        _run_sweep(Part(learner, grid, first, "", ()), data, land, should_stop=stop)
        if not self.job.should_stop():
            self._look_up(part, **quick)
            self.job.report(standing=self.outcome(), message=f"{part.words}, fold 1 of {n_folds}")

    def _sweep(self, part: Part) -> None:
        n_folds = len(self.data.folds)

        def land(row: Row) -> None:
            row = row | {"setting": row["setting"] + part.first}
            self.rows.append(row)
            self.job.report(row, message=f"{part.words}, fold {row['fold'] + 1} of {n_folds}")
            if time.monotonic() - self.refreshed > REFRESH_SECONDS:
                self.refreshed = time.monotonic()
                if not answers_at_once(self.spec):
                    self.job.report(standing=self.outcome())

        alone = part.quick_look is not None and len(part.searched) == _n_settings(part)
        with joblib.parallel_config("threading", n_jobs=1 if alone else threads(self.spec)):
            stop = self.job.should_stop
            _run_sweep(part, self.data, land, store=self.store, should_stop=stop)

    def _look_up(self, part: Part, **parameters: Any) -> None:
        """Fit all settings that one search of all training rows answers."""
        if part.searched:
            stop = self.job.should_stop
            found = fit_path(part.searched, self.spec, self.state, should_stop=stop, **parameters)
            self.models |= found


def _run_sweep(part: Part, data: Swept, land: Callable[[Row], None], **how: Any) -> None:
    """Sweep a part; `how` is handed on."""
    sweep(
        part.estimator,
        data.X,
        data.y,
        grid=part.grid,
        cv=list(data.folds),
        sample_weight=data.weight,
        on_result=land,
        **how,
    )


def _stored(part: Part, data: Swept, store: SweepStore) -> list[Row]:
    """Read the rows of a part that the store holds."""
    rows: list[Row] = []

    def land(row: Row) -> None:
        rows.append(row | {"setting": row["setting"] + part.first})

    _run_sweep(part, data, land, store=store, only_stored=True)
    return rows


def _n_settings(part: Part) -> int:
    return int(np.prod([len(values) for values in part.grid.values()]))


def _sampled(train: NDArray[np.intp], y: pd.Series, most: int) -> NDArray[np.intp]:
    """Draw rows of a fold, each class in its share and by the same chance every time."""
    if len(train) <= most:
        return train
    labels, rng = y.to_numpy()[train], np.random.default_rng(0)
    parts = []
    for label in pd.unique(labels):
        rows = train[labels == label]
        wanted = min(len(rows), max(2, round(most * len(rows) / len(train))))
        parts.append(rng.choice(rows, wanted, replace=False))
    return np.sort(np.concatenate(parts))
