"""Each method's speed beside a CART of ten leaves, in one run; fits without cross-validation.

CPU seconds of one fit: every learner as in `bench_learners`, the search as in `bench_scale` on
adult (with ``--data``) and on made tables, and an ordered list of scikit-learn's wine. ``explain``
explains 10 000 rows by a rule of the search, beside the tree's fit to them. ``first curve`` is the
quick search with which Models begins. Kernels are compiled before the clock starts.
"""

import argparse
import os
from typing import Any

import pandas as pd
from sklearn.tree import DecisionTreeClassifier
from threadpoolctl import threadpool_limits

from benchmarks import bench_learners
from benchmarks._cli import Row, report, run, tables
from benchmarks.bench_lists import shipped
from benchmarks.bench_scale import fitted, learner, made, seconds
from rulekit import BoxSearchClassifier, load_sample
from rulekit.explain import explain
from rulekit.search.machine_code import warm_up
from tests.ui.tasks import Quiet
from ui.learners.spec import RunSpec
from ui.models.run import quick, work
from ui.state import AppState

SIZES = [(100_000, 10), (1_000_000, 10), (1_000, 3_000)]
EXPLAINED = 10_000


def measure(arguments: argparse.Namespace) -> list[Row]:
    """Measure all rows; those of tables that are not there are left out."""
    warm_up()
    rows = bench_learners.measure(argparse.Namespace(quick=False))
    with threadpool_limits(1):
        names = ["adult"] if arguments.data else []
        rows += [fitted(table) for name in names for table in tables(arguments, [name])]
        rows += [fitted(made(*size)) for size in SIZES]
        return [*rows, rule_list(), explained(), first_curve()]


def rule_list() -> Row:
    """Time an ordered list of three classes."""
    table, model = shipped("wine"), BoxSearchClassifier(random_state=0)
    return beside_tree("rule list", "wine", lambda: model.fit(table.X, table.y), table.X, table.y)


def explained() -> Row:
    """Time the explanations of a made table."""
    table = made(EXPLAINED, 10)
    model = learner(table).fit(table.X, table.y)
    return beside_tree("explain", table.name, lambda: explain(model, table.X), table.X, table.y)


def first_curve() -> Row:
    """Time the quick search of the dashboard, in this process."""
    os.environ["RULEKIT_WORKSPACE"] = "off"
    sample = load_sample("breast_cancer")
    X, y = sample.xy("diagnosis")
    state = AppState(table=sample.with_roles({"diagnosis": "target"}, positive_label="malignant"))
    task = work(quick(RunSpec()), state)
    return beside_tree("first curve", "breast_cancer", lambda: task(Quiet()), X, y)


def beside_tree(quantity: str, name: str, timed: Any, X: pd.DataFrame, y: Any) -> Row:
    """Time a piece of work, and a tree's fit to the same table."""
    tree = DecisionTreeClassifier(max_leaf_nodes=10, random_state=0)
    ours, theirs = seconds(timed), seconds(lambda: tree.fit(X, y))
    row = {"what": quantity, "table": name, "setting": {"rows": len(X)}, "unit": "s of one core"}
    return report(row | {"ours": ours, "reference": theirs, "ratio": ours / theirs})


if __name__ == "__main__":
    run(measure, __doc__ or "")
