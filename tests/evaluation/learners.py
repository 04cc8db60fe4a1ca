"""Small learners for the tests of sweeps: quick, repeatable, with rules."""

import os
import time
from pathlib import Path

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, clone

from rulekit.rules import Clause, Literal, RuleSet
from tests.waiting import until


def gate(journal):
    """Return the file that holds up the fits that are noted in a folder."""
    return Path(f"{journal}.gate")


class Stump(ClassifierMixin, BaseEstimator):
    """Predicts 1 where column `column` is above `theta`; always 0 where `theta` is large.

    Each fit takes `pause` seconds and leaves a file in the folder `journal`, to be counted over
    processes; `gate` can make fits wait.
    """

    def __init__(self, theta=0.0, column=0, pause=0.0, journal=None, fail_at=None):
        self.theta = theta
        self.column = column
        self.pause = pause
        self.journal = journal
        self.fail_at = fail_at

    def fit(self, X, y, sample_weight=None):
        if self.fail_at is not None and self.theta == self.fail_at:
            raise ValueError("the planted failure")
        time.sleep(self.pause)
        if self.journal is not None:
            until(self._may_go_on)
        self.classes_ = np.unique(y)
        literal = Literal(f"x{self.column}", ">", self.theta)
        clauses = (Clause((literal,)),) if self.theta < 1.5 else ()
        self.rule_set_ = RuleSet(clauses, (1,) * len(clauses), "dnf", 0)
        self.n_conditions_ = self.rule_set_.n_conditions
        self.n_rules_ = self.rule_set_.n_clauses
        self.objective_ = self.theta + (0 if sample_weight is None else float(sample_weight[0]))
        if self.journal is not None:
            note = f"{self.theta}-{self.column}-{time.time_ns()}-{os.getpid()}"
            (Path(self.journal) / note).touch()
        return self

    def _may_go_on(self):
        try:
            done_before = int(gate(self.journal).read_text())
        except FileNotFoundError:
            return True
        return len(os.listdir(self.journal)) < done_before

    def predict(self, X):
        values = np.asarray(X, dtype=float)
        columns = {f"x{i}": values[:, i] for i in range(values.shape[1])}
        return self.rule_set_.predict(columns).astype(int)

    def predict_proba(self, X):
        positive = self.predict(X).astype(float)
        return np.column_stack([1 - positive, positive])


class Sized(Stump):
    """A `Stump` with a parameter of size and a time limit, which it does not need."""

    def __init__(self, theta=0.0, column=0, max_conditions=None, time_limit=None):
        super().__init__(theta, column)
        self.max_conditions = max_conditions
        self.time_limit = time_limit


class SharedStump(Stump):
    """A `Stump` that shares the work of its settings, as rule learners do."""

    def _fit_settings(self, X, y, settings, sample_weight, should_stop):
        for setting in settings:
            if should_stop is not None and should_stop():
                return
            yield clone(self).set_params(**setting).fit(X, y, sample_weight)


def noisy_table(n=120, seed=0):
    """Three columns of noise; the class is the sign of the first, with one in ten turned."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    return X, ((X[:, 0] > 0) ^ (rng.random(n) < 0.1)).astype(int)
