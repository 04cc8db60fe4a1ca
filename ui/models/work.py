"""What a run does in its thread: it compares the learners, and tells its job what stands.

A first pass answers every setting of the box search at once, and is shown while the search goes on;
its points are replaced as soon as the better ones are whole. Only the search in full is stored.
"""

import os
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import joblib

from rulekit.data import make_folds
from rulekit.evaluation import Comparison, Progress, compare_learners
from ui.learners.offered import answers_at_once, families
from ui.learners.spec import RunSpec
from ui.models.points import RunResult, part_words
from ui.picked import quiet
from ui.state import AppState
from ui.worker import Telling

REFRESH_SECONDS = 3.0  # points of slow learners join those that stand about this often


def prepared(spec: RunSpec, state: AppState) -> dict[str, Any]:
    """Return what the learners of a run are compared on: rows, folds, weights.

    Raises
    ------
    DataError
        If a class has fewer rows than there are folds.
    """
    X, y = state.training
    train, _ = state.rows()
    groups = None if state.groups is None else state.groups[train]
    return {
        "X": X,
        "y": y,
        "learners": families(spec, state),
        "cv": make_folds(y, spec.folds, groups=groups, random_state=0),
        "sample_weight": state.training_weight,
    }


def stored(spec: RunSpec, state: AppState, place: Path) -> RunResult:
    """Return what the store holds of a run; nothing is computed."""
    found = compare_learners(**prepared(spec, state), store=place, only_stored=True)
    return RunResult.of(found, spec)


@dataclass(frozen=True)
class Work:
    """The work of a run, for a job; its answer is the `RunResult` at the end.

    Attributes
    ----------
    spec : RunSpec
    state : AppState
    place : Path or None
        Where finished folds are kept.
    """

    spec: RunSpec
    state: AppState
    place: Path | None

    def __call__(self, telling: Telling) -> RunResult:
        """Compare the learners, telling what stands."""
        quiet()
        with joblib.parallel_config("threading", n_jobs=os.cpu_count() or 1):
            found = compare_learners(
                **prepared(self.spec, self.state),
                first_pass=True,
                references=self.spec.baselines,
                store=self.place,
                on_progress=_Telling(telling, self.spec),
                should_stop=telling.should_stop,
            )
        return RunResult.of(found, self.spec)


@dataclass
class _Telling:
    """Tells a job of a comparison's progress."""

    telling: Telling
    spec: RunSpec
    refreshed: float = 0.0

    def __call__(self, progress: Progress) -> None:
        """Tell of a fit, or of what stands at the end of a stage."""
        if progress.stage == "references":
            self.telling.report(message="Fitting the reference models")
        elif progress.row is None:
            self._stands(progress.found)
        elif progress.stage == "first pass":
            part = part_words(progress.found)
            words = self._words(f"First pass{f' on {part}' if part else ''}", progress.row)
            self.telling.report(message=words)
        else:
            words = self._words(progress.family, progress.row)
            self.telling.report(done=len(progress.found.finished), message=words)
            late = time.monotonic() - self.refreshed > REFRESH_SECONDS
            if late and not answers_at_once(self.spec):
                self._stands(progress.found)

    def _stands(self, found: Comparison) -> None:
        self.refreshed = time.monotonic()
        standing = RunResult.of(found, self.spec)
        _ = standing.suggestion  # reckoned here, not while a page waits
        self.telling.report(standing=standing)

    def _words(self, what: str, row: Any) -> str:
        return f"{what}, fold {row['fold'] + 1} of {self.spec.folds}"
