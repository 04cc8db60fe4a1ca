"""The box search in the two-level learner: a path of rules, and many settings from one search."""

from collections.abc import Mapping
from copy import copy
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from sklearn.base import clone

from rulekit._validation import check_parameters, check_some_parameters
from rulekit.estimators._binary_problem import BinaryProblem
from rulekit.estimators._literal_learner import (
    LiteralRuleClassifier,
    SharedWork,
    _as_constraints,
)
from rulekit.estimators._robustness import candidates
from rulekit.estimators._search import PATH_CLAUSES, Searched, searched
from rulekit.estimators._training import TrainingTable, read_training_table
from rulekit.estimators.rule_path import PathEntry, RulePath
from rulekit.rules import simplify
from rulekit.solvers.box_archive import ArchiveEntry

#: Parameters that a search that is done answers by look-up.
LOOKED_UP = ("theta", "n_clauses", "max_literals")


@dataclass
class Family:
    """Settings that one search answers, and the models made for some of them.

    Attributes
    ----------
    problem : BinaryProblem
        The learner's table.
    found : Searched
        The search.
    models : dict of (n_clauses, n_literals) to model
        One fitted model for each archive entry that was asked for.
    """

    problem: BinaryProblem
    found: Searched
    models: dict[tuple[int, int], Any] = field(default_factory=dict)


class SearchLearner(LiteralRuleClassifier):
    """What the two-level learner does with the box search."""

    theta: float
    n_clauses: int
    max_literals: int | None
    robustness: Any
    robustness_: float
    kicks: int
    refine: bool
    method: str

    def path(self, X: Any, y: Any, sample_weight: Any = None) -> RulePath:
        """Find the best rule for each number of clauses and literals, in one search.

        Parameters
        ----------
        X, y, sample_weight
            As in `fit`. `theta` is not read, `n_clauses` beyond five extends the search, and
            `method` need not be "search".

        Returns
        -------
        RulePath
            Its rules for any price and any limit of clauses are looked up, not learned.
        """
        model = clone(self)
        check_parameters(model)
        table = read_training_table(model, X, y, sample_weight)
        shared = SharedWork()
        model._settle(table)
        problem = model._prepare(table, shared)
        found = model._search(problem, shared.generator(self.random_state))
        return RulePath(
            tuple(
                model._path_entry(entry, found, problem, table) for entry in found.archive.entries
            )
        )

    def _path_entry(
        self, entry: ArchiveEntry, found: Searched, problem: BinaryProblem, table: TrainingTable
    ) -> PathEntry:
        chosen = found.chosen(entry)
        clauses = problem.clauses(chosen, np.zeros(len(chosen), dtype=bool))
        rule = self._with_required(simplify(self._rule(clauses)), problem, entry.n_clauses)
        wrong = rule.predict(table.columns) != np.asarray(table.y, dtype=object)
        weight = table.weights(self.class_weight)
        error = float(weight[wrong].sum() / weight.sum())
        return PathEntry(entry.n_clauses, entry.n_literals, entry.loss, error, rule)

    def _search(self, problem: BinaryProblem, rng: np.random.Generator) -> Searched:
        return searched(
            problem,
            rng,
            robustness=self.robustness_,
            kicks=self.kicks,
            n_clauses=self.n_clauses,
            time_limit=self.time_limit,
        )

    def _fit_table(self, table: TrainingTable, shared: SharedWork) -> None:
        vars(self).pop("_described", None)
        if self.method == "search":
            self._settle(table)
        super()._fit_table(table, shared)

    def _settle(self, table: TrainingTable) -> None:
        """Take the robustness given, or choose it, and where none is given the class described."""
        if self.robustness != "cv":
            self.robustness_ = float(self.robustness)
            return
        free = self.positive_label is None
        labels = table.classes.tolist() if free else [self.positive_label]
        taken = candidates(self, table, labels)[0]
        self.robustness_, self._described = taken.robustness, taken.label

    def _entry(self, found: Searched) -> ArchiveEntry:
        return found.entry(float(self.theta), self.n_clauses, self.max_literals)

    def _known(self, setting: Mapping[str, Any], shared: SharedWork) -> Self | None:
        """Copy the model that has this setting's rule; price and limits are all that differs."""
        family: Family | None = shared.families.get(self._family_of(setting))
        if family is None:
            return None
        asked = {name: setting.get(name, getattr(self, name)) for name in LOOKED_UP}
        check_some_parameters(self, asked)
        theta = float(asked["theta"])
        entry = family.found.entry(theta, asked["n_clauses"], asked["max_literals"])
        twin = family.models.get((entry.n_clauses, entry.n_literals))
        if twin is None:
            return None
        model: Self = copy(twin)
        for name, value in asked.items():
            setattr(model, name, value)
        model.objective_ = entry.objective(theta)
        model.history_ = [dict(step, objective=model.objective_) for step in twin.history_]
        model.empty_rule_hint_ = model._hint(family.problem)
        return model

    def _remember(
        self, setting: Mapping[str, Any], model: Self, table: TrainingTable, shared: SharedWork
    ) -> None:
        wishes = _as_constraints(model.constraints).required
        if model.method != "search" or model.robustness == "cv" or model.refine or wishes:
            return
        problem = model._prepare(table, shared)
        found = model._search(problem, shared.generator(model.random_state))
        if not found.finished:  # each model warns of it
            return
        family = shared.families.setdefault(self._family_of(setting), Family(problem, found))
        entry = model._entry(found)
        family.models.setdefault((entry.n_clauses, entry.n_literals), model)

    def _family_of(self, setting: Mapping[str, Any]) -> tuple[Any, ...]:
        """Name what a search depends on: by value what is plain, by identity any other object."""
        clauses = setting.get("n_clauses", self.n_clauses)
        rest = {k: v for k, v in setting.items() if k not in LOOKED_UP}
        rest["n_clauses"] = max(PATH_CLAUSES, clauses) if isinstance(clauses, int) else clauses
        plain = (str, int, float, type(None))
        return tuple(
            (k, type(v).__name__, v if isinstance(v, plain) else id(v))
            for k, v in sorted(rest.items())
        )
