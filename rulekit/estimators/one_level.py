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

PROVED = 2e-6  # what perturbed prices may hide of an optimum, relative to its value


class OneLevelRuleClassifier(LiteralRuleClassifier):
    """Learn one clause, by a linear program or by an integer program with proof.

    Parameters
    ----------
    theta : float, default=1.0
        Price of a literal, in misclassified training rows.
    form : {"dnf", "cnf"}, default="dnf"
        An AND of literals, or an OR, for the class `positive_label`.
    exact : bool, default=False
        Solve the integer program instead of rounding its relaxation.
    screening : None
        Reserved: no screening of conditions is built yet.
    rounding : {"redundancy", "threshold", "random"}, default="redundancy"
        How a fractional clause becomes one of whole literals.
    rounding_threshold : float, default=0.2
        For ``rounding="threshold"``.
    positive_label, class_weight, binarizer, constraints, random_state, time_limit, engine
        As in `TwoLevelRuleClassifier`.

    Attributes
    ----------
    rule_set_, classes_, positive_label_, default_label_, n_features_in_, feature_names_in_, \
n_rules_, n_literals_, training_error_, history_, n_iter_, theta_max_, empty_rule_hint_, binarizer_
        As in `TwoLevelRuleClassifier`.
    objective_ : float
        Cost of the clause (2.1). In a rule of form "cnf", a row of `positive_label` on which the
        clause fails costs 1, and a row of the other class the number of literals that hold; in a
        "dnf", a row of the other class on which the clause holds costs 1, and a row of
        `positive_label` the number of literals that fail.
    lower_bound_ : float
        No clause over the same conditions costs less.
    proved_optimal_ : bool
        Whether that bound is reached (to 2e-6 of the value, where prices are perturbed).

    References
    ----------
    .. [1] D. M. Malioutov, K. R. Varshney, "Exact rule learning via Boolean compressed sensing"
       (2013).

    Examples
    --------
    >>> import pandas as pd
    >>> X = pd.DataFrame({"age": [30, 40, 60, 70], "smoker": [1, 0, 0, 1]})
    >>> model = OneLevelRuleClassifier(theta=0.1).fit(X, ["a", "a", "a", "b"])
    >>> print(model, model.proved_optimal_)
    b if
           (age > 62)
    else a True
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **COMMON_PARAMETERS,
        "exact": ["boolean"],
        "screening": [None],
        "rounding": [StrOptions({"redundancy", "threshold", "random"})],
        "rounding_threshold": [Interval(Real, 0, 1, closed="right")],
    }

    def __init__(
        self,
        theta: float = 1.0,
        form: str = "dnf",
        exact: bool = False,
        screening: None = None,
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
        self.exact = exact
        self.screening = screening
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
        theta, cover = float(self.theta), problem.cover
        try:
            if self.exact:
                clause = cover.exact(None, theta)
            else:
                clause = cover.learn(None, theta, self.rounding, self.rounding_threshold, rng)
        except TimeLimitError:
            value = float(problem.weight[~problem.y].sum())  # a clause that is always true
            return LearnedRule((), value, ({"step": 0, "stopped": "time limit"},))
        found = problem.clauses(clause.selected[None, :], np.array([False]))
        proved = clause.cost - clause.bound <= PROVED * max(1.0, clause.cost)
        step: dict[str, Any] = {
            "step": 0,
            "objective": clause.cost,
            "relaxation_binary": clause.was_binary,
        }
        if self.exact and not proved:
            step["stopped"] = "time limit"
        return LearnedRule(found, clause.cost, (step,), clause.bound, proved)
