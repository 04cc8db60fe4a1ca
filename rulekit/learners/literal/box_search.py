"""Rules found by box search: one search answers every penalty and number of clauses."""

from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import KW_ONLY, dataclass, field, replace
from itertools import product
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np

from rulekit._validation import Interval, Needs, StrOptions, check_some_parameters
from rulekit.data import make_folds
from rulekit.exceptions import DataError
from rulekit.learners.base import refuse_with_several
from rulekit.learners.choice import CONDITION_PRICE, Loss, cheapest, fold_scores, identity, smoothed
from rulekit.learners.from_table.fit import LearnsFromTables
from rulekit.learners.literal.base import (
    LearnedRule,
    LiteralRuleClassifier,
    PathEntry,
    RulePath,
    refined,
)
from rulekit.learners.literal.boxes import PATH_CLAUSES, BoxSearch, Searched, searched_lists
from rulekit.learners.literal.several import SeveralClasses
from rulekit.learners.training import LearningProblem, SharedWork, TrainingTable, as_constraints
from rulekit.rules import Literal, RuleSet, simplify
from rulekit.search.box_search.problem import Floats
from rulekit.search.box_search.search import ArchiveEntry

LEVELS = (0.0, 0.1, 0.3)
FOLDS = 5
#: Parameters that a search that is done answers by look-up.
LOOKED_UP = ("theta", "n_clauses", "max_conditions")


@dataclass(frozen=True)
class Candidate:
    """One setting and its score."""

    robustness: float
    label: Any
    error: float
    n_conditions: float


def candidates(learner: Any, table: TrainingTable, labels: Sequence[Any]) -> list[Candidate]:
    """Cross-validate the levels of robustness for each class, the best first."""
    centre, theta = learner.n_clauses, float(learner.theta)
    clauses = sorted({max(1, centre - 1), centre, centre + 1})
    grid = list(product(clauses, sorted({theta / 2, theta, 2 * theta})))
    pairs = list(product(LEVELS, labels))
    settings = [
        {"robustness": level, "positive_label": label, "n_clauses": r, "theta": t}
        for level, label in pairs
        for r, t in grid
    ]
    errors, sizes = cross_validated(learner, table, settings)
    pair_of = [k for k in range(len(pairs)) for _ in grid]
    axes = [
        ([(k, r) for k, (r, _) in zip(pair_of, grid * len(pairs), strict=True)],
         [t for _, t in grid * len(pairs)]),
        ([(k, t) for k, (_, t) in zip(pair_of, grid * len(pairs), strict=True)],
         [r for r, _ in grid * len(pairs)]),
    ]  # fmt: skip
    even = smoothed(errors, axes)
    numbers = [k * len(grid) + grid.index((centre, theta)) for k in range(len(pairs))]
    listed = [
        Candidate(level, label, float(even[i]), float(sizes[i]))
        for (level, label), i in zip(pairs, numbers, strict=True)
    ]
    order = cheapest([c.error for c in listed], [c.n_conditions for c in listed], CONDITION_PRICE)
    return [listed[i] for i in order]


def cross_validated(
    learner: Any, table: TrainingTable, settings: Sequence[Mapping[str, Any]]
) -> tuple[Any, Any]:
    """Cross-validate settings on the training rows; see `candidates` for folds and errors."""
    rare = int(np.bincount(table.codes, minlength=2).min())
    if rare < 2:
        raise DataError(
            "Choosing by cross-validation (`robustness` or `refine_thresholds` 'cv') needs two "
            "rows of each class or more; one class has a single row. Give a value instead."
        )
    folds = make_folds(table.codes, min(FOLDS, rare), random_state=0)
    scores = fold_scores(learner, table, settings, folds, Loss(table.y, learner._weights(table)))
    errors, sizes, _ = scores.mean(axis=0).T
    return errors, sizes


@dataclass
class Family:
    """Settings that one search answers, with the models made for some of them."""

    problem: LearningProblem
    found: Searched
    models: dict[tuple[int, int], Any] = field(default_factory=dict)


