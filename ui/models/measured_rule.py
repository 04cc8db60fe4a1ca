"""Figures of a rule that was selected under other settings, computed on demand."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd

from rulekit.data import make_folds
from rulekit.evaluation.metrics import cost_per_100, error_rate
from rulekit.learners.choice import COST
from ui.learners.spec import SHARED, RunSpec, quiet
from ui.models.points import SPREAD_FOLDS
from ui.picked import fit_path, model_key, path_of
from ui.runs.background import answer_of
from ui.runs.worker import Reporter
from ui.state import AppState

WEIGHING = ("class_weight", "costs", "cost_unit")


@dataclass(frozen=True, eq=False)
class RuleMeasurement:
    """A job that cross-validates the search of a rule with other folds and costs.

    Attributes
    ----------
    state : AppState
    setting : mapping
        The rule's setting.
    found : RunSpec
        The run that found the rule; the search keeps its settings.
    spec : RunSpec
        Its folds and costs are those of the measurement.
    """

    state: AppState
    setting: Mapping[str, Any]
    found: RunSpec
    spec: RunSpec

    def __call__(self, reporter: Reporter) -> pd.Series | None:
        """Return the figures as a row of `RunResult.points`; None if stopped."""
        quiet()
        X, y = self.state.training
        weight, costs = self.state.training_weight, self.spec.error_costs(self.state.labels)
        groups = self.state.groups
        groups = None if groups is None else groups[self.state.rows()[0]]
        folds = make_folds(y, self.spec.folds, groups=groups, random_state=0)
        settings, figures = path_of(self.setting, self.found), []
        for done, (train, test) in enumerate(folds):
            reporter.report(done=done, total=len(folds))
            if reporter.should_stop():
                return None
            models = fit_path(settings, self.found, self.state, rows=train)
            answers = models[model_key(self.setting)].predict(X.iloc[test])
            of_test = None if weight is None else weight[test]
            row = {"test_error": error_rate(y.iloc[test], answers, of_test)}
            if costs is not None:
                row[COST] = cost_per_100(y.iloc[test], answers, costs, of_test)
            figures.append(row)
        table = pd.DataFrame(figures)
        spread = table.sem() if len(folds) >= SPREAD_FOLDS else pd.Series(dtype=float)
        return pd.concat([table.mean(), spread.add_suffix("_se"), pd.Series({"folds": len(folds)})])


def measured_rule(state: AppState, spec: RunSpec) -> pd.Series | None:
    """Offer to measure the selected rule with the settings at the side; return its figures."""
    assert state.setting is not None
    found = RunSpec.from_dict(state.run_settings)
    key = repr((state.fit_key, state.rule_json, model_key(state.setting), spec.shared))
    task = RuleMeasurement(replace(state, sweep=None, model=None), dict(state.setting), found, spec)
    return answer_of("measure", "Measuring this rule", key, task, offer="Measure it")


def changed_words(state: AppState, spec: RunSpec) -> str:
    """Return what differs from the run that found the selected rule: "costs", "folds"."""
    found = RunSpec.from_dict(state.run_settings)
    changed = {name for name in SHARED if getattr(found, name) != getattr(spec, name)}
    if changed and changed <= set(WEIGHING):
        return "costs"
    return "folds" if changed == {"folds"} else "settings"
