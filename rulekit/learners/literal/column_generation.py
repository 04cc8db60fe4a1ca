"""Rules by column generation: a linear program over all clauses, with a lower bound."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from rulekit.learners.literal.base import LearnedRule, LiteralRuleClassifier
from rulekit.learners.training import Clock, LearningProblem, as_constraints
from rulekit.search.clause_generation.column_generation import (
    MANY_COLUMNS,
    GenerationPlan,
    generate,
)
from rulekit.search.clause_generation.exact_clause import ALL_TESTS, ClauseLimits
from rulekit.search.columns.clause_selection import ClauseSelection
from rulekit.search.machine_code import DESCENT, EXACT

PROOF_TESTS = 1_000_000  # of exact pricing without a time limit, so that such a fit ends soon
# Of many columns chance has no end of clauses that lower the linear program and hardly help rules:
# rounds become fewer, and add more.
MOST_ROUNDS, FEW_ROUNDS, COLUMN_ROUNDS = 200, 30, 90_000
BATCH, LARGE_BATCH = 15, 40
PROVED = 1e-6


@dataclass(eq=False, repr=False)
class ColumnGenerationClassifier(LiteralRuleClassifier):
    """Learn a rule by column generation: clauses are added while they lower the objective.

    A linear program weighs the clauses generated so far. Clauses that improve it are added until
    none does. Then local search selects the rule among all generated clauses.

    Parameters
    ----------
    theta : float, default=1.0
        Price of a condition and of a clause, in misclassified training rows.
    refine : bool, default=False
        As in `TwoLevelRuleClassifier`.
    form : {"dnf", "cnf"}, default="dnf"
        An OR of ANDs, or an AND of ORs, for the class `positive_label`.
    positive_label, class_weight, costs, binarizer, time_limit
        As in `TwoLevelRuleClassifier`.
    constraints : Constraints or dict, default=None
        Forbidden conditions. Required conditions are not supported.

    Attributes
    ----------
    rule_set_, classes_, positive_label_, default_label_, n_features_in_, feature_names_in_, \
n_rules_, n_conditions_, training_error_, history_, n_iter_, \
theta_max_, theta_pays_, empty_rule_hint_, binarizer_
        As in `TwoLevelRuleClassifier`.
    objective_ : float
        The priced loss of [1]_: missed rows, rows of the other class once for each clause that
        matches them, and `theta` for each clause and condition. After `refine`: weight of wrong
        rows plus `theta` for each condition.
    lower_bound_ : float or None
        Lower bound of the objective of all rules over the same conditions, from exact pricing. The
        last entry of `history_` has whether pricing was complete. None if conditions have no price,
        after `refine`, or if the rounds ended before the linear program was optimal (200 rounds; of
        more than 450 columns 90 000 divided by their number, at least 30).
    proved_optimal_ : bool or None
        Whether `objective_` is proved to be the minimum; None after `refine`.

    References
    ----------
    .. [1] S. Dash, O. Gunluk, D. Wei, "Boolean decision rules via column generation" (2018).

    Examples
    --------
    >>> import pandas as pd
    >>> X = pd.DataFrame({"age": [30, 34, 32, 70, 35, 65], "smoker": [1, 1, 0, 0, 0, 0]})
    >>> y = ["ill", "ill", "well", "ill", "well", "ill"]
    >>> model = ColumnGenerationClassifier(theta=0.1, positive_label="ill").fit(X, y)
    >>> print(model, model.proved_optimal_)
    ill if
           (smoker == 1)
        OR (age > 40)
    else well True
    """

    _kernels = (DESCENT, EXACT)
    _own_constraints: ClassVar[dict[str, Any]] = {"refine": ["boolean"]}

    theta: float = 1.0
    refine: bool = False

    def _check(self) -> None:
        super()._check()
        if as_constraints(self.constraints).required:
            raise ValueError(
                "`ColumnGenerationClassifier` does not support required conditions. Remove "
                "`constraints.required`, or use another learner."
            )

    def _learn(self, problem: LearningProblem, rng: np.random.Generator) -> LearnedRule:
        theta = float(self.theta)
        clock = Clock(problem.deadline)
        n_columns = max(1, len(np.unique(problem.table.feature)))
        plan = GenerationPlan(
            theta,
            theta,
            max_rounds=min(MOST_ROUNDS, max(FEW_ROUNDS, COLUMN_ROUNDS // n_columns)),
            batch=BATCH if n_columns <= MANY_COLUMNS else LARGE_BATCH,
            prove=theta > 0,
            exact_limits=ClauseLimits(max_tests=ALL_TESTS, should_stop=clock),
            all_tests=PROOF_TESTS if clock.end is None else None,
            should_stop=clock,
        )
        rule = generate(problem.table, plan)
        assert rule.chosen is not None
        bound, proved = rule.lower_bound, False
        # the master's value round by round, and the rule's at the end
        steps: list[dict[str, Any]] = [
            {"step": k, "objective": entry["master"], "clauses": int(entry["clauses"])}
            for k, entry in enumerate(rule.history)
        ]
        last: dict[str, Any] = {"step": len(steps), "objective": rule.objective}
        if bound is not None:
            proved = rule.objective - bound <= PROVED * max(1.0, rule.objective)
            last["lower_bound"] = bound
            last["bound"] = "linear program" if rule.solved else "below the linear program"
        if clock.ran_out:
            last["stopped"] = "time limit"
        selection = ClauseSelection(rule.chosen, rule.objective, (*steps, last), bound, proved)
        return self._read_selection(problem, selection, proved, len(rule.chosen))
