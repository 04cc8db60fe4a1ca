"""Rules found by box search: one search answers every penalty and number of clauses."""

# The out-of-bag votes of a random forest discount rows that lie among rows of the other class.

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import copy, deepcopy
from dataclasses import KW_ONLY, dataclass, replace
from functools import cached_property
from itertools import islice
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np

from rulekit._validation import Interval, Needs
from rulekit.binning.binned_table import Bools, Floats, Ints
from rulekit.exceptions import RuleError
from rulekit.learners.base import LearnedPath, refuse_with_several
from rulekit.learners.from_table.fit import LearnsFromTables
from rulekit.learners.literal.base import (
    LearnedRule,
    LiteralRuleClassifier,
    PathEntry,
    RulePath,
    refine_selection,
)
from rulekit.learners.literal.several import (
    Learn,
    ListSolution,
    SeveralClasses,
    cheaper_list,
    keep_list,
)
from rulekit.learners.training import Clock, LearningProblem, TrainingTable
from rulekit.rules import Clause, Literal, RuleSet, simplify
from rulekit.search.box_search.problem import BoxPrices, BoxRows, join_ends, whole_box
from rulekit.search.box_search.search import (
    Archive,
    ArchiveEntry,
    SearchPlan,
    cheapest_entries,
    cheapest_entry,
    refine_cuts,
    search,
)
from rulekit.search.columns.clause_selection import ClauseSelection
from rulekit.search.machine_code import DESCENT, QUICK
from rulekit.search.rule_lists.search import ListArchive, ListSearch, RuleList

N_TREES = 100


def discount_rows(
    problem: LearningProblem, label_noise: float, seed: int, classes: Ints | None = None
) -> LearningProblem:
    """Weight rows by the forest's agreement with their class; shapes: classes (n,)."""
    agreed, table = agreement(problem, seed, classes), problem.table
    weight = table.weight * (1.0 - label_noise * (1.0 - agreed))
    return replace(problem, table=table.with_labels(table.y, weight))


def agreement(problem: LearningProblem, seed: int, classes: Ints | None = None) -> Floats:
    """Return the forest's out-of-bag vote share for each row's own class."""
    table = problem.table
    y = table.y.astype(int) if classes is None else classes
    if not len(table.feature) or (y == y[0]).all():
        return np.ones(len(y))

    def grow() -> Floats:
        from rulekit.learners.forest_kernels import MOST_ROWS, forest_columns, votes

        used = np.unique(table.feature).tolist()
        columns, ordered = forest_columns(table.codes, table.encodings, used)
        shares = votes(columns, ordered, y, table.weight, N_TREES, seed, MOST_ROWS)
        return np.asarray(np.nan_to_num(shares[np.arange(len(y)), y], nan=1.0))

    return problem.once(("agreement", seed, classes is None), grow)


PATH_ROWS = 500.0
# Prices of a literal that a search visits, in wrong rows of a table of 500 rows. The archive
# answers every other price from these.
PATH = (0.02, 0.1, 0.25, 0.5, 1.0, 1.5, 2.0, 3.0, 5.0, 8.0, 12.0, 20.0)
PATH_CLAUSES = 5  # clauses searched whatever the limit, so that one archive serves all settings


@dataclass(frozen=True)
class Searched:
    """Result of a search, for every penalty and every number of clauses."""

    problem: LearningProblem
    archive: Archive
    finished: bool
    key: str  # of the search

    def select_columns(self, entries: Sequence[ArchiveEntry]) -> list[Bools]:
        """Return the columns of the learner's table in each entry, shape (k, d)."""
        chosen = self.archive.problem.find_conditions(np.concatenate([e.boxes for e in entries]))
        return np.split(chosen, np.cumsum([e.n_clauses for e in entries])[:-1])


def scale_plan(problem: LearningProblem, n_clauses: int, n_perturbations: int) -> SearchPlan:
    """Return the plan of a search, with prices in proportion to the rows."""
    scale = float(problem.table.weight.sum()) / PATH_ROWS
    return SearchPlan([scale * theta for theta in PATH], n_clauses, n_perturbations)


