"""Base of learners of literals: from table to problem, from solution to rule."""

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from numbers import Real
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from sklearn.exceptions import ConvergenceWarning

from rulekit._validation import Interval, StrOptions
from rulekit.binning import Binarizer
from rulekit.exceptions import RuleError
from rulekit.learners.base import BaseRuleClassifier, refuse_with_several
from rulekit.learners.literal.several import SeveralClasses, cheaper_list, keep_list
from rulekit.learners.training import (
    LearningProblem,
    TrainingTable,
    as_constraints,
    constraints_for,
    learning_problem,
)
from rulekit.rules import Clause, Literal, RuleSet, simplify
from rulekit.rules.constraints import ColumnOrLiteral
from rulekit.rules.rule_set import Label, build_clauses
from rulekit.search.box_search.search import Entry, cheapest_entry
from rulekit.search.columns.clause_selection import ClauseSelection
from rulekit.search.two_level.local_search import local_search

SAME = 1e-6  # a bound this near to a value, relative to it, proves it
TIE = 1e-9  # values that differ by less, relative to them, are equal but for rounding


@dataclass(frozen=True)
class PathEntry(Entry):
    """One rule of a path; `loss` is the price of its wrong training rows, in rows."""

    train_error: float  # weight share of the wrong rows
    rule_set: RuleSet


@dataclass(frozen=True)
class RulePath:
    """The rules of one search, by clauses and then literals, for any penalty and limit of clauses.

    >>> from rulekit import BoxSearchClassifier, load_sample
    >>> X, y = load_sample("breast_cancer").xy("diagnosis")
    >>> learner = BoxSearchClassifier(n_perturbations=0, positive_label="malignant")
    >>> path = learner.path(X, y)
    >>> path.rule(theta=50.0).n_conditions <= path.rule(theta=1.0).n_conditions
    True
    """

    entries: tuple[PathEntry, ...]

    def __len__(self) -> int:
        return len(self.entries)

    def __iter__(self) -> Iterator[PathEntry]:
        return iter(self.entries)

    def entry(
        self, theta: float, n_clauses: int | None = None, max_conditions: int | None = None
    ) -> PathEntry:
        """Return the entry of the least objective, with `theta` the price of a literal in rows."""
        return cheapest_entry(self.entries, theta, n_clauses, max_conditions)

    def rule(
        self, theta: float, n_clauses: int | None = None, max_conditions: int | None = None
    ) -> RuleSet:
        """Return the rule of `entry`."""
        return self.entry(theta, n_clauses, max_conditions).rule_set

    def limit_conditions(self, max_conditions: int | None) -> "RulePath":
        """Return the rules with at most some conditions; None for all."""
        if max_conditions is None:
            return self
        return RulePath(tuple(e for e in self if e.n_conditions <= max_conditions))

    def front(self, n_clauses: int | None = None) -> pd.DataFrame:
        """List undominated rules: n_conditions, n_clauses, loss, train_error, rule_set."""
        front: list[PathEntry] = []
        for entry in sorted(self.entries, key=lambda e: (e.n_conditions, e.loss, e.n_clauses)):
            fits = n_clauses is None or entry.n_clauses <= n_clauses
            if fits and (not front or entry.loss < front[-1].loss - 1e-9):
                front.append(entry)
        names = ("n_conditions", "n_clauses", "loss", "train_error", "rule_set")
        return pd.DataFrame([{n: getattr(e, n) for n in names} for e in front], columns=list(names))


def _list_additions(
    rule: RuleSet, item: ColumnOrLiteral, problem: LearningProblem, label: Label, max_clauses: int
) -> list[RuleSet]:
    """List the DNFs with one more literal that satisfies a requirement."""
    candidates: list[Any] = [item]
    if isinstance(item, str):
        candidates = [literal for literal in problem.table.literals if literal.feature == item]
    if not candidates:
        raise RuleError(
            f"Column {item!r} is required in the rule, but gives no condition that may be used: it "
            "is constant, or all its conditions are forbidden. Remove the requirement."
        )
    places = [clause for clause in rule.clauses if clause.conditions]
    if len(places) < max_clauses:
        places.append(Clause(()))
    options = []
    for r, clause in enumerate(places):
        for literal in candidates:
            same_side = literal.feature, literal.op
            others = [c for c in clause.literals if (c.feature, c.op) != same_side]
            clauses = [*places[:r], Clause((*others, literal)), *places[r + 1 :]]
            remaining = tuple(clause for clause in clauses if clause.conditions)
            options.append(RuleSet(remaining, (label,) * len(remaining), "dnf", rule.default))
    return options


def _all_granted(rule: RuleSet, required: Sequence[ColumnOrLiteral]) -> bool:
    literals = [literal for clause in rule.clauses for literal in clause.literals]
    return all(any(item in (x, x.feature) for x in literals) for item in required)


