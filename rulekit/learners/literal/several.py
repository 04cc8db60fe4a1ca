"""Ordered lists for more than two classes, for learners of literals."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulekit.binning.binned_table import Floats
from rulekit.learners.base import one_against_rest
from rulekit.learners.training import (
    LearningProblem,
    TrainingTable,
    as_constraints,
    constraints_for,
    learning_problem,
)
from rulekit.rules import Clause, Literal, RuleSet, simplify
from rulekit.rules.condition import take_rows

Learn = Callable[[Any, np.random.Generator, int], Sequence[tuple[Literal, ...]]]
SOON = 1e-3  # seconds for a class whose turn comes after the time


class SeveralClasses:
    """The table of one fit with several classes, and the problems of its classes."""

    def __init__(self, learner: Any, table: TrainingTable) -> None:
        self.learner, self.table = learner, table
        self.weight = learner._weights(table)
        limit = learner.time_limit
        self.ends = None if limit is None else time.monotonic() + limit
        self.counted = self.weight  # in the objective; a learner may discount rows
        self.stopped: dict[str, str] = {}  # of a class for which the time did not suffice
        constraints = as_constraints(learner.constraints)
        for name in ("required", "directions"):
            if getattr(constraints, name):
                raise ValueError(
                    f"`constraints` may hold `{name}` only for rules of two classes; `y` holds "
                    f"{len(table.classes)}. Remove `{name}`, or learn from `y == label` for one "
                    "class against the rest."
                )
        self.constraints = constraints_for(constraints, table, None)
        by_cells = getattr(learner, "exact", False)
        self.encoding_key, self.encoded = learner._bin_table(table, by_cells)

    def problem(self, rows: NDArray[np.intp], code: int, weight: Floats) -> LearningProblem:
        """Build or reuse the problem of one class among weighted rows."""
        table, constraints = self.table, self.constraints
        key = ("class", self.encoding_key, code, constraints, weight.tobytes(), rows.tobytes())

        def make() -> LearningProblem:
            labelled = self.encoded[rows].with_labels(table.codes[rows] == code, weight[rows])
            columns = take_rows(table.columns, rows)
            return learning_problem(labelled, columns, "dnf", constraints, self.encoding_key[0])

        return table.problem(key, make)

    def everything(self) -> LearningProblem:
        """Build the problem of all rows; the described class is arbitrary."""
        return self.problem(np.arange(len(self.table.codes)), 0, self.weight)

    def one_against_rest(self, rng: np.random.Generator, learn: Learn | None = None) -> RuleSet:
        """Learn an ordered list class after class, within the learner's time."""
        end, n_conditions = self.ends, 0

        def describe(rows: NDArray[np.intp], code: int) -> list[Clause]:
            nonlocal n_conditions
            problem, child_rng = self.problem(rows, code, self.counted), rng.spawn(1)[0]
            seconds = None if end is None else max(SOON, end - time.monotonic())
            if learn is None:
                with problem.limit_time(seconds):
                    learned = self.learner._learn(problem, child_rng)
                self.stopped |= find_stop(learned.history)
                clauses = learned.take_cheaper_constant().clauses
            else:
                problem.work_until(end)
                clauses = learn(problem, child_rng, n_conditions)
                problem.work_until(None)
            n_conditions += sum(map(len, clauses))
            return [Clause(clause) for clause in clauses]

        return one_against_rest(self.table, self.counted, describe)

    def objective(self, rule: RuleSet, theta: float) -> float:
        """Compute the weighted errors of a list plus `theta` per condition."""
        return float(self.counted[self.table.find_wrong(rule)].sum()) + theta * rule.n_conditions

    def price_of_a_first_condition(self) -> float:
        """Return the penalty below which some one-condition list beats the constant."""
        problem = self.everything()
        codes, K = self.table.codes[problem.rows], len(self.table.classes)
        each = np.where(np.arange(K)[:, None] == codes, problem.table.weight, 0.0)
        inside = np.array([problem.table.sums(mass) for mass in each])
        mass = each.sum(axis=1)
        if not inside.shape[1]:
            return 0.0
        right = inside.max(axis=0) + (mass[:, None] - inside).max(axis=0)
        return float(max(0.0, right.max() - mass.max()))


def find_stop(history: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """Return the time-limit entry of the last step, if there is one."""
    return {key: text for step in history[-1:] for key, text in step.items() if key == "stopped"}


@dataclass(frozen=True)
class ListSolution:
    """An ordered list, its objective, and the steps to it."""

    rule: RuleSet
    value: float
    history: tuple[Mapping[str, Any], ...]


def cheaper_list(
    several: SeveralClasses, rule: RuleSet, theta: float, history: tuple[Mapping[str, Any], ...]
) -> ListSolution:
    """Return a list, simplified, or the constant one if that costs no more."""
    heaviest = np.bincount(several.table.codes, several.weight).argmax()
    options = [simplify(rule), RuleSet((), (), "dnf", several.table.classes[int(heaviest)])]
    values = [several.objective(option, theta) for option in options]
    k = int(values[1] <= values[0] + 1e-9)
    if options[k] != options[0]:
        step = {"step": len(history), "objective": values[k], "move": "constant"}
        history = (*history, step | find_stop(history))
    return ListSolution(options[k], values[k], history)


def keep_list(learner: Any, several: SeveralClasses, solution: ListSolution) -> None:
    """Set the attributes of a learner from its list."""
    rule = solution.rule
    learner._keep_rule(rule, several.table, several.weight)
    learner.default_label_ = rule.default
    learner.objective_ = solution.value
    learner.lower_bound_ = learner.proved_optimal_ = None
    learner.history_ = [dict(step) for step in solution.history]
    learner.n_iter_ = max(1, len(learner.history_) - 1)
    learner.theta_max_ = learner.theta_pays_ = several.price_of_a_first_condition()
    learner.empty_rule_hint_ = learner._hint(learner.theta_pays_) if rule.is_constant else None
