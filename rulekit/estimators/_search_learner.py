"""The box search in the two-level learner: a path of rules, and many settings from one search."""

from collections.abc import Mapping
from copy import copy
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from sklearn.base import clone

from rulekit._validation import check_parameters, check_some_parameters
from rulekit.estimators._binary_problem import BinaryProblem
from rulekit.estimators._doubt import discounted
from rulekit.estimators._literal_learner import (
    LiteralRuleClassifier,
    SharedWork,
    _as_constraints,
)
from rulekit.estimators._robustness import candidates, cross_validated
from rulekit.estimators._search import PATH_CLAUSES, Searched, prices_of, searched
from rulekit.estimators._training import TrainingTable, read_training_table
from rulekit.estimators.rule_path import PathEntry, RulePath
from rulekit.rules import simplify
from rulekit.solvers.box_archive import ArchiveEntry
from rulekit.solvers.clause_selection import ClauseSelection
from rulekit.solvers.threshold_refinement import CutTable, refined_cuts

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
    doubt: float
    kicks: int
    refine: bool
    refine_thresholds: Any
    refine_thresholds_: bool
    method: str
    _loss: float  # of a rule found by search, without the price of its literals

    def path(self, X: Any, y: Any, sample_weight: Any = None) -> RulePath:
        """Find the best rule for each number of clauses and literals, in one search.

        Parameters
        ----------
        X, y, sample_weight
            As in `fit`. `theta` is read by ``robustness="cv"`` alone, `n_clauses` beyond five
            extends the search, and `method` need not be "search".

        Returns
        -------
        RulePath
            Its rules for any price and any limit of clauses or literals are looked up, not
            learned. Their cuts are those of the binarizer, whatever `refine_thresholds` says.
        """
        model = clone(self)
        check_parameters(model)
        table = read_training_table(model, X, y, sample_weight)
        shared = SharedWork()
        model._settle(table)
        problem = model._prepare(table, shared)
        rng = shared.generator(self.random_state)
        found = model._search(model._aim(problem, rng), rng)
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

    def _aim(self, problem: BinaryProblem, rng: np.random.Generator) -> BinaryProblem:
        """Weigh the rows as the search is to see them."""
        if self.doubt == 0:
            return problem
        return discounted(problem, float(self.doubt), int(rng.integers(2**31)))

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
        self.__dict__.pop("_described", None)
        if self.method == "search":
            self._settle(table)
            self.refine_thresholds_ = self._refines(table)
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

    def _refines(self, table: TrainingTable) -> bool:
        """Say whether cuts are refined; where that is asked for, by cross-validation."""
        if self.refine_thresholds != "cv":
            return bool(self.refine_thresholds)
        label = getattr(self, "_described", self.positive_label)
        settled = {"robustness": self.robustness_, "positive_label": label}
        settings = [settled | {"refine_thresholds": choice} for choice in (False, True)]
        errors, _ = cross_validated(self, table, settings)
        return bool(errors[1] < errors[0] - 1e-12)

    def _cuts_refined(
        self, problem: BinaryProblem, selection: ClauseSelection
    ) -> tuple[ClauseSelection, tuple[tuple[int, int], ...], float]:
        """Move the cuts of a selection; return it over old and moved columns, and its loss."""
        table = CutTable(
            problem.A,
            problem.y,
            problem.weight,
            problem.structure,
            problem.ranks,
            problem.barred_cuts,
            prices_of(self.robustness_),
        )
        cuts, loss = refined_cuts(table, selection.chosen)
        moved = tuple(dict.fromkeys((j, k) for (_, j), k in cuts.items()))
        R, d = selection.chosen.shape
        chosen = np.hstack([selection.chosen, np.zeros((R, len(moved)), bool)])
        for (r, j), k in cuts.items():
            chosen[r, j], chosen[r, d + moved.index((j, k))] = False, True
        value = loss + float(self.theta) * selection.n_literals
        step = {"step": 1, "objective": value, "move": "cuts"}
        history = (selection.history[0], step, *selection.history[1:])
        return ClauseSelection(chosen, selection.disabled, value, history), moved, loss

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
        values = [entry.objective(theta), twin._loss + theta * entry.n_literals]
        model.history_ = [
            dict(old, objective=v) for old, v in zip(twin.history_, values, strict=False)
        ]
        model.objective_ = values[len(twin.history_) - 1]
        model.empty_rule_hint_ = model._hint(family.problem)
        return model

    def _remember(
        self, setting: Mapping[str, Any], model: Self, table: TrainingTable, shared: SharedWork
    ) -> None:
        wishes = _as_constraints(model.constraints).required
        validated = "cv" in (model.robustness, model.refine_thresholds)
        if model.method != "search" or validated or model.refine or wishes:
            return
        name = self._family_of(setting)
        if name not in shared.families:
            problem = model._prepare(table, shared)
            rng = shared.generator(model.random_state)
            found = model._search(model._aim(problem, rng), rng)
            if not found.finished:  # each model warns of it
                return
            shared.families[name] = Family(problem, found)
        family: Family = shared.families[name]
        entry = model._entry(family.found)
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
