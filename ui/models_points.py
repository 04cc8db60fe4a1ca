"""What a run has found so far, as points: one row a setting, while it runs and after it."""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pandas as pd
from sklearn.base import ClassifierMixin

from rulekit.evaluation import SweepResult, pareto_front, summarise
from rulekit.evaluation.baselines import baselines
from rulekit.evaluation.metrics import f1_score
from rulekit.evaluation.result import table_of
from rulekit.plots import Baseline
from ui.learners import LEARNERS, RunSpec, settings_of_run
from ui.picked import setting_words
from ui.run_spec import LEARNER_KEY

ERRORS = {
    "test_error": "cross-validated error",
    "test_balanced_error": "balanced cross-validated error",
    "one_minus_f1": "1 − F1, cross-validated",
    "one_minus_auc": "1 − AUC, cross-validated",
    "train_error": "error on the training folds (optimistic)",
}
SIZES = {"n_literals": "conditions", "n_clauses_used": "clauses"}
LIBRARY_WORDS = {
    "mean test error": "mean cross-validated error",
    "each literal": "each condition",
    " literals": " conditions",
    " 1.0 conditions": " 1 condition",
    "The default is": "Suggested is",
    "the default is": "the suggested one is",
}
TREE = "tree"
MARKS = ("describes", "robustness", "doubt", "positive_label", "round")  # said by the setting


@dataclass(frozen=True, eq=False)
class Outcome:
    """The points of a run.

    Attributes
    ----------
    points : DataFrame, a row a setting with at least one finished fold
        Index: the setting's number in `settings`. The columns of `rulekit.evaluation.summarise`,
        and ``learner_name``, ``series`` (the same, and "against" for rules of the other class),
        ``label`` (the setting in words), ``one_minus_f1``, ``one_minus_auc``.
    settings : tuple of dict
        As `ui.learners.settings_of_run` lists them.
    spec : RunSpec
        What was asked for.
    suggestion : mapping
        As `SweepResult.suggest` gives it, settings named in ``reason`` as on the page; empty while
        nothing is measured.
    baselines : DataFrame or None
        Reference models on the same folds, a row each (trees: a row a size): ``name`` and the
        measures of the points.
    finished : int
        Fits done.
    draft : str
        For the points of a first pass: how it was made, in words; else empty.
    models : mapping
        Models of settings on all training rows, by `ui.picked.model_key`, as far as one search has
        answered them all.
    """

    points: pd.DataFrame
    settings: tuple[dict[str, Any], ...]
    spec: RunSpec
    suggestion: Mapping[str, Any] = field(default_factory=dict)
    baselines: pd.DataFrame | None = None
    finished: int = 0
    draft: str = ""
    models: Mapping[str, ClassifierMixin] = field(default_factory=dict)

    @property
    def complete(self) -> bool:
        """Whether every planned fit is there."""
        return not self.draft and self.finished >= self.spec.n_fits

    @property
    def cut(self) -> bool:
        """Whether a search of all training rows was ended by its time limit."""
        return any(m.history_ and "stopped" in m.history_[-1] for m in self.models.values())

    def number_of(self, setting: Mapping[str, Any] | None) -> int | None:
        """Return the number of a setting that has a point, or None."""
        if setting is None:
            return None
        wanted = dict(setting)
        return next((k for k in self.points.index if self.settings[k] == wanted), None)

    def measures(self, name: str) -> bool:
        """Whether any point has a value of a measure."""
        return name in self.points and bool(self.points[name].notna().any())

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


def outcome_of(
    rows: Iterable[Mapping[str, Any]],
    spec: RunSpec,
    baselines: pd.DataFrame | None = None,
    *,
    suggest: bool = True,
) -> Outcome:
    """Put the rows a run has reported so far into points.

    Parameters
    ----------
    rows : iterable of mapping
        As `rulekit.evaluation.sweep` reports them, settings numbered as in `settings_of_run`.
    spec : RunSpec
    baselines : DataFrame, optional
        From `reference_models`.
    suggest : bool, default=True
        Whether to choose among the settings, which takes as long as all the rest.

    Returns
    -------
    Outcome
    """
    settings = settings_of_run(spec)
    landed = [_for_the_class(row, settings[row["setting"]]) for row in rows]
    if not landed:
        return Outcome(pd.DataFrame(), settings, spec)
    points = summarise(landed).set_index("setting")
    chosen = [settings[number] for number in points.index]
    points["learner_name"] = [LEARNERS[s[LEARNER_KEY]].name for s in chosen]
    points["series"] = [
        f"{LEARNERS[s[LEARNER_KEY]].name}{', against' * ('describes' in s)}" for s in chosen
    ]
    points["label"] = [setting_words(s) for s in chosen]
    found = Outcome(_with_losses(points), settings, spec, {}, baselines, len(landed))
    return replace(found, suggestion=_suggested(landed, found)) if suggest else found


def _suggested(landed: Sequence[Mapping[str, Any]], found: Outcome) -> dict[str, Any]:
    """Choose among the settings as the library does, in the words of the page."""
    result = SweepResult(
        table=table_of(landed),
        settings=found.settings,
        estimators=(None,) * len(found.settings),
        n_folds=found.spec.folds,
        complete=found.complete,
        folds_digest="",
    )
    suggested = result.suggest()
    suggested["reason"] = _in_words(suggested, found.settings)
    return suggested


def _in_words(suggested: Mapping[str, Any], settings: Sequence[dict[str, Any]]) -> str:
    """Put the library's reason for a suggestion into the words of the page."""
    reason = str(suggested["reason"])
    named = {", ".join(f"{k} = {v}" for k, v in setting.items()): setting for setting in settings}
    for theirs in sorted(named, key=len, reverse=True):  # one may be the beginning of another
        if theirs in reason:
            reason = reason.replace(theirs, setting_words(named[theirs]))
    for theirs, ours in LIBRARY_WORDS.items():
        reason = reason.replace(theirs, ours)
    return re.sub(r"(\d)\.0 conditions", r"\1 conditions", reason)


def _for_the_class(row: Mapping[str, Any], setting: Mapping[str, Any]) -> dict[str, Any]:
    """Return a row whose F1 is that of the described class, also for a rule against it."""
    kept = {name: value for name, value in row.items() if name not in MARKS}
    # a first pass on a part of the rows has smaller prices, the ideal DNF has none
    kept["theta"] = setting.get("theta", math.nan)
    if "describes" in setting and "test_tn" in row:
        tp, tn = row["test_tn"], row["test_tp"]
        fp, fn = row["test_fn"], row["test_fp"]
        kept |= {"test_tp": tp, "test_tn": tn, "test_fp": fp, "test_fn": fn}
        kept["test_f1"] = f1_score({"tp": tp, "fp": fp, "fn": fn, "tn": tn})
    return kept


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
