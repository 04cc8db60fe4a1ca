"""What a run has found so far, as points: one row a setting, while it runs and after it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from rulekit.evaluation import SweepResult, pareto_front, summarise
from rulekit.evaluation.baselines import baselines
from rulekit.evaluation.grid import settings_of
from rulekit.evaluation.result import table_of
from rulekit.plots import Baseline
from ui.learners import LEARNERS, ONE_CLAUSE, RunSpec
from ui.picked import LEARNER_KEY, setting_words

ERRORS = {
    "test_error": "cross-validated error",
    "test_balanced_error": "balanced cross-validated error",
    "one_minus_f1": "1 − F1, cross-validated",
    "one_minus_auc": "1 − AUC, cross-validated",
    "train_error": "error on the training folds (optimistic)",
}
SIZES = {"n_literals": "conditions", "n_clauses_used": "clauses"}
TREE = "tree"


@dataclass(frozen=True, eq=False)
class Outcome:
    """The points of a run.

    Attributes
    ----------
    points : DataFrame, a row a setting with at least one finished fold
        Index: the setting's number in `settings`. The columns of `rulekit.evaluation.summarise`,
        and ``learner_name``, ``label`` (the setting in words), ``one_minus_f1``,
        ``one_minus_auc``.
    settings : tuple of dict
        ``learner``, ``theta`` and, for rules of several clauses, ``n_clauses``.
    spec : RunSpec
        What was asked for.
    suggestion : mapping
        ``default``, ``simplest_within_1se``, ``best`` (numbers of settings) and ``reason``;
        empty while nothing is measured.
    baselines : DataFrame or None
        Reference models on the same folds, a row each (trees: a row a size): ``name`` and the
        measures of the points.
    finished : int
        Fits done.
    """

    points: pd.DataFrame
    settings: tuple[dict[str, Any], ...]
    spec: RunSpec
    suggestion: Mapping[str, Any] = field(default_factory=dict)
    baselines: pd.DataFrame | None = None
    finished: int = 0

    @property
    def complete(self) -> bool:
        """Whether every planned fit is there."""
        return self.finished >= self.spec.n_fits

    def number_of(self, setting: Mapping[str, Any] | None) -> int | None:
        """Return the number of a setting that has a point, or None."""
        if setting is None:
            return None
        wanted = dict(setting)
        return next((k for k in self.points.index if self.settings[k] == wanted), None)

    def on_axes(self, x: str, y: str) -> pd.DataFrame:
        """Return the points that have both coordinates, with ``on_front`` for these axes.

        Only settings with the most finished folds compete for the front of a partial run.
        """
        shown = self.points.dropna(subset=[x, y]).copy()
        full = shown["folds"] == shown["folds"].max()
        shown["on_front"] = False
        if full.any():
            best = pareto_front(shown.loc[full, x], shown.loc[full, y])
            shown.loc[full, "on_front"] = best
        return shown


def settings_of_run(spec: RunSpec) -> tuple[dict[str, Any], ...]:
    """List the settings of a run, numbered as its rows are: two-level ones, then one-level."""
    found: list[dict[str, Any]] = []
    two_level = [name for name in spec.learners if name not in ONE_CLAUSE]
    if two_level:
        for setting in settings_of(two_level_grid(spec)):
            method = setting.pop("method")
            found.append({LEARNER_KEY: method, **setting})
    for name in ONE_CLAUSE:
        if name in spec.learners:
            found += [{LEARNER_KEY: name, "theta": theta} for theta in spec.thetas]
    return tuple(found)


def two_level_grid(spec: RunSpec) -> dict[str, list[Any]]:
    """Return the grid of the two-level learners of a run."""
    low, high = spec.clauses
    return {
        "method": [name for name in spec.learners if name not in ONE_CLAUSE],
        "n_clauses": list(range(low, high + 1)),
        "theta": list(spec.thetas),
    }


def outcome_of(
    rows: Iterable[Mapping[str, Any]], spec: RunSpec, baselines: pd.DataFrame | None = None
) -> Outcome:
    """Put the rows a run has reported so far into points.

    Parameters
    ----------
    rows : iterable of mapping
        As `rulekit.evaluation.sweep` reports them, settings numbered as in `settings_of_run`.
    spec : RunSpec
    baselines : DataFrame, optional
        From `reference_models`.

    Returns
    -------
    Outcome
    """
    landed = [dict(row) for row in rows]
    settings = settings_of_run(spec)
    if not landed:
        return Outcome(pd.DataFrame(), settings, spec)
    points = summarise(landed).set_index("setting")
    chosen = [settings[number] for number in points.index]
    points["learner_name"] = [LEARNERS[s[LEARNER_KEY]].name for s in chosen]
    points["label"] = [setting_words(s) for s in chosen]
    points = _with_losses(points)
    result = SweepResult(
        table=table_of(landed),
        settings=tuple({"setting": setting_words(s)} for s in settings),
        estimators=(None,) * len(settings),
        n_folds=spec.folds,
        complete=len(landed) >= spec.n_fits,
        folds_digest="",
    )
    return Outcome(points, settings, spec, result.suggest(), baselines, len(landed))


def reference_models(X: pd.DataFrame, y: pd.Series, folds: Any, weight: Any) -> pd.DataFrame:
    """Cross-validate the reference models on the folds of a run; see `Outcome.baselines`."""
    found = baselines(X, y, cv=folds, sample_weight=weight)
    parts = [result.summary.assign(name=name) for name, result in found.items()]
    return _with_losses(pd.concat(parts, ignore_index=True))


def reference_lines(table: pd.DataFrame | None, x: str, y: str) -> list[Baseline]:
    """Return the reference models for two axes: lines, and the trees as a curve over their size."""
    if table is None:
        return []
    known = table.dropna(subset=[y])
    rows = known[known["name"] != TREE].sort_values(y)
    lines = [Baseline(name, float(v)) for name, v in zip(rows["name"], rows[y], strict=True)]
    trees = known[known["name"] == TREE].dropna(subset=[x]).sort_values(x)
    if len(trees):
        curve = tuple((float(a), float(b)) for a, b in zip(trees[x], trees[y], strict=True))
        name = f"classification trees ({'splits' if x == 'n_literals' else 'leaves'})"
        lines.append(Baseline(name, float(trees[y].min()), curve))
    return lines


def _with_losses(points: pd.DataFrame) -> pd.DataFrame:
    """Turn measures that are better when larger round, with their standard errors."""
    added = {}
    for name in ("f1", "auc"):
        if f"test_{name}" in points:
            added[f"one_minus_{name}"] = 1 - points[f"test_{name}"]
            added[f"one_minus_{name}_se"] = points[f"test_{name}_se"]
    return points.assign(**added)
