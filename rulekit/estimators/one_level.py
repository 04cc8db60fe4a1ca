"""Rules of one clause: an AND of literals, or an OR."""

from collections.abc import Mapping
from numbers import Real
from typing import Any, ClassVar

import numpy as np

from rulekit._validation import Interval, StrOptions
from rulekit.binarize import Binarizer
from rulekit.estimators._binary_problem import BinaryProblem
from rulekit.estimators._literal_learner import (
    COMMON_PARAMETERS,
    LearnedRule,
    LiteralRuleClassifier,
)
from rulekit.exceptions import TimeLimitError
from rulekit.rules.constraints import Constraints

PROVED = 2e-6  # share of the value by which perturbed prices may hide an optimum


class OneLevelRuleClassifier(LiteralRuleClassifier):
    """Learn one clause."""

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **COMMON_PARAMETERS,
        "rounding": [StrOptions({"redundancy", "threshold", "random"})],
        "rounding_threshold": [Interval(Real, 0, 1, closed="right")],
    }

    def __init__(
        self,
        theta: float = 1.0,
        form: str = "dnf",
        rounding: str = "redundancy",
        rounding_threshold: float = 0.2,
        positive_label: Any = None,
        class_weight: Any = None,
        binarizer: Binarizer | None = None,
        constraints: Constraints | Mapping[str, Any] | None = None,
        random_state: Any = None,
        time_limit: float | None = None,
        engine: str = "auto",
    ):
        self.theta = theta
        self.form = form
        self.rounding = rounding
        self.rounding_threshold = rounding_threshold
        self.positive_label = positive_label
        self.class_weight = class_weight
        self.binarizer = binarizer
        self.constraints = constraints
        self.random_state = random_state
        self.time_limit = time_limit
        self.engine = engine

    def _learn(self, problem: BinaryProblem, rng: np.random.Generator) -> LearnedRule:
        cover = problem.cover
        try:
            clause = cover.learn(
                None, float(self.theta), self.rounding, self.rounding_threshold, rng
            )
        except TimeLimitError:
            value = float(problem.weight[~problem.y].sum())
            return LearnedRule((), value, ({"step": 0, "stopped": "time limit"},))
        disabled = np.array([clause.disabled])
        found = problem.clauses(clause.selected[None, :], disabled)
        proved = clause.cost - clause.bound <= PROVED * max(1.0, clause.cost)
        step = {"step": 0, "objective": clause.cost, "relaxation_binary": clause.was_binary}
        return LearnedRule(found, clause.cost, (step,), clause.bound, proved)
