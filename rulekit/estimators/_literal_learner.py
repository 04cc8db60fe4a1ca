"""The bridge: learners of rules made of literals, from table to binary problem to rule set."""

import time
import warnings
from abc import abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from numbers import Real
from typing import Any, Self, TypeVar

import joblib
import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from rulekit._validation import Interval, StrOptions, check_parameters
from rulekit.binarize import Binarizer, BinaryMatrix, BinCodes
from rulekit.estimators._binary_problem import BinaryProblem, binary_problem
from rulekit.estimators._cell_problem import CellProblem
from rulekit.estimators._learner import RuleLearner
from rulekit.estimators._required import RequiredConditions
from rulekit.estimators._training import (
    TrainingTable,
    plain_label,
    positive_code,
    read_training_table,
)
from rulekit.exceptions import DataError, EmptyRuleWarning
from rulekit.rules import Clause, Literal, RuleSet, simplify
from rulekit.rules.constraints import Constraints

COMMON_PARAMETERS: dict[str, Any] = {
    "theta": [Interval(Real, 0, None, closed="left")],
    "form": [StrOptions({"dnf", "cnf"})],
    "positive_label": "no_validation",
    "class_weight": [dict, StrOptions({"balanced"}), None],
    "binarizer": [Binarizer, None],
    "constraints": [Constraints, Mapping, None],
    "random_state": ["random_state"],
    "time_limit": [Interval(Real, 0, None, closed="neither"), None],
    "engine": [StrOptions({"auto", "scipy", "highs"})],
}


@dataclass(frozen=True)
class LearnedRule:
    """What a solver found, told in literals.

    Attributes
    ----------
    clauses : tuple of tuple of Literal
        The clauses as they stand in the rule; disabled ones are left out.
    value : float
        The objective of the method.
    history : tuple of dict
        One dictionary a step; a last one with "stopped" after a time limit.
    lower_bound : float or None
        No rule has a smaller value.
    proved : bool or None
        Whether the value is known to be the least; None where that was not attempted.
    counts_errors : bool
        Whether the objective is (3.7), wrong rows, rather than (3.12), Hamming distance.
    max_clauses : int
        How many clauses the rule may have.
    """

    clauses: tuple[tuple[Literal, ...], ...]
    value: float
    history: tuple[dict[str, Any], ...] = ()
    lower_bound: float | None = None
    proved: bool | None = None
    counts_errors: bool = False
    max_clauses: int = 1


Problem = BinaryProblem | CellProblem
Encoded = TypeVar("Encoded", BinaryMatrix, BinCodes)
Made = TypeVar("Made", BinaryProblem, CellProblem)


@dataclass
class SharedWork:
    """Binary tables and problems of one training table, made once for many settings."""

    matrices: dict[str, tuple[Binarizer, BinaryMatrix]] = field(default_factory=dict)
    problems: dict[tuple[Any, ...], BinaryProblem] = field(default_factory=dict)
    codes: dict[str, tuple[Binarizer, BinCodes]] = field(default_factory=dict)
    cells: dict[tuple[Any, ...], CellProblem] = field(default_factory=dict)
    families: dict[tuple[Any, ...], Any] = field(default_factory=dict)
    entropy: int = field(default_factory=lambda: int(np.random.SeedSequence().entropy))  # type: ignore[arg-type]

    def matrix(self, binarizer: Binarizer, table: TrainingTable) -> tuple[Binarizer, BinaryMatrix]:
        """Fit the binarizer, or find it fitted."""
        return _encoded(self.matrices, binarizer, table, Binarizer.transform)

    def bins(self, binarizer: Binarizer, table: TrainingTable) -> tuple[Binarizer, BinCodes]:
        """Fit the binarizer and cut the table into cells, or find it cut."""
        return _encoded(self.codes, binarizer, table, Binarizer.bins)

    def generator(self, random_state: Any) -> np.random.Generator:
        """Make a generator; without a seed, chance is drawn once for all who share the work."""
        return generator_of(self.entropy if random_state is None else random_state)


