"""How learners of literals grow with rows and columns, beside a CART of ten leaves, in one run.

``search, one fit``: CPU seconds of one default fit, from the data frame to the rule;
``reference`` those of scikit-learn's tree of at most ten leaves on the same frame, one-hot where it
holds words (the encoding is counted on both sides). Each figure is the least of three runs, of one
where a run takes more than five seconds, of more where all take less than .2 s; kernels are
compiled before the clock starts. ``error`` is that in training.

``path, 10 folds``: the rules for every price and number of clauses on ten training folds, and the
errors of all of them on the rows left out; the reference is one tree a fold.

Learners that solve programs, each as it comes, are timed in the same way on a long made table and a
wide one; column generation on the wide one, as it takes minutes on the long one.

Made tables: normal columns rounded to three digits, two clauses of two conditions each, a tenth of
the answers turned. ``growth`` is the exponent of the CPU seconds between two sizes, `peak` the most
memory of a process of its own that fits the largest, and the wide one by programs.
"""

import argparse
import math
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.tree import DecisionTreeClassifier
from threadpoolctl import threadpool_limits

from benchmarks._cli import BenchTable, Row, report, run, tables
from rulekit import (
    BoxSearchClassifier,
    ColumnGenerationClassifier,
    OneLevelRuleClassifier,
    TwoLevelRuleClassifier,
)
from rulekit.data import columns_of, make_folds
from rulekit.search.machine_code import warm_up

NAMES = ["pima", "german_credit", "bank_marketing", "electricity", "adult", "covertype"]
SIZES = [(10_000, 10), (100_000, 10), (1_000_000, 10), (1_000, 300), (1_000, 3_000)]
LONG_AND_WIDE = [(100_000, 10), (1_000, 3_000)]
PATH_OF, FOLDS, RUNS, SHORT, LONG = "adult", 10, 3, 0.2, 5.0
SEARCH, GENERATION = "search", "column generation"
LEARNERS: dict[str, Any] = {
    SEARCH: BoxSearchClassifier(random_state=0),
    "alternating": TwoLevelRuleClassifier(),
    "block coordinate": TwoLevelRuleClassifier(method="block_coordinate"),
    "set covering": TwoLevelRuleClassifier(method="set_cover"),
    GENERATION: ColumnGenerationClassifier(),
    "one clause, rounded": OneLevelRuleClassifier(),
    "one clause, proved": OneLevelRuleClassifier(exact=True),
}


