"""Compare the rules that the dashboard, `rulekit learn` and `RuleClassifier` recommend.

Stratified shuffled cross-validation outside; every method sees the training part only, with seed 0.
``library`` is `RuleClassifier`, as `rulekit learn` and a thorough search of the dashboard use it:
prices, clauses, robustness and doubtful rows, five folds, a forest's votes, cuts refined. The rest
select from the points of the dashboard's quick search (one to twelve conditions for either outcome,
ten folds): ``dashboard`` with a forest's votes, as the quick search does; ``folds alone`` without
them, as `rulekit.suggest` does; ``within 1 se`` takes the fewest conditions within one standard
error of the best point.

Error on the held-out rows in percent, the mean number of conditions, and the difference to the
dashboard in points, paired fold by fold, with its standard error over the folds.
"""

import argparse
import time
from typing import Any

import numpy as np
import pandas as pd

from benchmarks._cli import BenchTable, Row, report, run, tables
from benchmarks.bench_choice import TABLES
from rulekit import RuleClassifier
from rulekit.data import Table, make_folds
from rulekit.learners.choice import FOREST_LOSS, FOREST_SIZE, suggestion
from tests.ui.tasks import Quiet
from ui.learners.spec import LEARNER_KEY, QUICK, RunSpec
from ui.models.points import RunResult
from ui.models.run import quick, work
from ui.picked import model_key
from ui.state import AppState, SplitSpec

METHODS = ("dashboard", "folds alone", "within 1 se", "library")
FOLDS, QUICK_FOLDS = 5, 2
TARGET = "outcome"


def measure(arguments: argparse.Namespace) -> list[Row]:
    """Measure on each table, then over all."""
    rows, every = [], {}
    for table in tables(arguments, TABLES):
        n_folds = QUICK_FOLDS if arguments.quick else FOLDS
        folds = [
            one_fold(table, *fold)
            for seed in range(arguments.seeds or 1)
            for fold in make_folds(table.y, n_folds, random_state=seed)
        ]
        every[table.name] = pd.DataFrame(folds)
        rows += [report(row) for row in compared(table.name, every[table.name])]
    if len(every) > 1:
        means = pd.DataFrame({name: folds.mean() for name, folds in every.items()}).T
        rows += [report(row) for row in compared("all", means)]
    return rows


def one_fold(table: BenchTable, train: Any, test: Any) -> dict[str, float]:
    """Recommend a rule by each method on the training rows, and measure it on the others."""
    X, y = table.X.iloc[train].reset_index(drop=True), table.y[train]
    frame = X.assign(**{TARGET: y})
    state = AppState(
        table=Table.from_frame(frame).with_roles({TARGET: "target"}, positive_label=table.positive),
        split=SplitSpec(test_share=0.0),
    )
    figures: dict[str, float] = {}
    start = time.process_time()
    result = RunResult.from_comparison(quick(RunSpec()), work(quick(RunSpec()), state)(Quiet()))
    spent = {"dashboard": time.process_time() - start}
    for name, number in _numbers(result).items():
        model = result.models[model_key(result.settings[number])]
        figures |= _figures(name, model, table, test)
    start = time.process_time()
    model = RuleClassifier(random_state=0).fit(X, y)
    spent["library"] = time.process_time() - start
    figures |= _figures("library", model, table, test)
    return figures | {f"{name} seconds": seconds for name, seconds in spent.items()}


def _numbers(result: RunResult) -> dict[str, int]:
    """Return the number of the recommended point by each method of selection."""
    assert result.suggestion is not None
    points = result.points.drop(columns=[FOREST_LOSS, FOREST_SIZE])
    points = points.assign(learner=result.searches, setting=points.index)
    settings = {
        k: {name: v for name, v in setting.items() if name not in (LEARNER_KEY, QUICK)}
        for k, setting in enumerate(result.settings)
    }
    plain = suggestion(points, settings, "test_error")
    return {
        "dashboard": result.suggestion.number,
        "folds alone": plain["default"],
        "within 1 se": plain["simplest_within_1se"],
    }


def _figures(name: str, model: Any, table: BenchTable, test: Any) -> dict[str, float]:
    wrong = np.asarray(model.predict(table.X.iloc[test])) != table.y[test]
    return {f"{name} error": 100 * wrong.mean(), f"{name} conditions": model.n_conditions_}


def compared(name: str, folds: pd.DataFrame) -> list[Row]:
    """Return the rows of one table: each method beside the dashboard."""
    rows: list[Row] = []
    for method in METHODS:
        difference = folds[f"{method} error"] - folds["dashboard error"]
        setting = {
            "conditions": round(float(folds[f"{method} conditions"].mean()), 2),
            "difference": round(float(difference.mean()), 2),
            "se": round(float(difference.sem()), 2),
        }
        if f"{method} seconds" in folds:
            setting["seconds"] = round(float(folds[f"{method} seconds"].mean()), 2)
        row = {"table": name, "what": f"error, {method}", "unit": "%", "setting": setting}
        rows.append(row | {"ours": float(folds[f"{method} error"].mean())})
    return rows


if __name__ == "__main__":
    run(measure, __doc__ or "")
