"""What a run has found so far, as points: one row a setting, while it runs and after it."""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import pandas as pd
from sklearn.base import ClassifierMixin

from rulekit.evaluation import Comparison, SweepResult, pareto_front, summarise
from rulekit.evaluation.result import table_of
from rulekit.plots import Baseline
from ui.learners.offered import learner_of, settings_of_run
from ui.learners.spec import RunSpec
from ui.picked import model_key, setting_words

ERRORS = {
    "test_error": "cross-validated error",
    "test_balanced_error": "balanced cross-validated error",
    "one_minus_f1": "1 − F1, cross-validated",
    "one_minus_auc": "1 − AUC, cross-validated",
    "train_error": "error on the training folds (optimistic)",
}
SIZES = {"n_conditions": "conditions", "n_clauses_used": "clauses"}
LIBRARY_WORDS = {
    "mean test error": "mean cross-validated error",
    "each literal": "each condition",
    " literals": " conditions",
    " 1.0 conditions": " 1 condition",
    "The default is": "Suggested is",
    "the default is": "the suggested one is",
}
TREE = "tree"
MARKS = ("robustness", "doubt", "positive_label", "draft")  # said otherwise


@dataclass(frozen=True, eq=False)
class RunResult:
    """What a run has found, as points; drawn and chosen from.

    Attributes
    ----------
    rows : tuple of mapping
        A fit each, as `rulekit.evaluation.sweep` reports them, settings numbered as in `settings`.
    spec : RunSpec
        What was asked for.
    finished : int
        Fits done that were asked for; those of a first pass do not count.
    draft : str
        For the points of a first pass: how it was made, in words; else empty.
    models : mapping
        Models of settings on all training rows, by `ui.picked.model_key`, as far as one search has
        answered them all.
    baselines : DataFrame or None
        Reference models on the same folds, a row each (trees: a row a size): ``name`` and the
        measures of the points.
    """

    rows: tuple[Mapping[str, Any], ...]
    spec: RunSpec
    finished: int = 0
    draft: str = ""
    models: Mapping[str, ClassifierMixin] = field(default_factory=dict)
    baselines: pd.DataFrame | None = None

    @classmethod
    def of(cls, found: Comparison, spec: RunSpec) -> "RunResult":
        """Take over what a comparison has found."""
        settings, lines = settings_of_run(spec), found.references
        return cls(
            found.rows,
            spec,
            len(found.finished),
            _first_pass_words(found) if found.is_draft else "",
            {model_key(settings[number]): model for number, model in found.models.items()},
            None if lines is None else _with_losses(lines),
        )

    @cached_property
    def settings(self) -> tuple[dict[str, Any], ...]:
        """The settings of the run, as `ui.learners.offered.settings_of_run` lists them."""
        return settings_of_run(self.spec)

    @cached_property
    def points(self) -> pd.DataFrame:
        """A row a setting with at least one finished fold, by the setting's number.

        The columns of `rulekit.evaluation.summarise`, and ``learner_name``, ``series`` (the same,
        and "against" for rules of the other class), ``label`` (the setting in words),
        ``one_minus_f1``, ``one_minus_auc``.
        """
        if not self.rows:
            return pd.DataFrame()
        points = summarise(self._measured).set_index("setting")
        chosen = [self.settings[number] for number in points.index]
        names = [learner_of(s).name for s in chosen]
        points["learner_name"] = names
        points["series"] = [
            f"{name}{', against' * ('describes' in s)}"
            for name, s in zip(names, chosen, strict=True)
        ]
        points["label"] = [setting_words(s) for s in chosen]
        return _with_losses(points)

    @cached_property
    def suggestion(self) -> dict[str, Any]:
        """What `SweepResult.suggest` gives, in the words of the page; empty before any point.

        It takes as long as all the rest, so it is asked for where nobody waits.
        """
        if not self.rows:
            return {}
        named = (None,) * len(self.settings)
        table = table_of(self._measured)
        result = SweepResult(table, self.settings, named, self.spec.folds, self.complete, "")
        suggested = result.suggest()
        return suggested | {"reason": _in_words(suggested, self.settings)}

    @property
    def _measured(self) -> list[dict[str, Any]]:
        """The rows without what their settings say; the ideal DNF has no price."""
        return [
            {name: value for name, value in row.items() if name not in MARKS}
            | {"theta": self.settings[row["setting"]].get("theta", math.nan)}
            for row in self.rows
        ]

    @property
    def complete(self) -> bool:
        """Whether every planned fit is there."""
        return not self.draft and self.finished >= len(self.settings) * self.spec.folds

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


def _first_pass_words(found: Comparison) -> str:
    """Say how the points of a first pass were made."""
    words, (part, n_rows) = "First pass, without disturbances", found.part_of_rows
    return words if part == n_rows else f"{words}, learned from {part_words(found)}"


def part_words(found: Comparison) -> str:
    """Say from which part of the rows a first pass learned; empty if from all."""
    part, n_rows = found.part_of_rows
    return "" if part == n_rows else f"{part:,} of the {n_rows:,} rows of a fold"


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
        name = f"classification trees ({'splits' if x == 'n_conditions' else 'leaves'})"
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