def made(n: int, p: int) -> BenchTable:
    """Make a table of two planted clauses."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, p)).round(3)
    inside = ((X[:, 0] > 0.3) & (X[:, 1] < 0.5)) | ((X[:, 2] > 0.8) & (X[:, 3] > -0.2))
    y = np.where(inside ^ (rng.random(n) < 0.1), "yes", "no").astype(object)
    return BenchTable(f"{n} x {p}", pd.DataFrame(X, columns=[f"x{j}" for j in range(p)]), y, "yes")


def cart(table: BenchTable) -> Any:
    """Make a tree for a table, behind what turns words into columns."""
    words = table.X.select_dtypes(exclude="number").columns
    tree = DecisionTreeClassifier(max_leaf_nodes=10, random_state=0)
    if not len(words):
        return tree
    encoder = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
    return make_pipeline(make_column_transformer((encoder, words), remainder="passthrough"), tree)


def learner(table: BenchTable, name: str = SEARCH) -> Any:
    """Make a learner as it comes, for the class that the table describes."""
    return clone(LEARNERS[name]).set_params(positive_label=table.positive)


def seconds(work: Callable[[], Any], runs: int = RUNS) -> float:
    """Take the least CPU seconds of some runs: more of short work, one of long work."""
    times: list[float] = []
    while len(times) < runs or sum(times) < SHORT:
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
        if times[-1] > LONG:
            break
    return min(times)


def fitted(table: BenchTable, name: str = SEARCH) -> Row:
    """Time one fit of each."""
    ours, tree = learner(table, name), cart(table)
    a = seconds(lambda: ours.fit(table.X, table.y))
    b = seconds(lambda: tree.fit(table.X, table.y))
    setting = {"error": f"{ours.training_error_:.4f}", "conditions": ours.n_conditions_}
    setting["tree"] = f"{1 - tree.score(table.X, table.y):.4f}"
    return report(_row(table.name, f"{name}, one fit", a, b, setting))


def path(table: BenchTable) -> Row:
    """Time all rules of ten training folds with their errors on the rows left out."""
    folds = make_folds(table.y, FOLDS, random_state=0)

    def paths() -> None:
        for train, test in folds:
            learned = learner(table).path(table.X.iloc[train], table.y[train])
            rows = columns_of(table.X.iloc[test])
            errors.append([(e.rule_set.predict(rows) != table.y[test]).mean() for e in learned])

    def trees() -> None:
        for train, test in folds:
            tree = cart(table).fit(table.X.iloc[train], table.y[train])
            tree.score(table.X.iloc[test], table.y[test])

    errors: list[list[float]] = []
    a, b = seconds(paths, 1), seconds(trees, 1)
    setting = {"rules": sum(map(len, errors)), "least error": f"{np.mean([*map(min, errors)]):.4f}"}
    return report(_row(table.name, "path, 10 folds", a, b, setting))


def growth(rows: list[Row]) -> list[Row]:
    """Return the exponents between neighbouring synthetic tables."""
    exponents = []
    for (n, p), (m, q), small, large in zip(SIZES, SIZES[1:], rows, rows[1:], strict=False):
        if (n == m) != (p == q):
            factor = (m * q) / (n * p)
            grown = [
                math.log(large[k] / small[k]) / math.log(factor) for k in ("ours", "reference")
            ]
            row = _row(f"{n}x{p} {m}x{q}", "growth, exponent", *grown, {}) | {"unit": ""}
            exponents.append(report(row))
    return exponents


def peak(n: int, p: int, name: str = SEARCH) -> Row:
    """Measure the most memory of a process that fits one made table, and before it fits."""
    code = f"from benchmarks.bench_scale import remember; remember({n}, {p}, {name!r})"
    process = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    before, after = map(float, process.stdout.split())
    row = _row(f"{n} x {p}", f"{name}, peak and before the fit", after, before, {})
    return report(row | {"unit": "GB"})


def remember(n: int, p: int, name: str) -> None:
    """Write the most memory in GB before and after a fit."""
    table = made(n, p)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    learner(table, name).fit(table.X, table.y)
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    sys.stdout.write(f"{before / 2**20:.3f} {after / 2**20:.3f}")


def _row(table: str, quantity: str, ours: float, reference: float, setting: dict[str, Any]) -> Row:
    row = {"table": table, "what": quantity, "unit": "s of one core", "setting": setting}
    return row | {"ours": ours, "reference": reference, "ratio": ours / reference}


def measure(arguments: argparse.Namespace) -> list[Row]:
    """Measure the tables, then the made ones."""
    sizes = [(1_000, 10), (4_000, 10)] if arguments.quick else SIZES
    extremes = [(400, 4), (100, 9)] if arguments.quick else LONG_AND_WIDE
    rows = []
    warm_up()
    if not arguments.only:  # first, as a process begins with the most memory its parent had
        rows += [peak(*max(sizes)), peak(*extremes[1], "alternating")]
    with threadpool_limits(1):
        for table in tables(arguments, NAMES):
            rows.append(fitted(table))
            if table.name == PATH_OF:
                rows.append(path(table))
        if not arguments.only:
            grown = [fitted(made(*size)) for size in sizes]
            rows += [*grown, *([] if arguments.quick else growth(grown))]
            others = [name for name in LEARNERS if name != SEARCH]
            work = [(size, name) for size in extremes for name in others]
            work.remove((extremes[0], GENERATION))
            rows += [fitted(made(*size), name) for size, name in work]
    return rows


if __name__ == "__main__":
    run(measure, __doc__ or "")
