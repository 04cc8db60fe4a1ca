"""Rules of several clauses: an OR of ANDs, or an AND of ORs."""

from collections.abc import Mapping
from numbers import Integral, Real
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
from rulekit.rules.constraints import Constraints
from rulekit.solvers.alternating import alternating
from rulekit.solvers.block_coordinate import block_coordinate
from rulekit.solvers.clause_selection import ClauseSelection
from rulekit.solvers.local_search import local_search
from rulekit.solvers.set_cover import set_cover
from rulekit.solvers.two_level_task import TwoLevelTask


class TwoLevelRuleClassifier(LiteralRuleClassifier):
    """Learn a Boolean rule of a fixed number of clauses.

    Parameters
    ----------
    method : {"alternating", "block_coordinate", "set_cover"}, default="alternating"
        How clauses are found.
    n_clauses : int, default=2
        Number of clauses; fewer may be left after simplification.
    theta : float, default=1.0
        Price of a literal, in training rows.
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **COMMON_PARAMETERS,
        "method": [StrOptions({"set_cover", "block_coordinate", "alternating"})],
        "n_clauses": [Interval(Integral, 1, None, closed="left")],
        "rounding": [StrOptions({"redundancy", "threshold", "random"})],
        "rounding_threshold": [Interval(Real, 0, 1, closed="right")],
        "refine": ["boolean"],
        "allow_disabled": ["boolean"],
        "disable_cost": [Interval(Real, 0, None, closed="left")],
        "init": [StrOptions({"set_cover", "random", "zero"})],
        "update": [StrOptions({"greedy", "cyclic", "random"})],
        "max_iter": [Interval(Integral, 0, None, closed="left")],
    }

    def __init__(
        self,
        method: str = "alternating",
        n_clauses: int = 2,
        theta: float = 1.0,
        form: str = "dnf",
        rounding: str = "redundancy",
        rounding_threshold: float = 0.2,
        refine: bool = False,
        allow_disabled: bool = False,
        disable_cost: float = 0.0,
        init: str = "set_cover",
        update: str = "greedy",
        max_iter: int = 100,
        positive_label: Any = None,
        class_weight: Any = None,
        binarizer: Binarizer | None = None,
        constraints: Constraints | Mapping[str, Any] | None = None,
        random_state: Any = None,
        time_limit: float | None = None,
        engine: str = "auto",
    ):
        self.method = method
        self.n_clauses = n_clauses
        self.theta = theta
        self.form = form
        self.rounding = rounding
        self.rounding_threshold = rounding_threshold
        self.refine = refine
        self.allow_disabled = allow_disabled
        self.disable_cost = disable_cost
        self.init = init
        self.update = update
        self.max_iter = max_iter
        self.positive_label = positive_label
        self.class_weight = class_weight
        self.binarizer = binarizer
        self.constraints = constraints
        self.random_state = random_state
        self.time_limit = time_limit
        self.engine = engine

    def _learn(self, problem: BinaryProblem, rng: np.random.Generator) -> LearnedRule:
        selection = self._select(problem, rng)
        if self.refine:
            return self._refined(problem, selection)
        return LearnedRule(
            problem.clauses(selection.chosen, selection.disabled),
            selection.value,
            selection.history,
            selection.lower_bound,
        )

    def _refined(self, problem: BinaryProblem, selection: ClauseSelection) -> LearnedRule:
        """Descend on wrong training rows and literals; a time limit is noted as before."""
        refined = local_search(
            problem.A,
            problem.y,
            problem.weight,
            selection,
            float(self.theta),
            structure=problem.structure,
            ranks=problem.ranks,
        )
        found = refined.selection
        stopped = tuple(step for step in found.history if "stopped" in step)
        steps = tuple(step for step in found.history if "stopped" not in step)
        clauses = problem.clauses(found.chosen, found.disabled, refined.moved)
        return LearnedRule(clauses, found.value, (*steps, *stopped))

    def _select(self, problem: BinaryProblem, rng: np.random.Generator) -> ClauseSelection:
        task = TwoLevelTask(
            problem.A,
            problem.y,
            problem.cover,
            float(self.theta),
            self.rounding,
            self.rounding_threshold,
            self.disable_cost if self.allow_disabled else None,
            rng,
            problem.memory,
        )
        if self.method == "set_cover":
            return set_cover(task, self.n_clauses)
        if self.method == "alternating":
            return alternating(task, self.n_clauses, init=self.init, max_iter=self.max_iter)
        return block_coordinate(
            task, self.n_clauses, init=self.init, update=self.update, max_iter=self.max_iter
        )
