"""One fit of every learner, beside a small decision tree: the column *Time* of the guide.

Each with its own settings, on breast_cancer (569 rows, 30 numbers), the table that all of them
take: CPU seconds (median of three fits, after one of three columns that loads machine code) and
their multiple of a CART of at most ten leaves. `OneLevelRuleClassifier` is measured with
``exact=True``, too; `FixedRuleClassifier` has nothing to learn and is left out.
"""

import argparse
import time
import warnings
from statistics import median
from typing import Any

from sklearn.tree import DecisionTreeClassifier
from threadpoolctl import threadpool_limits

import rulekit
from benchmarks._cli import Row, report, run
from rulekit import OneLevelRuleClassifier, load_sample
from rulekit.exceptions import EmptyRuleWarning

FITS = 3


def learners() -> dict[str, Any]:
    """Make every public learner, by name."""
    names = [n for n in rulekit.__all__ if n.endswith("Classifier") or n == "LPSVM"]
    estimators = {n: getattr(rulekit, n)() for n in names if n != "FixedRuleClassifier"}
    return estimators | {"OneLevelRuleClassifier, exact": OneLevelRuleClassifier(exact=True)}


def seconds(learner: Any, X: Any, y: Any, n_fits: int) -> float:
    """Measure CPU seconds of a fit."""
    learner.fit(X.iloc[:, :3], y)
    spent = []
    for _ in range(n_fits):
        start = time.process_time()
        learner.fit(X, y)
        spent.append(time.process_time() - start)
    return median(spent)


def measure(arguments: argparse.Namespace) -> list[Row]:
    """Measure each learner."""
    X, y = load_sample("breast_cancer").xy("diagnosis")
    if arguments.quick:
        X, y = X.iloc[::5, :6], y.iloc[::5]
    rows = []
    with threadpool_limits(limits=1), warnings.catch_warnings():
        warnings.simplefilter("ignore", EmptyRuleWarning)
        tree = seconds(DecisionTreeClassifier(max_leaf_nodes=10, random_state=0), X, y, 15)
        for name, learner in learners().items():
            ours = seconds(learner, X, y, 1 if arguments.quick else FITS)
            row = {"what": f"{name}, one fit", "table": "breast_cancer", "unit": "s of one core"}
            row |= {"ours": ours, "reference": tree, "ratio": ours / tree}
            rows.append(report(row | {"setting": {"rows": len(y)}}))
    return rows


if __name__ == "__main__":
    run(measure, __doc__ or "")
