"""Rules of several clauses: an OR of ANDs, or an AND of ORs."""

from dataclasses import KW_ONLY, dataclass, replace
from numbers import Integral
from typing import Any, ClassVar

import numpy as np

from rulekit._validation import Interval, Needs, StrOptions
from rulekit.binning.binned_table import Bools
from rulekit.exceptions import TimeLimitError
from rulekit.learners.literal.base import LearnedRule, LiteralRuleClassifier
from rulekit.learners.training import LearningProblem
from rulekit.search.columns.clause_selection import ClauseSelection
from rulekit.search.machine_code import ROUNDING
from rulekit.search.one_level.problem import LearnedClause
from rulekit.search.two_level.hamming import alternating, block_coordinate, set_cover
from rulekit.search.two_level.relaxation import solve_two_level_exact, solve_two_level_lp

HAMMING_METHODS = ("set_cover", "block_coordinate", "alternating")
METHODS = (*HAMMING_METHODS, "lp", "exact")


@dataclass(eq=False, repr=False)
class TwoLevelRuleClassifier(LiteralRuleClassifier):
    """Learn a rule of several clauses by linear programs.

    Parameters
    ----------
    method : {"alternating", "block_coordinate", "set_cover", "lp", "exact"}, default="alternating"
        How clauses are learned. "alternating" assigns each row to one clause and learns all
        clauses, in turn. "block_coordinate" learns one clause anew while the others stay fixed.
        "set_cover" learns one clause after another, each from the rows that remain. "lp" solves a
        linear relaxation for all clauses at once. "exact" improves the rule of "alternating" by an
        integer program and proves it, on small tables.
    n_clauses : int, default=2
        Largest number of clauses. Redundant and disabled clauses are removed.
    theta : float, default=1.0
        Price of a condition, in misclassified training rows.
    form : {"dnf", "cnf"}, default="dnf"
        An OR of ANDs, or an AND of ORs, for the class `positive_label`.
    rounding : {"redundancy", "threshold", "random"}, default="redundancy"
        How a fractional clause is rounded to whole conditions (the paper's binarization):
        "redundancy" tries the combinations of conditions of each column that are not redundant,
        "threshold" keeps conditions of weight 0.2 or more, "random" draws them by their weights.
        ``method="lp"`` supports "redundancy" only.
    refine : bool, default=False
        Whether the rule is improved by local search on training errors plus `theta` a condition: it
        drops clauses, drops, adds and swaps conditions, and moves thresholds to any training value.
    allow_disabled : bool, default=False
        Whether a clause may be disabled, which makes rules shorter.
    positive_label : label, default=None
        The class that the rule describes. None describes the last of `classes_`. With more than two
        classes it must be None: the rule is an ordered list in which the first clause that matches
        decides. Classes are described from the rarest to the most frequent, each against those that
        come after it; the last one is the default. Then `form` must be "dnf", conditions cannot be
        required, `n_clauses` applies to each class, and `objective_` counts errors.
    class_weight : dict, "balanced" or None, default=None
    costs : Costs, default=None
        Costs of wrong predictions, instead of `class_weight`.
    binarizer : Binarizer, default=None
        Makes the conditions; None for ``Binarizer()``.
    constraints : Constraints or dict, default=None
        Conditions that must not appear, or must; see `Constraints` and `Constraints.from_dict`.
    random_state : int, RandomState or None, default=None
        For random rounding.
    time_limit : float, default=None
        Time limit in seconds. The best rule so far is then kept, with a `ConvergenceWarning`.

    Attributes
    ----------
    rule_set_ : RuleSet
        The rule, without redundant conditions and clauses.
    classes_, positive_label_, default_label_
        The classes, the class described, and the class predicted where no clause matches.
    n_features_in_, feature_names_in_
        Number of columns, and their names if they have any.
    n_rules_, n_conditions_ : int
        Number of clauses and of conditions of `rule_set_`; an interval counts as two conditions.
    training_error_ : float
        Weighted share of training rows that the rule predicts wrongly.
    objective_ : float
        Value that the method minimises: the Hamming objective (3.12) for "alternating",
        "block_coordinate" and "set_cover"; weight of wrong rows plus `theta` for each condition
        (3.7) for "lp" and "exact", after `refine`, and with more than two classes.
    lower_bound_ : float or None
        Lower bound of the objective of all rules over the same conditions ("lp", "exact").
    proved_optimal_ : bool or None
        Whether `objective_` is proved to be the minimum ("exact"); None for other methods.
    history_ : list of dict
        One entry for each step.
    n_iter_ : int
    theta_max_ : float
        Smallest price at which a rule of one clause has no condition.
    theta_pays_ : float
        Price below which some single condition costs less than the better constant prediction; 0
        if there is no such price.
    empty_rule_hint_ : str or None
        Reason why the rule has no conditions, and a price at which it has some; None if it has
        conditions.
    simplified_ : tuple of str
        What `simplify` removed from the clauses that the search found.
    binarizer_ : Binarizer

    Notes
    -----
    The rule does not depend on the order of rows or columns, or on earlier fits, except with random
    rounding. The DNF of one class is the negated CNF of the other.

    References
    ----------
    .. [1] G. Su, D. Wei, K. R. Varshney, D. M. Malioutov, "Interpretable two-level Boolean rule
       learning for classification" (2015).

    Examples
    --------
    >>> import pandas as pd
    >>> X = pd.DataFrame({"age": [30, 34, 32, 70, 35, 65], "smoker": [1, 1, 0, 0, 0, 0]})
    >>> y = ["ill", "ill", "well", "ill", "well", "ill"]
    >>> print(TwoLevelRuleClassifier(theta=0.1, positive_label="ill").fit(X, y))
    ill if
           (smoker == 1)
        OR (age > 40)
    else well
    """

    _kernels = (ROUNDING,)
    _own_constraints: ClassVar[dict[str, Any]] = {
        "method": [StrOptions(set(METHODS))],
        "n_clauses": [Interval(Integral, 1, None, closed="left")],
        "rounding": [StrOptions({"redundancy", "threshold", "random"})],
        "refine": ["boolean"],
        "allow_disabled": ["boolean"],
    }
    _needs = (Needs("rounding", "method", (*HAMMING_METHODS, "exact")),)

    method: str = "alternating"
    n_clauses: int = 2
    _: KW_ONLY
    rounding: str = "redundancy"
    refine: bool = False
    allow_disabled: bool = False
    random_state: Any = None

    def _learn(self, problem: LearningProblem, rng: np.random.Generator) -> LearnedRule:
        selection = self._select(problem, rng)
        proved = selection.proved if self.method == "exact" else None
        counts_errors = self.method not in HAMMING_METHODS
        return self._read_selection(problem, selection, proved, self.n_clauses, counts_errors)

    def _select(self, problem: LearningProblem, rng: np.random.Generator) -> ClauseSelection:
        """Run the method."""
        table, solver, theta = problem.table, problem.solver, float(self.theta)
        size, disabling = self.n_clauses, {"may_disable": self.allow_disabled}
        if self.method == "lp":
            try:
                solution = solve_two_level_lp(solver, theta, size, **disabling)
            except TimeLimitError:
                nothing, value = np.zeros((0, table.shape[1]), bool), problem.constant_losses[0]
                step = {"step": 0, "objective": value, "stopped": "time limit"}
                return ClauseSelection(nothing, value, (step,))
            return replace(solution, history=({"step": 0, "objective": solution.value},))

        def learn(kept: Bools) -> LearnedClause:
            rows = np.where(kept, table.weight, 0.0)
            return solver.learn(rows, theta, self.rounding, rng, **disabling)

        methods = {"set_cover": set_cover, "block_coordinate": block_coordinate}
        start = methods.get(self.method, alternating)(table, learn, theta, size)
        if self.method != "exact":
            return start
        solution = solve_two_level_exact(solver, theta, size, start, **disabling)
        last: dict[str, Any] = {"step": len(start.history), "objective": solution.value}
        last["lower_bound"] = solution.lower_bound
        if not solution.proved:
            last["stopped"] = "time limit"
        return replace(solution, history=(*start.history, last))