def search_boxes(
    problem: LearningProblem,
    rng: np.random.Generator,
    n_clauses: int,
    n_perturbations: int,
    robustness: float = 0.0,
    label_noise: float = 0.0,
) -> Searched:
    """Search, or reuse the same search from the problem's memory."""
    if label_noise:
        problem = discount_rows(problem, label_noise, int(rng.integers(2**31)))
    most = max(PATH_CLAUSES, n_clauses)
    costs = robustness, label_noise, n_perturbations
    key = repr(("search", *costs, most, rng.bit_generator.state))

    def run() -> Searched:
        clock, plan = Clock(problem.deadline), scale_plan(problem, most, n_perturbations)
        how: Any = {} if clock.end is None else {"should_stop": clock}
        how |= {"prices": BoxPrices.from_robustness(robustness), "axes": problem.axes}
        return Searched(problem, search(problem.table, plan, rng, **how), not clock.ran_out, key)

    return problem.once(key, run, lambda stored: stored.finished)


#: Clauses searched for each class but one, whatever the limit: one archive serves all settings.
PATH_CLAUSES_A_CLASS = 3


@dataclass(frozen=True)
class SearchedLists:
    """Result of a search, for every penalty and every limit."""

    problem: LearningProblem
    codes: Ints  # (n,)
    names: list[Any]
    search: ListSearch
    archive: ListArchive
    finished: bool
    seconds: float

    def rule_of(self, clauses: Iterable[Clause], rules: RuleList) -> RuleSet:
        """Convert clauses to a list with the classes of another."""
        labels = tuple(self.names[c] for c in rules.labels)
        return RuleSet(tuple(clauses), labels, "dnf", self.names[rules.default])

    def rule(self, rules: RuleList) -> RuleSet:
        """Convert the boxes of an entry to a list of clauses of literals."""
        clauses = self.problem.clauses(self.search.problem.find_conditions(rules.boxes))
        return self.rule_of(map(Clause, clauses), rules)

    def boxes_of(self, rule: RuleSet) -> RuleList | None:
        """Convert a rule to boxes; None if it contains a condition that is no box."""
        column = {literal: j for j, literal in enumerate(self.problem.table.literals)}
        clauses = [[column.get(literal, -1) for literal in c.literals] for c in rule.clauses]
        problem = self.search.problem
        end_of = {j: end for end, j in problem.condition_of.items()}
        if not {j for clause in clauses for j in clause} <= end_of.keys():
            return None
        joined = [join_ends(problem.n_bins, [end_of[j] for j in clause]) for clause in clauses]
        boxes = np.concatenate([whole_box(problem.n_bins)[:0], *joined])
        low, high, absent = boxes.transpose(2, 0, 1)
        if ((low > high) & (absent == 0)).any():
            return None
        labels = tuple(self.names.index(label) for label in rule.labels)
        return RuleList(boxes, labels, self.names.index(rule.default))

    def find_entry(
        self, start: RuleSet, theta: float, n_clauses: int, max_conditions: int | None
    ) -> ArchiveEntry:
        """Find the best list for one penalty and limits, also by a search from a list."""
        entries, boxes = [*self.archive.entries], self.boxes_of(start)
        if boxes is not None:
            archive, state = ListArchive(self.search.problem), self.search.make_state(boxes)
            # a clause has a condition
            longest = n_clauses if max_conditions is None else min(n_clauses, max_conditions)
            self.search.visit(archive, state, theta, longest)
            entries += archive.entries
        return cheapest_entry(entries, theta, n_clauses, max_conditions)

    def move_cuts(self, rule: RuleSet) -> RuleSet:
        """Move the thresholds of each clause in turn, with the others fixed."""
        problem, rules = self.problem, self.boxes_of(rule)
        if rules is None:
            return rule
        chosen = self.search.problem.find_conditions(rules.boxes)
        clauses = [Clause(literals) for literals in problem.clauses(chosen)]
        holds = [clause.mask(problem.columns) for clause in clauses]
        _ = problem.table.opposite.values  # formed once for all clauses
        for r in range(len(clauses)):
            # what each row saves when clause `r` covers it, see `rule_lists.search`
            above, below = np.any(holds[:r], axis=0), np.full(len(self.codes), rules.default)
            for held, label in reversed(list(zip(holds, rules.labels, strict=True))[r + 1 :]):
                below[held] = label
            gain = (below != self.codes).astype(float) - (self.codes != rules.labels[r])
            g = np.where(above, 0.0, gain * problem.table.weight)
            table = problem.table.with_labels(g >= 0, np.abs(g))
            cuts, _ = refine_cuts(table, problem.cuts, chosen[r : r + 1])
            moved = [(j, k) for (_, j), k in cuts.items()]
            refined = np.hstack([chosen[r], np.ones(len(moved), bool)])
            refined[[j for j, _ in moved]] = False
            clauses[r] = Clause(problem.clauses(refined[None], moved)[0])
            holds[r] = clauses[r].mask(problem.columns)
        return self.rule_of(clauses, rules)