@dataclass(eq=False, repr=False)
class BoxSearchClassifier(LearnsFromTables, LiteralRuleClassifier):
    """Learn a Boolean rule of several clauses by moving whole intervals, without linear programs.

    One search finds the rules for every price and number of clauses, see `path`.

    Parameters
    ----------
    theta : float, default=1.0
        Price of a condition, in misclassified training rows.
    n_clauses : int, default=2
        Number of clauses at most; of several classes, for each class but one.
    max_conditions : int, default=None
        Conditions of the rule at most, as the search counts them; required conditions come on top.
        None sets no limit. Not with `refine`, which adds conditions where they pay.
    robustness : float or "cv", default=0.0
        How much a row of the other class that a single condition keeps out counts against a
        clause. 0 counts wrong training rows and nothing else. "cv" chooses 0, 0.1 or 0.3 by 5-fold
        cross-validation inside the training rows, at this `theta` and `n_clauses`, and, without
        `positive_label`, also which class the rule describes; 15 to 30 searches more. To choose
        price and clauses as well, see `rulekit.RuleClassifier`.
    label_noise : float, default=0.0
        How far a row is discounted that does not look like its class. A random forest, of 20 000
        draws a tree at most, gives out-of-bag votes for each row; where the share
        p of their votes is for its class, it counts ``1 - label_noise * (1 - p)`` of its weight
        in the search; from 0 (all rows count alike) to 1. Errors that are reported count rows in
        full.
    n_perturbations : int, default=3
        Random perturbations of the rule after the first descent, each followed by another descent.
    refine_thresholds : bool or "cv", default=False
        Whether the cuts of the rule that was found are moved to any value of the training table,
        interval by interval, where that lowers its loss; the number of conditions stays. "cv" does
        so where that has the lower error in 5 folds of the training rows. Not with `refine`.
    refine : bool, default=False
        Descend from the rule found on training errors plus `theta` a condition: drop clauses, drop,
        add and swap conditions, and move cuts to any value of the training table.
    form : {"dnf", "cnf"}, default="dnf"
        An OR of ANDs, or an AND of ORs, for the class `positive_label`.
    positive_label : label, default=None
        The class the rule describes; None for the last of `classes_`, or, with
        ``robustness="cv"``, for the one that is described better. With more than two classes an
        ordered list of which the first clause that holds decides is searched as a whole, and never
        costs more than one class after the other against the rest; no class may be named, `form`
        is "dnf", and neither `robustness`, `refine` nor required conditions are known.
    class_weight, costs, binarizer, constraints, time_limit
        As in `TwoLevelRuleClassifier`.
    random_state : int, RandomState or None, default=None
        For the perturbations, and the forest of `label_noise`.

    Attributes
    ----------
    rule_set_, classes_, positive_label_, default_label_, n_features_in_, feature_names_in_, \
n_rules_, n_conditions_, training_error_, history_, n_iter_, theta_max_, theta_pays_, \
empty_rule_hint_, binarizer_
        As in `TwoLevelRuleClassifier`.
    objective_ : float
        Weight of wrong rows plus `theta` a condition, with the prices of `robustness` and the
        weights of `label_noise`; after `refine` without the prices of `robustness`.
    lower_bound_, proved_optimal_ : None
        Nothing is proved; see `certify`.
    robustness_ : float
        The robustness searched with.
    refine_thresholds_ : bool
        Whether cuts were refined.

    Notes
    -----
    The rule does not depend on the order of the table's rows or columns, nor on earlier fits. Of
    two classes: of more than 80 000 distinct rows the search, its perturbations too, is made on 20
    000 that are spread over the sorted table, and one descent on all settles it; of more than 512
    columns, perturbations change only the 256 that came nearest to being of use, and those of rules
    found.

    Examples
    --------
    >>> import pandas as pd
    >>> X = pd.DataFrame({"age": [30, 34, 32, 70, 35, 65], "smoker": [1, 1, 0, 0, 0, 0]})
    >>> y = ["ill", "ill", "well", "ill", "well", "ill"]
    >>> print(BoxSearchClassifier(theta=0.1, positive_label="ill", random_state=0).fit(X, y))
    ill if
           (smoker == 1)
        OR (age > 40)
    else well
    """

    _own_constraints: ClassVar[dict[str, Any]] = {
        "n_clauses": [Interval(Integral, 1, None, closed="left")],
        "max_conditions": [Interval(Integral, 0, None, closed="left"), None],
        "robustness": [Interval(Real, 0, None, closed="left"), StrOptions({"cv"})],
        "label_noise": [Interval(Real, 0, 1, closed="both")],
        "n_perturbations": [Interval(Integral, 0, None, closed="left")],
        "refine_thresholds": ["boolean", StrOptions({"cv"})],
        "refine": ["boolean"],
    }
    _needs = (
        Needs("max_conditions", "refine", (False,)),
        Needs("refine_thresholds", "refine", (False,)),
    )

    theta: float = 1.0
    n_clauses: int = 2
    max_conditions: int | None = None
    robustness: float | str = 0.0
    label_noise: float = 0.0
    n_perturbations: int = 3
    refine_thresholds: bool | str = False
    refine: bool = False
    _: KW_ONLY
    random_state: Any = None

    def path(self, X: Any, y: Any, sample_weight: Any = None) -> RulePath:
        """Find the best rule for each number of clauses and conditions, in one search.

        Parameters
        ----------
        X, y, sample_weight
            As in `fit`. `theta` is read by ``robustness="cv"`` alone, `n_clauses` beyond five
            extends the search.

        Returns
        -------
        RulePath
            Its rules, for any price and limits, are looked up, not learned. Their cuts are those
            of the binarizer, whatever `refine_thresholds` and `refine` say. Sizes that cannot hold
            the required conditions are left out.
        """
        model = copy(self)
        model._check()
        return model._path_of(model._read(X, y, sample_weight), SharedWork())

    def _path_of(self, table: TrainingTable, shared: SharedWork) -> RulePath:
        """Return the path for a checked table; a finished search is reused."""
        if len(table.classes) > 2:
            return self._path_of_lists(table, shared)
        problem = self.problem_of(table, shared, self._settled_robustness(table))
        searched = self._box_search().run(problem, shared.generator(self.random_state))
        weight = self._weights(table)[problem.rows]
        converted = (self._path_entry(e, searched, problem, weight) for e in searched.entries)
        entries = tuple(filter(None, converted))
        if not entries:
            raise self.required_conditions(problem, self.n_clauses).refusal
        return RulePath(entries)

    def _path_of_lists(self, table: TrainingTable, shared: SharedWork) -> RulePath:
        refuse_with_several(self, table)
        self._refuse_for_lists()
        several = SeveralClasses(self, table, shared)
        lists = searched_lists(self, several, shared.generator(self.random_state).spawn(1)[0])
        rules = [(e, simplify(lists.rule(e.boxes))) for e in lists.archive.entries]
        return RulePath(
            tuple(
                PathEntry(e.n_clauses, e.n_conditions, e.loss, several.error(rule), rule)
                for e, rule in rules
            )
        )

    def _refuse_for_lists(self) -> None:
        """Reject settings that rule lists do not support."""
        for name, default in (("robustness", 0.0), ("refine", False)):
            if (given := getattr(self, name)) != default:
                raise ValueError(
                    f"`{name}` applies to rules of two classes only; with more, leave "
                    f"{name}={default!r} (got {given!r}). `refine_thresholds` moves the cuts of a "
                    "list, `label_noise` makes it more robust."
                )

    def _learned_list(
        self, several: SeveralClasses, rng: np.random.Generator
    ) -> tuple[RuleSet, tuple[dict[str, Any], ...]]:
        """Search lists, also from one-against-the-rest, and return the cheapest."""
        self._refuse_for_lists()
        self._settle_refinement(several.table, {})
        self.robustness_, theta = 0.0, float(self.theta)
        first, second = rng.spawn(2)
        lists = searched_lists(self, several, first)
        most = self.n_clauses * (len(several.table.classes) - 1)
        start = several.one_against_rest(second, self._clauses_for_a_list)
        entry = lists.entry(
            theta, most, self.max_conditions, *lists.searched_from(start, theta, most)
        )
        rule = lists.rule(entry.boxes)
        if several.objective(start, theta) < several.objective(rule, theta):
            rule = start  # a condition of it that no box has
        history: list[dict[str, Any]] = [{"step": 0, "objective": several.objective(rule, theta)}]
        if self.refine_thresholds_:
            rule = lists.with_cuts_refined(rule)
            value = several.objective(rule, theta)
            history.append({"step": 1, "objective": value, "move": "cuts"})
        if not lists.finished:
            history.append({**history[-1], "step": len(history), "stopped": "time limit"})
        return rule, tuple(history)

    def _clauses_for_a_list(
        self, problem: LearningProblem, rng: np.random.Generator, n_conditions: int
    ) -> tuple[tuple[Literal, ...], ...]:
        """Describe one class of a list with the remaining conditions, thresholds not refined."""
        searched = replace(self._box_search(), label_noise=0.0).run(problem, rng)
        left = None
        if self.max_conditions is not None:
            left = max(0, self.max_conditions - n_conditions)
        entry = searched.entry(float(self.theta), self.n_clauses, left)
        chosen = searched.chosen(entry)
        return problem.clauses(chosen, np.zeros(len(chosen), dtype=bool))

    def _path_entry(
        self, entry: ArchiveEntry, searched: Searched, problem: LearningProblem, weight: Floats
    ) -> PathEntry | None:
        """Convert an entry to a rule, None if its size cannot hold the required conditions."""
        chosen = searched.chosen(entry)
        learned = simplify(self.rule_of(problem.clauses(chosen, np.zeros(len(chosen), bool))))
        rule = self.required_conditions(problem, entry.n_clauses).added_to(learned)
        if rule is None:
            return None
        held = problem.table.held(chosen, self.form)
        if rule != learned:
            held = rule.predict(problem.columns) == self.positive_label_
        wrong = held != problem.table.y
        error = float(weight[wrong].sum() / weight.sum())
        return PathEntry(entry.n_clauses, entry.n_conditions, entry.loss, error, rule)

    def _settled_robustness(self, table: TrainingTable) -> Any:
        """Use the given robustness, or select it with the class; return this class."""
        label: Any = self.positive_label
        if self.robustness != "cv":
            self.robustness_ = float(self.robustness)
            return label
        labels = table.classes.tolist() if label is None else [label]
        taken = candidates(self, table, labels)[0]
        self.robustness_ = taken.robustness
        return taken.label

    def _settled_label(self, table: TrainingTable) -> Any:
        """Determine the robustness, and whether thresholds are refined."""
        label = self._settled_robustness(table)
        settled = {"robustness": self.robustness_, "positive_label": label}
        self._settle_refinement(table, settled)
        return label

    def _settle_refinement(self, table: TrainingTable, settled: dict[str, Any]) -> None:
        """Use the given setting for refining thresholds, or select it by cross-validation."""
        if self.refine_thresholds != "cv":
            self.refine_thresholds_ = bool(self.refine_thresholds)
            return
        settings = [settled | {"refine_thresholds": choice} for choice in (False, True)]
        errors, _ = cross_validated(self, table, settings)
        self.refine_thresholds_ = bool(errors[1] < errors[0] - 1e-12)

    def _box_search(self) -> BoxSearch:
        return BoxSearch(
            self.robustness_,
            float(self.label_noise),
            self.n_perturbations,
            self.n_clauses,
            self.time_limit,
        )

    def _learn(self, problem: LearningProblem, rng: np.random.Generator) -> LearnedRule:
        theta, search = float(self.theta), self._box_search()
        searched = search.run(problem, rng)
        entry = searched.entry(theta, self.n_clauses, self.max_conditions)
        selection, self._loss = searched.selection(entry, theta), entry.loss
        moved: tuple[tuple[int, int], ...] = ()
        if self.refine:
            selection, moved = refined(searched.problem, selection, theta)
        elif self.refine_thresholds_:
            selection, moved, self._loss = search.with_cuts_refined(
                searched.problem, selection, theta
            )
        return LearnedRule(
            problem.clauses(selection.chosen, selection.disabled, moved),
            selection.value,
            searched.problem.constant_losses,
            selection.history,
            counts_errors=True,
            max_clauses=self.n_clauses,
        )

    def _derived(self, setting: Mapping[str, Any], shared: SharedWork) -> Self | None:
        """Copy the model with this setting's rule; only penalty and limits differ."""
        family: Family | None = self._families(shared).get(self._family_of(setting))
        if family is None:
            return None
        values_of = {name: setting.get(name, getattr(self, name)) for name in LOOKED_UP}
        check_some_parameters(self, values_of)
        theta = float(values_of["theta"])
        entry = family.found.entry(theta, values_of["n_clauses"], values_of["max_conditions"])
        twin = family.models.get((entry.n_clauses, entry.n_conditions))
        if twin is None:
            return None
        model: Self = copy(twin)
        for name, value in values_of.items():
            setattr(model, name, value)
        values = [entry.objective(theta), twin._loss + theta * entry.n_conditions]
        model.history_ = [
            dict(old, objective=v) for old, v in zip(twin.history_, values, strict=False)
        ]
        model.objective_ = values[len(twin.history_) - 1]
        if model.rule_set_.is_constant:
            model.empty_rule_hint_ = model._hint(family.problem.theta_max)
        return model

    def _remember(
        self, setting: Mapping[str, Any], model: Self, table: TrainingTable, shared: SharedWork
    ) -> None:
        validated = "cv" in (model.robustness, model.refine_thresholds)
        drawn = isinstance(model.random_state, np.random.RandomState)  # each draw is another one
        required = as_constraints(model.constraints).required
        several = len(table.classes) > 2  # their search is kept with the table
        if validated or drawn or model.refine or required or several:
            return
        families, name = self._families(shared), self._family_of(setting)
        if name not in families:
            problem = model.problem_of(table, shared, model.positive_label)
            searched = model._box_search().run(problem, shared.generator(model.random_state))
            if not searched.finished:  # each model warns of it
                return
            families[name] = Family(problem, searched)
        family = families[name]
        entry = family.found.entry(float(model.theta), model.n_clauses, model.max_conditions)
        family.models.setdefault((entry.n_clauses, entry.n_conditions), model)

    def _families(self, shared: SharedWork) -> dict[tuple[Any, ...], Family]:
        return shared.once("families", dict)

    def _family_of(self, setting: Mapping[str, Any]) -> tuple[Any, ...]:
        """Return a key of what a search depends on."""
        clauses = setting.get("n_clauses", self.n_clauses)
        rest = {k: v for k, v in setting.items() if k not in LOOKED_UP}
        rest["n_clauses"] = max(PATH_CLAUSES, clauses) if isinstance(clauses, int) else clauses
        return identity(rest)