@dataclass(frozen=True)
class LearnedRule:
    """A solution as literals."""

    clauses: tuple[tuple[Literal, ...], ...]
    value: float
    constant_values: tuple[float, float]
    history: tuple[dict[str, Any], ...] = ()
    lower_bound: float | None = None
    proved: bool | None = None
    counts_errors: bool = False
    max_clauses: int = 1

    def with_step(self, value: float, move: str) -> "LearnedRule":
        """Append a step with another value; a time limit stays last."""
        step = {"step": len(self.history), "objective": value, "move": move}
        history = sorted((*self.history, step), key=lambda step: "stopped" in step)
        return replace(self, value=value, history=tuple(history))

    def constant(self) -> "LearnedRule":
        """Return the constant rule if it costs less; proofs about other rules stay valid."""
        least, bound = min(self.constant_values), self.lower_bound
        clauses = () if self.constant_values[0] <= least else ((),)
        constant = replace(self.with_step(least, "constant answer"), clauses=clauses)
        if bound is None:
            return constant
        proved = None if self.proved is None else bound >= least - SAME * max(1.0, least)
        return replace(constant, lower_bound=min(bound, least), proved=proved)

    def take_cheaper_constant(self) -> "LearnedRule":
        """Return the rule if it costs less than any constant prediction, or equals one."""
        least = min(self.constant_values)
        over = self.value - least
        if over < -TIE * max(1.0, least) or (not any(self.clauses) and over <= TIE * least):
            return self
        return self.constant()


def refine_selection(
    problem: LearningProblem, selection: ClauseSelection, theta: float
) -> tuple[ClauseSelection, tuple[tuple[int, int], ...]]:
    """Improve wrong rows and literals locally; return the selection and the moved thresholds."""
    if not len(selection.chosen):
        return selection, ()
    improved, moved = local_search(
        problem.table, selection, theta, problem.cuts, deadline=problem.deadline
    )
    steps = sorted(improved.history, key=lambda step: "stopped" in step)
    return replace(improved, history=tuple(steps)), moved


