"""The same seed gives the same tree: whatever the threads and the workers."""

import json
import os
import subprocess
import sys

import joblib
import numpy as np
import pytest
from threadpoolctl import threadpool_limits

from rulekit.evaluation import sweep
from rulekit.families import PowerLawTreeClassifier
from rulekit.rules.codec import rule_to_dict

GRID = {"max_power_laws": [1, 2]}


def table(n=140):
    rng = np.random.default_rng(4)
    X = rng.uniform(0.3, 2.0, (n, 5))
    score = X[:, 0] * X[:, 1] - 0.8 * X[:, 2] + 0.15 * rng.normal(size=n)
    return X, np.digitize(score, np.quantile(score, [0.35, 0.7]))


def tree_text():
    """Learn a tree of several splits, one of them among three classes, and write all of it."""
    tree = PowerLawTreeClassifier(random_state=3, max_exponents=3).fit(*table())
    assert tree.n_splits_ >= 2
    return json.dumps([rule_to_dict(tree.rule_set_), float(tree.objective_).hex()])


@pytest.fixture(scope="module")
def expected():
    return tree_text()


@pytest.mark.slow
@pytest.mark.parametrize("threads", [1, 4])
def test_a_tree_depends_on_no_number_of_blas_threads(expected, threads):
    with threadpool_limits(threads):
        assert tree_text() == expected


@pytest.mark.slow
def test_trees_learned_at_once_are_those_learned_alone(expected):
    found = joblib.Parallel(n_jobs=2, prefer="threads")(
        joblib.delayed(tree_text)() for _ in range(2)
    )
    assert found == [expected] * 2


@pytest.mark.slow
def test_sweep_of_trees_does_not_depend_on_workers():
    X, y = table(90)
    tree = PowerLawTreeClassifier(max_exponents=3, max_depth=1)
    alone = sweep(tree, X, y, grid=GRID, cv=2)
    with joblib.parallel_config("threading", n_jobs=2):
        other = sweep(tree, X, y, grid=GRID, cv=2)
    left_out = ["seconds"]
    assert other.table.drop(columns=left_out).equals(alone.table.drop(columns=left_out))


@pytest.mark.slow
def test_fresh_process_with_two_threads_finds_the_same_tree(expected):
    names = ("NUMBA_NUM_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
    code = "from tests.families.power_law.test_threads import tree_text\nprint(tree_text())"
    made = subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | dict.fromkeys(names, "2"),
        capture_output=True,
        text=True,
        check=True,
    )
    assert made.stdout.strip() == expected
