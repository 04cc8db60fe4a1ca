"""Rules of several clauses: an OR of ANDs, or an AND of ORs."""

from dataclasses import KW_ONLY, dataclass, replace
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np

from rulekit._validation import Interval, Needs, StrOptions
from rulekit.exceptions import TimeLimitError
from rulekit.learners.literal.base import LearnedRule, LiteralRuleClassifier, refined
from rulekit.learners.training import LearningProblem
from rulekit.search.columns.clause_selection import ClauseSelection
from rulekit.search.two_level.hamming import TwoLevelTask, alternating, block_coordinate, set_cover
from rulekit.search.two_level.relaxation import solve_two_level_exact, solve_two_level_lp

HAMMING_METHODS = ("set_cover", "block_coordinate", "alternating")
METHODS = (*HAMMING_METHODS, "lp", "exact")
FROM_A_START = ("block_coordinate", "alternating", "exact")


@dataclass(eq=False, repr=False)
class TwoLevelRuleClassifier(LiteralRuleClassifier):
    """Learn a rule of several clauses in normal form by linear programs.

    Parameters
    ----------
    method : {"alternating", "block_coordinate", "set_cover", "lp", "exact"}, default="alternating"
        How clauses are found: by giving each row to one clause and learning all clauses, in turn;
        by learning one clause anew while the others stand; one after another, each from what is
        left; all at once by a linear relaxation; all at once by an integer program, for small
        tables, with proof, which begins with what "alternating" finds.
    n_clauses : int, default=2
        Number of clauses. Fewer are left where some are redundant, or disabled.
    theta : float, default=1.0
        Price of a literal, in misclassified training rows.
    form : {"dnf", "cnf"}, default="dnf"
        An OR of ANDs, or an AND of ORs, for the class `positive_label`.
    rounding : {"redundancy", "threshold", "random"}, default="redundancy"
        How a fractional clause becomes one of whole literals (the paper's binarization): by trying
        the combinations of literals of each column that are not redundant, by a threshold, or by
        chance. "lp" knows the first only.
    rounding_threshold : float, default=0.2
        For ``rounding="threshold"``, and only there.
    refine : bool, default=False
        Descend from the rule found on training errors plus `theta` a literal: drop clauses, drop,
        add and swap literals, and move cuts to any value of the training table.
    allow_disabled : bool, default=False
        Whether a clause may be switched off, which makes shorter rules.
    disable_cost : float, default=0.0
        Price of a clause that is switched off, in training rows; with `allow_disabled` only.
    init : {"set_cover", "random", "zero"}, default="set_cover"
        Where "block_coordinate", "alternating" and "exact" start.
    update : {"greedy", "cyclic", "random"}, default="greedy"
        Which clause "block_coordinate" learns anew.
    max_iter : int, default=100
        Steps of "block_coordinate", "alternating" and the start of "exact" at most.
    positive_label : label, default=None
        The class the rule describes; None for the last of `classes_`. With more than two classes
        each but one is described against those that come after it, from the rarest to the most
        frequent, in one ordered list of which the first clause that holds decides; none may be
        named, `form` is "dnf", no condition may be required, and limits of clauses and the
        objective of the method hold for each class, `objective_` counts errors.
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes.
    costs : Costs, default=None
        Costs of wrong predictions, instead of `class_weight`.
    binarizer : Binarizer, default=None
        Makes the conditions; None for ``Binarizer()``.
    constraints : Constraints or dict, default=None
        Conditions that must not appear, or must; see `Constraints` and `Constraints.from_dict`.
    random_state : int, RandomState or None, default=None
        For random starts, orders and roundings.
    time_limit : float, default=None
        Seconds. When they pass, the best rule so far is kept, with a `ConvergenceWarning`.

    Attributes
    ----------
    rule_set_ : RuleSet
        The rule, without what is redundant.
    classes_, positive_label_, default_label_
        Both classes, the one described, and the other one.
    n_features_in_, feature_names_in_
        Number of columns, and their names if they have any.
    n_rules_, n_conditions_ : int
        Size of `rule_set_`; an interval counts two literals.
    training_error_ : float
        Weighted share of training rows that the rule gets wrong.
    objective_ : float
        What the method minimises, for the clauses it found: the Hamming objective (3.12) for the
        first three methods; weight of wrong rows plus `theta` a literal, (3.7), for "lp" and
        "exact", and after `refine`. Of several classes: weight of wrong rows plus `theta` a
        condition of the list.
    lower_bound_ : float or None
        No rule over the same conditions has a smaller objective ("lp", "exact").
    proved_optimal_ : bool or None
        Whether `objective_` is the least ("exact"); None where that was not attempted.
    history_ : list of dict
        One entry a step.
    n_iter_ : int
        Number of steps.
    theta_max_ : float
        Price from which on one clause alone has no condition.
    theta_pays_ : float
        Price below which some single condition is cheaper than the better constant answer; 0
        where none is at any price.
    empty_rule_hint_ : str or None
        Why the rule has no conditions, and at which price it would have some; None if it has some.
    binarizer_ : Binarizer
        The fitted binarizer.

    Notes
    -----
    The rule does not depend on the order of rows or columns of the table, nor on what was learned
    before, except with random starts. Rules of the two classes mirror each other: the DNF
    of one class is the negated CNF of the other.

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

    _own_constraints: ClassVar[dict[str, Any]] = {
        "method": [StrOptions(set(METHODS))],
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
    _needs = (
        Needs("rounding", "method", (*HAMMING_METHODS, "exact")),
        Needs("rounding_threshold", "rounding", ("threshold",)),
        Needs("disable_cost", "allow_disabled", (True,)),
        Needs("init", "method", FROM_A_START),
        Needs("update", "method", ("block_coordinate",)),
        Needs("max_iter", "method", FROM_A_START),
    )

    method: str = "alternating"
    n_clauses: int = 2
    _: KW_ONLY
    rounding: str = "redundancy"
    rounding_threshold: float = 0.2
    refine: bool = False
    allow_disabled: bool = False
    disable_cost: float = 0.0
    init: str = "set_cover"
    update: str = "greedy"
    max_iter: int = 100
    random_state: Any = None

    def _learn(self, problem: LearningProblem, rng: np.random.Generator) -> LearnedRule:
        selection = self._select(self._task(problem, rng))
        proved = selection.proved if self.method == "exact" else None
        bound = selection.lower_bound
        moved: tuple[tuple[int, int], ...] = ()
        if self.refine:
            selection, moved = refined(problem, selection, float(self.theta))
            proved, bound = None, None  # cuts that are no conditions of the table may be used
        return LearnedRule(
            problem.clauses(selection.chosen, selection.disabled, moved),
            selection.value,
            problem.constant_losses,
            selection.history,
            bound,
            proved,
            counts_errors=self.refine or self.method not in HAMMING_METHODS,
            max_clauses=self.n_clauses,
        )

    def _task(self, problem: LearningProblem, rng: np.random.Generator) -> TwoLevelTask:
        return TwoLevelTask(
            problem.cover,
            float(self.theta),
            self.rounding,
            self.rounding_threshold,
            self.disable_cost if self.allow_disabled else None,
            rng,
            problem.memory,
        )

    def _select(self, task: TwoLevelTask) -> ClauseSelection:
        """Run the method."""
        if self.method == "set_cover":
            return set_cover(task, self.n_clauses)
        if self.method == "block_coordinate":
            return block_coordinate(
                task, self.n_clauses, init=self.init, update=self.update, max_iter=self.max_iter
            )
        if self.method == "lp":
            return self._all_at_once(task)
        selection = alternating(task, self.n_clauses, init=self.init, max_iter=self.max_iter)
        return self._proved(task, selection) if self.method == "exact" else selection

    def _all_at_once(self, task: TwoLevelTask) -> ClauseSelection:
        """Solve the relaxation; use unselected clauses if the time limit passes."""
        try:
            solution = solve_two_level_lp(
                task.problem, task.theta, self.n_clauses, disable_cost=task.disable_cost
            )
        except TimeLimitError:
            off = task.iterate([task.make_disabled_clause()] * self.n_clauses)
            return off.selection([{"step": 0, "objective": off.value, "stopped": "time limit"}])
        return replace(solution, history=({"step": 0, "objective": solution.value},))

    def _proved(self, task: TwoLevelTask, start: ClauseSelection) -> ClauseSelection:
        """Improve a rule by the integer program, which reports optimality."""
        solution = solve_two_level_exact(
            task.problem, task.theta, self.n_clauses, disable_cost=task.disable_cost, start=start
        )
        last: dict[str, Any] = {"step": len(start.history), "objective": solution.value}
        last["lower_bound"] = solution.lower_bound
        if not solution.proved:
            last["stopped"] = "time limit"
        return replace(solution, history=(*start.history, last))