@dataclass(eq=False, repr=False, kw_only=True)
class LiteralRuleClassifier(BaseRuleClassifier):
    """Base class of learners of clauses of literals; subclasses are dataclasses with `_learn`."""

    _own_constraints: ClassVar[dict[str, Any]] = {
        "theta": [Interval(Real, 0, None, closed="left")],
        "form": [StrOptions({"dnf", "cnf"})],
    }
    _multi_class = True
    _n_clauses: ClassVar[int | None] = None  # of learners without `n_clauses`; None is any number
    random_state = None  # of learners that have none
    binarizer_: Binarizer = field(init=False)

    theta: float = 1.0
    form: str = "dnf"
    binarizer: Binarizer | None = None
    time_limit: float | None = None

    @abstractmethod
    def _learn(self, problem: Any, rng: np.random.Generator) -> LearnedRule:
        """Learn a DNF for the rows `problem.table.y`."""

    def _read_selection(
        self,
        problem: LearningProblem,
        selection: ClauseSelection,
        proved: bool | None,
        max_clauses: int,
        counts_errors: bool = True,
    ) -> LearnedRule:
        """Return a selection as literals, after local search if `refine` is set."""
        moved: tuple[tuple[int, int], ...] = ()
        bound = selection.lower_bound
        if getattr(self, "refine", False):
            selection, moved = refine_selection(problem, selection, float(self.theta))
            # cuts that are no conditions of the table may be used
            proved, bound, counts_errors = None, None, True
        clauses, constants = problem.clauses(selection.chosen, moved), problem.constant_losses
        proof = bound, proved, counts_errors, max_clauses
        return LearnedRule(clauses, selection.value, constants, selection.history, *proof)

    def _fit_table(self, table: TrainingTable) -> None:
        if len(table.classes) > 2:
            refuse_with_several(self, table)
            several, theta = SeveralClasses(self, table), float(self.theta)
            self._note_several(table)
            rule = several.one_against_rest(table.generator(self.random_state))
            step = {"step": 0, "objective": several.objective(rule, theta)} | several.stopped
            keep_list(self, several, cheaper_list(several, rule, theta, (step,)))
            return
        exact = getattr(self, "exact", False)  # uses bins without a Boolean matrix
        problem = self.problem_of(table, self.positive_label, by_cells=exact)
        with problem.limit_time(self.time_limit):
            learned = self._learn(problem, table.generator(self.random_state))
        (solution,) = self._complete_solutions([learned], problem, [float(self.theta)])
        self._keep(*solution, problem, table)

    def problem_of(self, table: TrainingTable, label: Any, *, by_cells: bool = False) -> Any:
        """Store the classes, bin the table, and build the problem or reuse it."""
        positive = self._note_classes(table, label)
        constraints = constraints_for(self.constraints, table, self.positive_label_)
        weight = self._weights(table)
        encoding_key, encoded = self._bin_table(table, by_cells)
        key = ("problem", encoding_key, positive, self.form, constraints, weight.tobytes())

        def make() -> LearningProblem:
            if not by_cells:  # computed once for all problems over this table
                _ = encoded.complement if self.form == "dnf" else encoded.opposite
            labelled = encoded.with_labels(table.codes == positive, weight)
            return learning_problem(labelled, table.columns, self.form, constraints, by_cells)

        return table.problem(key, make)

    def _complete_solutions(
        self, learned: Iterable[LearnedRule], problem: LearningProblem, thetas: Iterable[float]
    ) -> list[tuple[LearnedRule, RuleSet]]:
        """List the cheaper of each solution and a constant, as a rule with what is required."""
        required = as_constraints(self.constraints).required  # decide which of the two is cheaper
        # of clauses, which many solutions of all searches share
        rules: dict[Any, RuleSet] = problem.once("rules", dict)

        def complete(option: LearnedRule, theta: float) -> tuple[LearnedRule, RuleSet]:
            if option.clauses not in rules:
                rules[option.clauses] = simplify(self.dnf_of(option.clauses))
            rule = full = rules[option.clauses]
            if required:
                full = self.with_required(rule, problem, option.max_clauses)
            if full == rule:
                return option, self.in_form(full)
            holds = [[c.mask(problem.columns) for c in each.conditions] for each in full.clauses]
            value = problem.objective(holds, theta, counts_errors=option.counts_errors)
            proved = None if option.proved is None else False
            option = replace(option.with_step(value, "add required"), proved=proved)
            return option, self.in_form(full)

        solutions = []
        for one, theta in zip(learned, thetas, strict=True):
            if not required:
                solutions.append(complete(one.take_cheaper_constant(), theta))
                continue
            both = [complete(option, theta) for option in (one, one.constant())]
            solutions.append(min(both, key=lambda s: (round(s[0].value, 9), s[1].n_conditions)))
        return solutions

    def with_required(self, rule: RuleSet, problem: LearningProblem, max_clauses: int) -> RuleSet:
        """Add what is required to a DNF; RuleError if such a rule cannot hold it all."""
        required = as_constraints(self.constraints).required
        names = ", ".join(repr(str(item)) for item in required)
        if self.form == "cnf":
            required = tuple(w if isinstance(w, str) else w.negate() for w in required)
        label, _ = self._labels()
        for k, item in enumerate(required):
            wanted = required[: k + 1]
            if _all_granted(rule, wanted):
                continue
            options = _list_additions(rule, item, problem, label, max_clauses)
            wrong = [option.mask(problem.columns) != problem.table.y for option in options]
            costs = np.round([problem.table.weight[rows].sum() for rows in wrong], 9)
            simplified = (simplify(options[i]) for i in np.argsort(costs, kind="stable"))
            longer = next((option for option in simplified if _all_granted(option, wanted)), None)
            if longer is None:
                raise RuleError(
                    f"The rule cannot hold what is required ({names}): whatever is added makes "
                    "another condition redundant. Remove one requirement, or allow more clauses."
                )
            rule = longer
        return rule

    def _fit_warnings(self) -> Iterator[Warning]:
        yield from super()._fit_warnings()
        if "stopped" in self.history_[-1]:
            yield ConvergenceWarning(
                f"The time limit of {self.time_limit:g} s passed; the best rule so far is kept in "
                "`rule_set_`. Raise `time_limit` to go on."
            )

    def _labels(self) -> tuple[Label, Label]:
        """Return the class that the DNF describes, for a CNF the other one, and its default."""
        labels = self.positive_label_, self.default_label_
        return labels if self.form == "dnf" else labels[::-1]

    def dnf_of(self, clauses: Sequence[tuple[Literal, ...]]) -> RuleSet:
        """Build the DNF that is learned from its clauses."""
        label, default = self._labels()
        return RuleSet(build_clauses(clauses), (label,) * len(clauses), "dnf", default)

    def in_form(self, dnf: RuleSet) -> RuleSet:
        """Return the learned DNF in the form of the rule."""
        if self.form == "dnf":
            return dnf
        empty = RuleSet((), (dnf.default,), "cnf", self.default_label_)
        return dnf.negate() if dnf.clauses else empty

    def _keep(
        self, learned: LearnedRule, rule: RuleSet, problem: LearningProblem, table: TrainingTable
    ) -> None:
        """Set the fitted attributes."""
        self._keep_rule(rule, table, self._weights(table))
        written = self.in_form(self.dnf_of(learned.clauses))
        self.simplified_ = simplify(written, return_removed=True)[1]
        self.objective_, self.lower_bound_ = learned.value, learned.lower_bound
        self.proved_optimal_ = learned.proved
        self.history_ = [dict(step) for step in learned.history]
        self.n_iter_ = max(1, len(self.history_) - 1)
        self.theta_max_ = problem.theta_max
        self.theta_pays_ = problem.price_of_a_first_condition
        self.empty_rule_hint_ = self._hint(problem.theta_max) if rule.is_constant else None

    def _hint(self, theta_max: float) -> str:
        """Return at which penalty an empty rule would have a condition."""
        why = (
            f"at theta={self.theta:g} no rule was found that does better. Try a smaller theta, "
            "another method, or a `class_weight` by which rows of a rare class count more."
        )
        if theta_max <= 0:
            why = "no single condition of this table does better."
        elif self.theta >= self.theta_pays_ > 0:
            why = (
                f"at theta={self.theta:g} a condition costs more than it saves. Below "
                f"theta={self.theta_pays_:.6g} some single condition is worth its price."
            )
        return self._empty_hint(why)