def search_lists(
    learner: Any, several: SeveralClasses, rng: np.random.Generator, n_clauses: int
) -> SearchedLists:
    """Search lists, or reuse the same search."""
    problem = whole = several.everything()
    codes = several.table.codes[whole.rows]
    if learner.label_noise:
        problem = discount_rows(whole, float(learner.label_noise), int(rng.integers(2**31)), codes)
    several.counted = np.empty(len(codes))
    several.counted[whole.rows] = problem.table.weight
    most = max(PATH_CLAUSES_A_CLASS, n_clauses) * (len(several.table.classes) - 1)
    costs = float(learner.label_noise), learner.n_perturbations
    key = repr(("lists", *costs, most, rng.bit_generator.state))
    seconds = math.inf if learner.time_limit is None else float(learner.time_limit)

    def run() -> SearchedLists:
        names = [*several.table.labels]
        search = ListSearch(BoxRows.from_table(problem.table, classes=codes, axes=problem.axes))
        clock = Clock.from_seconds(learner.time_limit)
        archive = search.run(scale_plan(problem, most, learner.n_perturbations), rng, clock)
        search.offer_conditions(archive)
        return SearchedLists(problem, codes, names, search, archive, not clock.ran_out, seconds)

    return problem.once(key, run, lambda stored: stored.finished or seconds <= stored.seconds)


Clauses = tuple[tuple[Literal, ...], ...]