def _encoded(
    known: dict[str, tuple[Binarizer, Encoded]],
    binarizer: Binarizer,
    table: TrainingTable,
    encode: Callable[[Binarizer, Any], Encoded],
) -> tuple[Binarizer, Encoded]:
    """Fit a binarizer and encode the table, once for all binarizers of the same settings."""
    key = joblib.hash((type(binarizer).__name__, binarizer.get_params()))
    if key not in known:
        fitted = clone(binarizer).fit(table.frame, table.y)
        known[key] = fitted, encode(fitted, table.frame)
    return known[key]


class LiteralRuleClassifier(RuleLearner):
    """A classifier that learns clauses of literals; see `RuleClassifier` for what it then has.

    A subclass says in `_learn` how.
    """

    binarizer_: Binarizer
    empty_rule_hint_: str | None

    @abstractmethod
    def _learn(self, problem: Any, rng: np.random.Generator) -> LearnedRule:
        """Learn a CNF that covers `problem.y`."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn a rule.

        Parameters
        ----------
        X : DataFrame or array-like of shape (n, p)
            Numbers, text, categories, truth values, gaps.
        y : array-like of shape (n,)
            Two classes.
        sample_weight : array-like of shape (n,), optional
            What a row counts. With `class_weight` rescaled to sum to n, so that `theta` keeps its
            meaning; rows of weight 0 are left out.

        Returns
        -------
        self

        Raises
        ------
        DataError
            If the table or the classes cannot be used; the column or row is named.
        ValueError
            If a parameter is not allowed.

        Warns
        -----
        EmptyRuleWarning
            If the rule has no condition; `empty_rule_hint_` says at which price it would.
        ConvergenceWarning
            If the time limit passed; the best rule so far is kept.
        """
        check_parameters(self)
        table = read_training_table(self, X, y, sample_weight)
        self._fit_table(table, self._shared_work())
        if self.empty_rule_hint_ is not None:
            warnings.warn(self.empty_rule_hint_, EmptyRuleWarning, stacklevel=2)
        return self

    def _shared_work(self, should_stop: Callable[[], bool] | None = None) -> SharedWork:
        return SharedWork()

    def _fit_table(self, table: TrainingTable, shared: SharedWork) -> None:
        problem = self._problem(table, shared)
        learned = self._learn_in_time(problem, shared.generator(self.random_state))
        rule = simplify(self._rule(learned.clauses))
        full = self._with_required(rule, problem, learned.max_clauses)
        if full != rule:
            learned = self._revalued(learned, full, problem)
        self._keep(learned, full, table, table.weights(self.class_weight))
        self.empty_rule_hint_ = self._hint(problem)

    def _problem(self, table: TrainingTable, shared: SharedWork) -> Problem:
        """Make the problem that `_learn` is given: the Boolean matrix, unless overridden."""
        return self._prepare(table, shared)

    def _note_classes(self, table: TrainingTable) -> int:
        """Keep what is known of the classes; return the code of the one that is described."""
        self.classes_, self._kinds = table.classes, table.kinds
        positive = positive_code(getattr(self, "_described", self.positive_label), table.classes)
        self.positive_label_ = plain_label(table.classes[positive])
        self.default_label_ = plain_label(table.classes[1 - positive])
        return positive

    def _prepare(self, table: TrainingTable, shared: SharedWork) -> BinaryProblem:
        """Note the classes, and make the binary problem or find it made."""
        return self._made(table, shared.matrix, shared.problems, binary_problem)

    def _made(
        self,
        table: TrainingTable,
        encode: Callable[[Binarizer, TrainingTable], tuple[Binarizer, Any]],
        known: dict[tuple[Any, ...], Made],
        make: Callable[..., Made],
    ) -> Made:
        """Note the classes, encode the table, and make a problem of it or find it made."""
        positive = self._note_classes(table)
        constraints = wishes_for(self.constraints, table)
        weight = table.weights(self.class_weight)
        binarizer = Binarizer() if self.binarizer is None else self.binarizer
        self.binarizer_, encoded = encode(binarizer, table)
        key = (id(encoded), positive, self.form, constraints, self.engine, weight.tobytes())
        if key not in known:
            known[key] = make(
                encoded,
                table.columns,
                table.codes == positive,
                weight,
                form=self.form,
                constraints=constraints,
                engine=self.engine,
            )
        return known[key]

    def _with_required(self, rule: RuleSet, problem: Problem, max_clauses: int) -> RuleSet:
        """Add the conditions that the analyst requires."""
        wishes = _as_constraints(self.constraints).required
        required = RequiredConditions(wishes, problem, self.positive_label_, max_clauses)
        return required.added_to(rule)

    def _learn_in_time(self, problem: Problem, rng: np.random.Generator) -> LearnedRule:
        limit = self.time_limit
        problem.work_until(None if limit is None else time.monotonic() + limit)
        try:
            learned = self._learn(problem, rng)
        finally:
            problem.work_until(None)
        if learned.history and "stopped" in learned.history[-1]:
            warnings.warn(
                f"The time limit of {limit:g} s passed; the best rule so far is kept in "
                "`rule_set_`. Raise `time_limit` to go on.",
                ConvergenceWarning,
                stacklevel=4,
            )
        return learned

    def _rule(self, clauses: tuple[tuple[Literal, ...], ...]) -> RuleSet:
        """Make the rule of its clauses."""
        op = "and" if self.form == "dnf" else "or"
        n_labels = len(clauses) if self.form == "dnf" else max(1, len(clauses))
        return RuleSet(
            tuple(Clause(clause, op) for clause in clauses),
            (self.positive_label_,) * n_labels,
            self.form,
            self.default_label_,
        )

    def _revalued(self, learned: LearnedRule, rule: RuleSet, problem: Problem) -> LearnedRule:
        """Weigh a rule to which required conditions were added: its optimality is open."""
        flip = self.form == "dnf"
        value = problem.objective(
            [
                [c.mask(problem.columns) ^ flip for c in clause.conditions]
                for clause in rule.clauses
            ],
            float(self.theta),
            counts_errors=learned.counts_errors,
        )
        last = {"step": len(learned.history), "objective": value, "move": "add required"}
        history = sorted((*learned.history, last), key=lambda step: "stopped" in step)
        proved = None if learned.proved is None else False
        return replace(learned, value=value, history=tuple(history), proved=proved)

    def _keep(
        self,
        learned: LearnedRule,
        rule: RuleSet,
        table: TrainingTable,
        weight: NDArray[np.float64],
    ) -> None:
        self._keep_rule(rule, table, weight)
        self.objective_ = learned.value
        self.lower_bound_ = learned.lower_bound
        self.proved_optimal_ = learned.proved
        self.history_ = [dict(step) for step in learned.history]
        self.n_iter_ = max(1, len(self.history_) - 1)

    def _hint(self, problem: Problem) -> str | None:
        """Say for a rule without conditions at which price it would have one."""
        self.theta_max_ = problem.theta_max
        if not self.rule_set_.is_constant:
            return None
        answer = self.rule_set_.predict({"": np.zeros(1)})[0]
        head = f"The rule has no condition and answers {answer!r} to every row: "
        if self.theta_max_ <= 0:
            return head + "no single condition of this table tells the classes apart."
        if self.theta >= self.theta_max_:
            return (
                f"{head}at theta={self.theta:g} a literal costs more than it saves. A rule "
                f"appears below theta={self.theta_max_:.6g}."
            )
        return (
            f"{head}at theta={self.theta:g} no rule was found that does better. Try a smaller "
            "theta, or another method."
        )


def generator_of(random_state: Any) -> np.random.Generator:
    """Turn scikit-learn's `random_state` into a generator."""
    if isinstance(random_state, np.random.RandomState):
        return np.random.default_rng(random_state.randint(2**31))
    return np.random.default_rng(random_state)


def _as_constraints(wishes: Constraints | Mapping[str, Any] | None) -> Constraints:
    if wishes is None:
        return Constraints()
    return wishes if isinstance(wishes, Constraints) else Constraints.from_dict(wishes)


def wishes_for(wishes: Any, table: TrainingTable) -> Constraints:
    """Read an analyst's wishes, and refuse those on columns that are not there."""
    constraints = _as_constraints(wishes)
    unknown = [f for f in constraints.features if f not in table.columns]
    if unknown:
        raise DataError(
            f"`constraints` names column {unknown[0]!r}, which the table does not have; correct "
            "the name, or drop the wish."
        )
    return constraints
