"""Rules of several clauses: an OR of ANDs, or an AND of ORs."""

from collections.abc import Mapping
from dataclasses import replace
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np

from rulekit._validation import Interval, StrOptions
from rulekit.binarize import Binarizer
from rulekit.estimators._binary_problem import BinaryProblem
from rulekit.estimators._generation import generated
from rulekit.estimators._literal_learner import (
    COMMON_PARAMETERS,
    LearnedRule,
    _as_constraints,
)
from rulekit.estimators._search_learner import SearchLearner
from rulekit.exceptions import TimeLimitError
from rulekit.rules.constraints import Constraints
from rulekit.solvers.alternating import alternating
from rulekit.solvers.block_coordinate import block_coordinate
from rulekit.solvers.clause_selection import ClauseSelection
from rulekit.solvers.local_search import Cuts, local_search
from rulekit.solvers.set_cover import set_cover
from rulekit.solvers.two_level_lp import solve_two_level_exact, solve_two_level_lp
from rulekit.solvers.two_level_task import TwoLevelTask

HAMMING_METHODS = ("set_cover", "block_coordinate", "alternating")
METHODS = (*HAMMING_METHODS, "lp", "exact", "search", "column_generation")
WITH_PROOF = ("exact", "column_generation")


class TwoLevelRuleClassifier(SearchLearner):
    """Learn a Boolean rule of several clauses, in disjunctive or conjunctive normal form.

    Parameters
    ----------
    method : {"alternating", "block_coordinate", "set_cover", "lp", "exact", "search", \
"column_generation"}, default="alternating"
        How clauses are found: by giving each row to one clause and learning all clauses, in turn;
        by learning one clause anew while the others stand; one after another, each from what is
        left; all at once by a linear relaxation; all at once by an integer program, for small
        tables, with proof; or, without linear programs, by the box search, which finds the rules
        for every price and number of clauses in one go (see `path`); or by generating clauses for
        a linear program over all clauses there are, and choosing among those.
    n_clauses : int, default=2
        Number of clauses. Fewer are left where some are redundant, or disabled. Not read by
        "column_generation", where `clause_price` keeps the number down.
    theta : float, default=1.0
        Price of a literal, in misclassified training rows.
    form : {"dnf", "cnf"}, default="dnf"
        An OR of ANDs, or an AND of ORs, for the class `positive_label`.
    rounding : {"redundancy", "threshold", "random"}, default="redundancy"
        How a fractional clause becomes one of whole literals (the paper's binarization): by trying
        the combinations of literals of each column that are not redundant, by a threshold, or by
        chance. "lp" knows the first only.
    rounding_threshold : float, default=0.2
        For ``rounding="threshold"``.
    refine : bool, default=False
        Descend from the rule found on training errors plus `theta` a literal: drop clauses, drop,
        add and swap literals, and move cuts to any value of the training table.
    allow_disabled : bool, default=False
        Whether a clause may be switched off, which makes shorter rules.
    disable_cost : float, default=0.0
        Price of a clause that is switched off, in training rows.
    init : {"set_cover", "random", "zero"}, default="set_cover"
        Where "block_coordinate" and "alternating" start.
    update : {"greedy", "cyclic", "random"}, default="greedy"
        Which clause "block_coordinate" learns anew.
    max_iter : int, default=100
        Steps of "block_coordinate" and "alternating" at most.
    robustness : float or "cv", default=0.0
        For "search": how much a row of the other class that a single condition keeps out counts
        against a clause. 0 counts wrong training rows and nothing else. "cv" chooses 0, 0.1 or 0.3
        by 5-fold cross-validation inside the training rows, at this `theta` and `n_clauses`, and,
        without `positive_label`, also which class the rule describes; 15 to 30 searches more. To
        choose price and clauses as well, see `rulekit.search_grid` and `SweepResult.suggest`.
    doubt : float, default=0.0
        For "search": how far a row is discounted that does not look like its class. A random
        forest is asked about each row by the trees grown without it; where the share p of their
        votes is for the row's class, it counts ``1 - doubt * (1 - p)`` of its weight in the search.
        Between 0 (every row counts alike) and 1. Errors that are reported count rows in full.
    kicks : int, default=3
        For "search": rounds of disturbance after the first descent.
    max_literals : int, default=None
        For "search": literals of the rule at most, as the search counts them; required conditions
        come on top. None sets no limit.
    refine_thresholds : bool or "cv", default=False
        For "search" without `refine`: whether the cuts of the rule that was found are moved to any
        value of the training table, interval by interval, where that lowers its loss; the number
        of literals stays. "cv" does so where it has the lower error in 5-fold cross-validation
        inside the training rows.
    clause_price : float, default=None
        For "column_generation": price of a clause, in training rows; None for `theta`.
    finish_seconds : float, default=0.0
        For "column_generation": seconds at most for an integer program that starts from the rule
        found by local search and looks for a cheaper one among the generated clauses; 0 for none.
        Where the program is not done in time, the rule depends on the speed of the machine.
    positive_label : label, default=None
        The class the rule describes; None for the last of `classes_`, or, with
        ``robustness="cv"``, for the one that is described better.
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes.
    binarizer : Binarizer, default=None
        Makes the conditions; None for ``Binarizer()``.
    constraints : Constraints or dict, default=None
        Conditions that must not appear, or must; see `Constraints` and `Constraints.from_dict`.
    random_state : int, RandomState or None, default=None
        For random starts, orders and roundings.
    time_limit : float, default=None
        Seconds. When they pass, the best rule so far is kept, with a `ConvergenceWarning`.
    engine : {"auto", "scipy", "highs"}, default="auto"
        Who solves linear programs; "auto" is highspy if it is installed.

    Attributes
    ----------
    rule_set_ : RuleSet
        The rule, without what is redundant.
    classes_, positive_label_, default_label_
        Both classes, the one described, and the other one.
    n_features_in_, feature_names_in_
        Number of columns, and their names if they have any.
    n_rules_, n_literals_ : int
        Size of `rule_set_`; an interval counts two literals.
    training_error_ : float
        Weighted share of training rows that the rule gets wrong.
    objective_ : float
        What the method minimises, for the clauses it found: the Hamming objective (3.12) for the
        first three methods; weight of wrong rows plus `theta` a literal, (3.7), for "lp", "exact"
        and "search" (there with the prices of `robustness` and the weights of `doubt`), and after
        `refine`. For "column_generation" the priced loss of [2]_: a row of the other class counts
        once for every clause that takes it, clauses and literals have their prices.
    lower_bound_ : float or None
        No rule over the same conditions has a smaller objective ("lp", "exact", and
        "column_generation" after exact pricing, which without `time_limit` is given little effort;
        there the last entry of `history_` tells whether the bound is the value of the linear
        program over all clauses, or below it because pricing was cut short).
    proved_optimal_ : bool or None
        Whether `objective_` is the least ("exact", "column_generation"); None where that was not
        attempted.
    history_ : list of dict
        One entry a step.
    n_iter_ : int
        Number of steps.
    robustness_ : float
        The robustness searched with ("search" only).
    refine_thresholds_ : bool
        Whether cuts were refined ("search" only).
    theta_max_ : float
        Price from which on one clause alone has no literal.
    empty_rule_hint_ : str or None
        For a rule without conditions, why, and at which price it would have some.
    binarizer_ : Binarizer
        The fitted binarizer.

    Notes
    -----
    The rule does not depend on the order of rows or columns of the table, nor on what was learned
    before, except where chance was asked for. Rules of the two classes mirror each other: the DNF
    of one class is the negated CNF of the other.

    References
    ----------
    .. [1] G. Su, D. Wei, K. R. Varshney, D. M. Malioutov, "Interpretable two-level Boolean rule
       learning for classification" (2015).
    .. [2] S. Dash, O. Gunluk, D. Wei, "Boolean decision rules via column generation" (2018).

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

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **COMMON_PARAMETERS,
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
        "robustness": [Interval(Real, 0, None, closed="left"), StrOptions({"cv"})],
        "doubt": [Interval(Real, 0, 1, closed="both")],
        "kicks": [Interval(Integral, 0, None, closed="left")],
        "max_literals": [Interval(Integral, 0, None, closed="left"), None],
        "refine_thresholds": ["boolean", StrOptions({"cv"})],
        "clause_price": [Interval(Real, 0, None, closed="left"), None],
        "finish_seconds": [Interval(Real, 0, None, closed="left")],
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
        robustness: float | str = 0.0,
        doubt: float = 0.0,
        kicks: int = 3,
        max_literals: int | None = None,
        refine_thresholds: bool | str = False,
        clause_price: float | None = None,
        finish_seconds: float = 0.0,
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
        self.robustness = robustness
        self.doubt = doubt
        self.kicks = kicks
        self.max_literals = max_literals
        self.refine_thresholds = refine_thresholds
        self.clause_price = clause_price
        self.finish_seconds = finish_seconds
        self.positive_label = positive_label
        self.class_weight = class_weight
        self.binarizer = binarizer
        self.constraints = constraints
        self.random_state = random_state
        self.time_limit = time_limit
        self.engine = engine

    def _learn(self, problem: BinaryProblem, rng: np.random.Generator) -> LearnedRule:
        if self.method == "lp" and self.rounding != "redundancy":
            raise ValueError(
                "`method='lp'` rounds all clauses at once, which only `rounding='redundancy'` "
                f"does; got {self.rounding!r}. Change one of the two."
            )
        if self.method == "search":
            problem = self._aim(problem, rng)
        selection = self._select(problem, rng)
        proved = selection.proved if self.method in WITH_PROOF else None
        bound = selection.lower_bound
        moved: tuple[tuple[int, int], ...] = ()
        if self.refine:
            selection, moved = self._refined(problem, selection)
            proved, bound = None, None  # cuts that are no conditions of the table may be used
        elif self.method == "search" and self.refine_thresholds_:
            selection, moved, self._loss = self._cuts_refined(problem, selection)
        return LearnedRule(
            problem.clauses(selection.chosen, selection.disabled, moved),
            selection.value,
            selection.history,
            bound,
            proved,
            counts_errors=self.refine or self.method not in HAMMING_METHODS,
            max_clauses=self.n_clauses,
        )

    def _task(self, problem: BinaryProblem, rng: np.random.Generator) -> TwoLevelTask:
        return TwoLevelTask(
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

    def _generated(self, problem: BinaryProblem) -> ClauseSelection:
        if self.constraints is not None and _as_constraints(self.constraints).required:
            raise ValueError(
                "`method='column_generation'` does not know required conditions; drop "
                "`constraints.required`, or take another method."
            )
        price = self.theta if self.clause_price is None else self.clause_price
        return generated(problem, float(self.theta), float(price), float(self.finish_seconds))

    def _select(self, problem: BinaryProblem, rng: np.random.Generator) -> ClauseSelection:
        """Run the method."""
        if self.method == "search":
            searched = self._search(problem, rng)
            entry = self._entry(searched)
            self._loss = entry.loss
            return searched.selection(entry, float(self.theta))
        if self.method == "column_generation":
            return self._generated(problem)
        task = self._task(problem, rng)
        if self.method == "set_cover":
            return set_cover(task, self.n_clauses)
        if self.method == "block_coordinate":
            return block_coordinate(
                task, self.n_clauses, init=self.init, update=self.update, max_iter=self.max_iter
            )
        if self.method == "lp":
            return self._all_at_once(task)
        found = alternating(task, self.n_clauses, init=self.init, max_iter=self.max_iter)
        return self._proved(task, found) if self.method == "exact" else found

    def _all_at_once(self, task: TwoLevelTask) -> ClauseSelection:
        """Relax, or fall back on clauses that are off when the time limit passes."""
        try:
            found = solve_two_level_lp(
                task.problem, task.theta, self.n_clauses, disable_cost=task.disable_cost
            )
        except TimeLimitError:
            off = task.iterate([task.disabled_clause()] * self.n_clauses)
            return off.selection([{"step": 0, "objective": off.value, "stopped": "time limit"}])
        return replace(found, history=({"step": 0, "objective": found.value},))

    def _proved(self, task: TwoLevelTask, start: ClauseSelection) -> ClauseSelection:
        """Improve a rule by the integer program, which tells whether it is optimal."""
        found = solve_two_level_exact(
            task.problem,
            task.theta,
            self.n_clauses,
            disable_cost=task.disable_cost,
            start=start,
        )
        last: dict[str, Any] = {"step": len(start.history), "objective": found.value}
        last["lower_bound"] = found.lower_bound
        if not found.proved:
            last["stopped"] = "time limit"
        return replace(found, history=(*start.history, last))

    def _refined(
        self, problem: BinaryProblem, selection: ClauseSelection
    ) -> tuple[ClauseSelection, tuple[tuple[int, int], ...]]:
        """Descend on wrong training rows and literals; a time limit is noted as before."""
        refined = local_search(
            problem.A,
            problem.y,
            problem.weight,
            selection,
            float(self.theta),
            Cuts(problem.structure, problem.ranks, problem.barred_cuts),
            deadline=problem.cover.deadline,
        )
        steps = sorted(refined.selection.history, key=lambda step: "stopped" in step)
        return replace(refined.selection, history=tuple(steps)), refined.moved