@dataclass(eq=False, repr=False)
class BoxSearchClassifier(LearnsFromTables, LiteralRuleClassifier):
    """Learn a rule of several clauses by moving whole intervals, without linear programs.

    One search finds the rules for every price and number of clauses, see `path`.

    Parameters
    ----------
    theta : float, default=1.0
        Price of a condition, in misclassified training rows.
    n_clauses : int, default=2
        Largest number of clauses; with more than two classes, for each class but one.
    max_conditions : int, default=None
        Largest number of conditions, as the search counts them and without required ones. None sets
        no limit. Not with `refine`, which may add conditions.
    robustness : float, default=0.0
        Cost of a row of the other class that only one condition keeps out of a clause. 0 counts
        wrong training rows only. `rulekit.RuleClassifier` selects it by cross-validation.
    label_noise : float, default=0.0
        Discount, from 0 to 1, of rows that do not look like their class: if the share p of a random
        forest's out-of-bag votes is for its class, a row has ``1 - label_noise * (1 - p)`` of its
        weight in the search. Reported errors use the full weights.
    n_perturbations : int, default=3
        Number of random perturbations after the first descent, each followed by another descent.
    refine_thresholds : bool, default=False
        Whether the thresholds of the rule are moved to any training value, interval by interval, if
        that lowers its loss. Not with `refine`.
    refine : bool, default=False
        As in `TwoLevelRuleClassifier`.
    form : {"dnf", "cnf"}, default="dnf"
        An OR of ANDs, or an AND of ORs, for the class `positive_label`.
    positive_label : label, default=None
        The class that the rule describes; None describes the last of `classes_`. With more than two
        classes it must be None: an ordered list, in which the first clause that matches decides, is
        searched as a whole. It never costs more than a list learned class by class. Then `form`
        must be "dnf", and `robustness`, `refine` and required conditions are not supported.
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
        Weight of wrong rows plus `theta` for each condition, with the costs of `robustness` and the
        weights of `label_noise`; after `refine` without the costs of `robustness`.
    lower_bound_, proved_optimal_ : None
        Nothing is proved; see `certify`.

    Notes
    -----
    The rule does not depend on the order of rows or columns, or on earlier fits. With two classes
    and more than 80 000 distinct rows, a part of 20 000 rows is searched, and one descent uses all
    rows. With more than 512 columns, perturbations change only the 256 most promising ones and
    those of rules found.

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
        "robustness": [Interval(Real, 0, None, closed="left")],
        "label_noise": [Interval(Real, 0, 1, closed="both")],
        "n_perturbations": [Interval(Integral, 0, None, closed="left")],
        "refine_thresholds": ["boolean"],
        "refine": ["boolean"],
    }
    _needs = (
        Needs("max_conditions", "refine", (False,)),
        Needs("refine_thresholds", "refine", (False,)),
    )
    _looked_up = ("theta", "n_clauses", "max_conditions", "refine", "refine_thresholds")

    theta: float = 1.0
    n_clauses: int = 2
    max_conditions: int | None = None
    robustness: float = 0.0
    label_noise: float = 0.0
    n_perturbations: int = 3
    refine_thresholds: bool = False
    refine: bool = False
    _: KW_ONLY
    random_state: Any = None

    @property
    def _kernels(self) -> tuple[str, ...]:
        return QUICK if self.label_noise else (DESCENT,)

    def path(self, X: Any, y: Any, sample_weight: Any = None) -> RulePath:
        """Find the best rule for each number of clauses and conditions, in one search.

        Arguments as in `fit`. `theta` is not read; `n_clauses` beyond five extends the search.
        Rules for any price and limits are then looked up, not learned. Their cuts are those of the
        binarizer, whatever `refine_thresholds` and `refine` say. Sizes that cannot hold the
        required conditions are left out.
        """
        model = copy(self)
        model._check()
        return model._path(model._read(X, y, sample_weight)).rules(None)

    def _path(self, table: TrainingTable) -> "BoxPath | ListPath":
        if len(table.classes) == 2:
            problem = self.problem_of(table, self.positive_label)
            rng = table.generator(self.random_state)
            with problem.limit_time(self.time_limit) as clock:
                costs = self.n_perturbations, float(self.robustness), float(self.label_noise)
                searched = search_boxes(problem, rng, self.n_clauses, *costs)
            return BoxPath(self, table, problem, searched, clock.seconds_left())
        refuse_with_several(self, table)
        for name, default in (("robustness", 0.0), ("refine", False)):
            if (given := getattr(self, name)) != default:
                raise ValueError(
                    f"`{name}` applies to rules of two classes only; with more, leave "
                    f"{name}={default!r} (got {given!r}). `refine_thresholds` moves the cuts of a "
                    "list, `label_noise` makes it more robust."
                )
        return ListPath(self, table, table.generator(self.random_state))

    def _kinds_of(self, settings: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
        searched = [max(PATH_CLAUSES, s.get("n_clauses", self.n_clauses)) for s in settings]
        kinds = zip(super()._kinds_of(settings), searched, strict=True)
        return [kind | {"n_clauses": n_clauses} for kind, n_clauses in kinds]

    def _fit_table(self, table: TrainingTable) -> None:
        self._path(table).fit(self)


@dataclass(eq=False)
class BoxPath(LearnedPath):
    """The rules of one search for two classes."""

    learner: BoxSearchClassifier
    table: TrainingTable
    problem: LearningProblem
    searched: Searched
    seconds: float | None  # left of the time limit

    @cached_property
    def entries(self) -> tuple[ArchiveEntry, ...]:
        """The best rule of each size."""
        return self.searched.archive.entries

    @cached_property
    def clauses(self) -> dict[tuple[int, int], Clauses]:
        """The clauses of each entry, by its size."""
        chosen = self.searched.select_columns(self.entries)
        clauses = iter(self.problem.clauses(np.concatenate(chosen)))
        return {
            (e.n_clauses, e.n_conditions): tuple(islice(clauses, e.n_clauses)) for e in self.entries
        }

    def rules_for(self, values: Sequence[Mapping[str, Any]]) -> Iterable[RuleSet]:
        """Return the rule for each of several values; refined ones are learned when read."""
        if any(each["refine"] or each["refine_thresholds"] for each in values):
            return (rule for each in values for _, rule in self.solutions([each]))
        return [rule for _, rule in self.solutions(values)]

    def fit(self, model: Any) -> None:
        """Set the fitted attributes of a model."""
        (solution,) = self.solutions([{name: getattr(model, name) for name in model._looked_up}])
        model._keep(*solution, self.problem, self.table)

    def solutions(self, values: Sequence[Mapping[str, Any]]) -> list[tuple[LearnedRule, RuleSet]]:
        """Return the cheapest rule within each of several limits."""
        limits = [(float(v["theta"]), v["n_clauses"], v["max_conditions"]) for v in values]
        entries = cheapest_entries(self.entries, limits)
        learned = [self._learn(*one) for one in zip(entries, values, strict=True)]
        thetas = [theta for theta, *_ in limits]
        return self.learner._complete_solutions(learned, self.problem, thetas)

    def _learn(self, entry: ArchiveEntry, values: Mapping[str, Any]) -> LearnedRule:
        """Return the rule of an entry, improved where the values request it."""
        theta, moves = float(values["theta"]), bool(values["refine_thresholds"])
        value = entry.loss + theta * entry.n_conditions
        history: list[dict[str, Any]] = [{"step": 0, "objective": value}]
        if values["refine"]:  # by local search, in the seconds left
            (chosen,) = self.searched.select_columns([entry])
            with self.problem.limit_time(self.seconds):
                start = ClauseSelection(chosen, value, tuple(history))
                selection, moved = refine_selection(self.searched.problem, start, theta)
            clauses = self.problem.clauses(selection.chosen, moved)
            value, history = selection.value, [*selection.history]
        elif moves:
            key = "cuts", self.searched.key, entry.boxes.tobytes()
            clauses, loss = self.problem.once(key, lambda: self._move_cuts(entry))
            value = loss + theta * entry.n_conditions
            history.append({"step": 1, "objective": value, "move": "cuts"})
        else:
            clauses = self.clauses[entry.n_clauses, entry.n_conditions]
        if not self.searched.finished and "stopped" not in history[-1]:
            history.append({**history[-1], "step": len(history), "stopped": "time limit"})
        steps, losses = tuple(history), self.searched.problem.constant_losses
        most = values["n_clauses"]
        return LearnedRule(clauses, value, losses, steps, counts_errors=True, max_clauses=most)

    def _move_cuts(self, entry: ArchiveEntry) -> tuple[Clauses, float]:
        """Return the clauses of an entry with their best cuts, and the loss."""
        (chosen,), problem = self.searched.select_columns([entry]), self.searched.problem
        prices = BoxPrices.from_robustness(float(self.learner.robustness))
        cuts, loss = refine_cuts(problem.table, problem.cuts, chosen, prices)
        moved = tuple(dict.fromkeys((j, k) for (_, j), k in cuts.items()))
        refined = np.hstack([chosen, np.zeros((len(chosen), len(moved)), bool)])
        for (r, j), k in cuts.items():
            refined[r, j], refined[r, chosen.shape[1] + moved.index((j, k))] = False, True
        return self.problem.clauses(refined, moved), loss

    def rules(self, max_conditions: int | None) -> RulePath:
        """Return the rules of all sizes that can hold the required conditions."""
        entries: list[PathEntry] = []
        problem = self.problem
        weight = self.learner._weights(self.table)[problem.rows]
        for entry in self.entries:
            size = entry.n_clauses, entry.n_conditions
            learned = simplify(self.learner.dnf_of(self.clauses[size]))
            try:
                rule = self.learner.with_required(learned, problem, entry.n_clauses)
            except RuleError as error:  # a rule of this size cannot hold what is required
                unmet = error
                continue
            (chosen,) = self.searched.select_columns([entry])
            wrong = problem.table.evaluate_dnf(chosen) != problem.table.y
            if rule != learned:
                wrong = rule.mask(problem.columns) != problem.table.y
            error_share = float(weight[wrong].sum() / weight.sum())
            rule = self.learner.in_form(rule)
            entries.append(PathEntry(*size, entry.loss, error_share, rule))
        if not entries:
            raise unmet
        return RulePath(tuple(entries)).limit_conditions(max_conditions)


@dataclass(eq=False)
class ListPath(LearnedPath):
    """The ordered lists of several classes."""

    learner: BoxSearchClassifier
    table: TrainingTable
    rng: np.random.Generator

    def __post_init__(self) -> None:
        """Set the classes and the binarizer, which all models have."""
        self.learner._note_several(self.table)
        SeveralClasses(self.learner, self.table)

    def rules_for(self, values: Sequence[Mapping[str, Any]]) -> Iterator[RuleSet]:
        """Return the list for each of several values."""
        return (self.solution(SeveralClasses(self.learner, self.table), v).rule for v in values)

    def fit(self, model: Any) -> None:
        """Set the fitted attributes of a model."""
        several = SeveralClasses(model, self.table)
        values = {name: getattr(model, name) for name in model._looked_up}
        keep_list(model, several, self.solution(several, values))

    def solution(self, several: SeveralClasses, values: Mapping[str, Any]) -> ListSolution:
        """Search lists, also from one class against the rest, and return the cheapest."""
        theta, n_clauses = float(values["theta"]), values["n_clauses"]
        first, second = deepcopy(self.rng).spawn(2)
        lists = search_lists(self.learner, several, first, n_clauses)
        most = n_clauses * (len(several.table.classes) - 1)
        limit = values["max_conditions"]
        start = several.one_against_rest(second, self.clauses_within(theta, n_clauses, limit))
        rule = lists.rule(lists.find_entry(start, theta, most, limit).boxes)
        if several.objective(start, theta) < several.objective(rule, theta):
            rule = start  # a condition of it that no box has
        history: list[dict[str, Any]] = [{"step": 0, "objective": several.objective(rule, theta)}]
        if values["refine_thresholds"]:
            rule = lists.move_cuts(rule)
            history.append({"step": 1, "objective": several.objective(rule, theta), "move": "cuts"})
        if not lists.finished:
            history.append({**history[-1], "step": len(history), "stopped": "time limit"})
        return cheaper_list(several, rule, theta, tuple(history))

    def clauses_within(self, theta: float, n_clauses: int, max_conditions: int | None) -> Learn:
        """Return what describes one class of a list with the remaining conditions."""
        costs = self.learner.n_perturbations, float(self.learner.robustness)

        def describe(
            problem: LearningProblem, rng: np.random.Generator, n_conditions: int
        ) -> Clauses:
            searched = search_boxes(problem, rng, n_clauses, *costs)
            remaining = None if max_conditions is None else max(0, max_conditions - n_conditions)
            entry = cheapest_entry(searched.archive.entries, theta, n_clauses, remaining)
            (chosen,) = searched.select_columns([entry])
            return problem.clauses(chosen)

        return describe

    def rules(self, max_conditions: int | None) -> RulePath:
        """Return the lists of all sizes."""
        several = SeveralClasses(self.learner, self.table)
        rng = deepcopy(self.rng).spawn(1)[0]
        lists = search_lists(self.learner, several, rng, self.learner.n_clauses)
        entries = []
        for e in lists.archive.entries:
            rule = simplify(lists.rule(e.boxes))
            error = self.table.error(rule, several.weight)
            entries.append(PathEntry(e.n_clauses, e.n_conditions, e.loss, error, rule))
        return RulePath(tuple(entries)).limit_conditions(max_conditions)
