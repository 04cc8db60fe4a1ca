"""Search for rules that are as good as a given one; the rules found and where they differ."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from numbers import Integral, Real
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from rulekit._validation import SECONDS, Interval, check_arguments
from rulekit.exceptions import DataError
from rulekit.families import RuleClassifier
from rulekit.learners import BoxSearchClassifier
from rulekit.learners.choice import CONDITION_PRICE
from rulekit.learners.literal.base import LiteralRuleClassifier
from rulekit.learners.literal.certificate import n_counted
from rulekit.learners.literal.rule_space import PricedRule, RuleSpace
from rulekit.learners.training import Clock, TrainingTable, as_constraints
from rulekit.rules import Columns, RuleSet
from rulekit.rules.rule_set import rule_of
from rulekit.search.machine_code import DESCENT, EXACT
from rulekit.style.phrases import join_list
from rulekit.style.wording import percent, plural

PAIRS = 20  # rules that are compared in pairs by default
TIE = 1e-9
GROWN = 2_000  # maximal number of rules with several clauses whose clauses are exchanged
KEPT = ("binarizer", "class_weight", "costs")  # other parameters that affect a learner's rules
Names = Mapping[str, str]


@dataclass(frozen=True, eq=False)
class Alternatives:
    """The rules that are as good as a given one.

    Attributes
    ----------
    rules : tuple of RuleSet
        The cheapest first; with equal cost the shorter one, then in a fixed order.
    table : DataFrame
        One row per rule, in their order: ``rule`` (its number, from 0), ``wrong`` (weighted share
        of rows that it predicts wrongly), ``n_conditions``, ``n_clauses``, ``cost`` (see
        `alternatives`, as a share of the rows), ``columns`` (sorted), ``differs`` (share of rows
        that it predicts differently from the model's rule).
    columns : DataFrame
        One row per column that the model's rule or a listed rule reads, those of the model's rule
        first: ``column``, ``selected`` (number of conditions of the model's rule on it), ``share``
        (of the listed rules that read it), ``needed`` (whether all do), ``without`` (the best rule
        found without the column, listed or not; None if it was not searched), ``wrong`` (its share
        of wrong rows), ``cost``, ``as_good`` (whether it is within the margin), ``instead`` (the
        columns that it reads and the model's rule does not).
    selected : RuleSet
        The model's rule.
    selected_wrong, selected_cost : float
        Its share of wrong rows and its cost.
    within, theta : float
        The margin, as a share of the rows, and the price of a condition, in rows.
    max_clauses, max_conditions : int
        Limits of the rules compared.
    complete_to : int
        All rules of one clause and at most this many conditions within the margin are listed
        (except those with redundant conditions).
    complete : bool
        Whether all rules within the margin are listed; never true for rules of several clauses.
    margin : float
        If there were too many rules, the reduced margin; else `within`.
    weighted : bool
        Whether wrong rows have different costs.
    X : mapping of str to ndarray
        The rows, as rules read them.
    y : ndarray
    """

    rules: tuple[RuleSet, ...]
    table: pd.DataFrame = field(repr=False)
    columns: pd.DataFrame = field(repr=False)
    selected: RuleSet
    selected_wrong: float
    selected_cost: float
    within: float
    theta: float
    max_clauses: int
    max_conditions: int
    complete_to: int
    complete: bool
    margin: float
    weighted: bool
    X: Columns = field(repr=False)
    y: NDArray[Any] = field(repr=False)

    @cached_property
    def leading(self) -> list[int]:
        """Numbers of the cheapest rule of each set of columns."""
        return self.table.drop_duplicates("columns")["rule"].tolist()

    def disagreement(self, rules: Sequence[int] | None = None) -> pd.DataFrame:
        """Compute shares of rows on which two rules differ, (m, m); of the first 20 by default."""
        numbers = list(self.leading[:PAIRS] if rules is None else rules)
        held = np.array([self.rules[k].mask(self.X) for k in numbers], dtype=bool)
        held = held.reshape(len(numbers), len(self.y))
        shares = (held[:, None, :] != held[None, :, :]).mean(axis=2)
        return pd.DataFrame(shares, index=numbers, columns=numbers)

    def differing_rows(self, rule: int | RuleSet) -> NDArray[np.intp]:
        """Return the positions of the rows that a rule (or number) predicts differently."""
        return np.flatnonzero(self._rule(rule).predict(self.X) != self.selected.predict(self.X))

    def differs_where(self, rule: int | RuleSet) -> RuleSet | None:
        """Describe the rows that a rule (or number) predicts differently by a clause.

        The clause has at most two conditions on columns of the two rules and the label
        ``"otherwise"``; None if every such clause matches more other rows than differing ones.
        """
        names = dict.fromkeys((*self.selected.features, *self._rule(rule).features))
        differing = np.zeros(len(self.y), dtype=bool)
        differing[self.differing_rows(rule)] = True
        if not names or differing.all() or not differing.any():
            return None
        frame = pd.DataFrame({name: self.X[name] for name in names})
        limits: dict[str, Any] = {"theta": 0.0, "n_clauses": 1, "max_conditions": 2}
        options = limits | {"positive_label": "otherwise", "random_state": 0}
        learner = BoxSearchClassifier(**options, refine_thresholds=True)
        answers = np.where(differing, "otherwise", "the same")
        difference: RuleSet = learner._fit_quietly(frame, answers).rule_set_
        return None if difference.is_constant else difference

    def _rule(self, rule: int | RuleSet) -> RuleSet:
        return rule if isinstance(rule, RuleSet) else self.rules[rule]

    def sentences(self, names: Names | None = None) -> list[str]:
        """Return how many rules there are, columns they need (by `names`), and how they differ."""
        price = "its weight" if self.weighted else "1"
        price = f"a wrong row counts {price}, a condition {self.theta:.3g}"
        margin = f"{percent(self.within)} of the rows"
        if not self.rules:
            return [
                f"No rule over these conditions costs at most {margin} more than the selected "
                f"rule; {price}."
            ]
        rules = "1 rule costs" if len(self.rules) == 1 else f"{len(self.rules):,} rules cost"
        head = f"{rules} at most {margin} more than the best ({price})"
        columns = [self._describe_column(row, names or {}) for _, row in self.columns.iterrows()]
        size = plural(self.max_conditions, "condition")
        most = plural(self.complete_to, "condition")
        complete = f". All rules of one clause and at most {most} are among them"
        if self.complete:
            complete = f". These are all rules of one clause and at most {size}."
        elif self.margin < self.within:
            these = "all" if self.max_clauses == 1 else "those found"
            reduced = f"within {100 * self.margin:.2g} %"
            complete = f"; there are more, and these are {these} {reduced}."
        elif self.max_clauses == 1:
            complete += f"; of those up to {size} time allowed a part."
        else:
            complete += "; rules of several clauses were searched for, and there may be more."
        sentences = [head + complete, *filter(None, columns)]
        shares = self.disagreement().to_numpy()
        if len(pairs := shares[np.triu_indices(len(shares), 1)]):
            sentences.append(
                f"The best rules of {len(shares)} sets of columns give different answers to "
                f"{percent(pairs.mean())} of the rows on average, two by two, and to "
                f"{percent(pairs.max())} at most."
            )
        return sentences

    def _describe_column(self, row: Any, names: Names) -> str:
        """Return whether a column is needed, or what replaces it."""
        name = names.get(row["column"], row["column"])
        every = "Every one of them reads" if len(self.rules) > 1 else "It reads"
        if not row["selected"]:
            return f"{every} {name}, which the given rule does not." if row["needed"] else ""
        against = f"{percent(row['wrong'])} of the rows instead of {percent(self.selected_wrong)}"
        if not row["as_good"]:
            return f"{every} {name}: the best rule found without it is wrong in {against}."
        others = [names.get(c, c) for c in row["instead"]]
        replacement = "no other column takes its place"
        if others:
            take = "takes" if len(others) == 1 else "take"
            replacement = f"{join_list(others)} {take} its place"
        return f"{name} can be left out: {replacement}, and {against} are wrong."


def alternatives(  # noqa: PLR0913  all but four by keyword
    model: Any,
    X: Any,
    y: ArrayLike,
    within: float = 0.01,
    *,
    theta: float | None = None,
    max_conditions: int | None = None,
    learner: LiteralRuleClassifier | None = None,
    sample_weight: ArrayLike | None = None,
    max_rules: int = 10_000,
    time_limit: float = 10.0,
    random_state: int = 0,
    should_stop: Callable[[], bool] | None = None,
) -> Alternatives:
    """List the rules that are as good as a model's rule, and what they have in common.

    A rule costs the weight of its wrong rows plus `theta` per condition. Listed are the rules that
    cost at most `within` of the rows more than the best known one (including the model's rule),
    with no more clauses and conditions than the model's rule, and in which every condition and
    clause reduces the cost; other conditions would be redundant.

    Parameters
    ----------
    model : fitted classifier with ``rule_set_``, of two classes
        Its rule is compared. The alternatives of scorecards, trees and formulas are rules of plain
        conditions, too.
    X, y, sample_weight
        The table it was learned from.
    within : float, default=0.01
        The margin: a weighted share of the rows; 0.01 is one in a hundred.
    theta : float, default=None
        Price of a condition in rows, not negative. None is the model's own price if it is a learner
        of conditions with a positive one, else two in a thousand of the rows.
    max_conditions : int, default=None
        Most conditions of a rule; None for as many as the model's rule has.
    learner : BoxSearchClassifier or other learner of conditions, default=None
        Not fitted: its binarizer, its constraints and its class weights define the possible rules.
        None takes them from the model as far as it has them.
    max_rules : int, default=10_000
        Maximal number of rules. If there are more, the margin is reduced accordingly.
    time_limit : float, default=10.0
        Seconds. The result states what was not finished.
    random_state : int, default=0
        For the perturbations of the searches.
    should_stop : callable, optional
        Called regularly; true ends the work, and the rules found by then are returned.

    Raises
    ------
    ValueError
        If a parameter is invalid.
    DataError
        If the table cannot be used, or has more than two classes.
    RuleError
        If the model has no rule.

    Notes
    -----
    Rules of one clause are listed by branch and bound, first those of one condition, then of two,
    and so on: the list is complete, or `complete_to` is the length up to which it is. Required
    conditions in `constraints` and a `max_gap` do not apply to the listed rules; forbidden
    conditions do. If the model's rule has several clauses, rules come from the archive of a box
    search over all columns and from searches without one column of the model's rule each, and then
    from exchanging any clause for any other within the margin; there may be more of them than were
    found.

    References
    ----------
    .. [1] R. Xin, C. Zhong, Z. Chen, T. Takagi, M. Seltzer, C. Rudin, "Exploring the whole Rashomon
       set of sparse decision trees" (2022).

    Examples
    --------
    >>> from rulekit import BoxSearchClassifier, load_sample
    >>> X, y = load_sample("breast_cancer").xy("diagnosis")
    >>> X = X[["worst radius", "worst area", "worst texture"]]
    >>> model = BoxSearchClassifier(theta=5.0, n_clauses=1, random_state=0).fit(X, y)
    >>> found = alternatives(model, X, y, within=0.01)
    >>> found.complete, found.selected.features
    (True, ('worst area',))
    >>> found.columns.set_index("column")["needed"].to_dict()
    {'worst area': False, 'worst radius': False}
    """
    whole = Interval(Integral, 1, None, closed="left")
    check_arguments(
        "alternatives",
        within=(within, [Interval(Real, 0, 1, closed="left")]),
        theta=(theta, [Interval(Real, 0, None, closed="left"), None]),
        max_conditions=(max_conditions, [whole, None]),
        max_rules=(max_rules, [whole]),
        time_limit=(time_limit, SECONDS[:1]),
        learner=(learner, [LiteralRuleClassifier, None]),
    )
    rule = rule_of(model)
    check_is_fitted(model, "rule_set_")
    if len(getattr(model, "classes_", rule.classes)) > 2:
        raise DataError(
            f"Alternatives need two classes; this model has {len(model.classes_)}. Learn a rule "
            "for one class against the rest."
        )
    # a learner over the conditions of the given one, for the class and the form of the rule
    given: Any = model if learner is None else learner
    labels = set(rule.labels) - {rule.default}
    label = labels.pop() if len(labels) == 1 else model.positive_label_
    parameters = given.get_params(deep=False) if hasattr(given, "get_params") else {}
    constrained = isinstance(given, (LiteralRuleClassifier, RuleClassifier))
    kept = (*KEPT, "constraints") if constrained else KEPT
    shared = {k: parameters[k] for k in kept if k in parameters}
    reader = BoxSearchClassifier(form=rule.form, positive_label=label, **shared)
    reader._check()
    table = reader._read(X, y, sample_weight)
    if theta is None:  # of the model, if it has one
        selected = model.best_params_ if isinstance(model, RuleClassifier) else {}
        own = isinstance(model, LiteralRuleClassifier)
        theta = float(model.theta if own else selected.get("theta", 0.0))
        theta = theta if theta > 0 else CONDITION_PRICE * len(table.codes)
    clock = Clock.from_seconds(time_limit, should_stop, (DESCENT, EXACT))
    work = _AlternativeSearch(reader, table, rule, float(within), max_rules, clock, random_state)
    return work.done(theta, max_conditions)


@dataclass
class _AlternativeSearch:
    """A search for alternatives in progress."""

    learner: Any
    table: TrainingTable
    rule: RuleSet
    within: float
    max_rules: int
    clock: Clock
    random_state: Any
    complete_to: int = 0
    reach: float = 0.0

    def done(self, theta: float, max_conditions: int | None) -> Alternatives:
        """Find the rules and build the result."""
        problem = self.problem_without(None)
        learned = self.rule.as_dnf
        size = n_counted(learned, problem)
        described = sum(label == self.learner.positive_label_ for label in self.rule.labels)
        n_clauses = max(1, self.rule.n_clauses if self.rule.form == "cnf" else described)
        most = max(1, size) if max_conditions is None else int(max_conditions)
        space = RuleSpace(self.learner, problem, theta, n_clauses, most, self.clock)
        total = float(problem.table.weight.sum())
        wrong = learned.mask(problem.columns) != problem.table.y
        selected_cost = float(problem.table.weight[wrong].sum()) + theta * size
        met = {r.columns: r for r in (*space.constants(), *space.search(problem, self.rng))}
        without = {}
        for name in self.rule.features:
            of_column = space.search(self.problem_without(name), self.rng)
            without[name] = min((*space.constants(), *of_column), key=_order)
            met |= {r.columns: r for r in of_column}
        listed = self.list_near(space, list(met.values()), selected_cost)
        names = {r.columns: space.features(r) for r in (*listed, *without.values())}
        texts: dict[RuleSet, PricedRule] = {}  # of rules with equal texts the first is kept
        for rule in listed:
            texts.setdefault(space.rule(rule), rule)
        answers, rows = self.rule.predict(self.table.columns), []
        for k, (written, rule) in enumerate(texts.items()):
            sizes = written.n_conditions, written.n_clauses
            reads = tuple(sorted(names[rule.columns]))
            differs = float(np.mean(written.predict(self.table.columns) != answers))
            rows.append((k, self.wrong(written), *sizes, rule.cost / total, reads, differs))
        kinds = ["rule", "wrong", "n_conditions", "n_clauses", "cost", "columns", "differs"]
        priced = list(texts.values())
        facts = (self.wrong(self.rule), selected_cost / total, self.within, theta, n_clauses, most)
        cheapest = min([selected_cost, *(r.cost for r in priced)]) / total
        return Alternatives(
            tuple(texts),
            pd.DataFrame(rows, columns=kinds),
            self.tabulate_columns(space, priced, without, names, cheapest),
            self.rule,
            *facts,
            self.complete_to,
            self.complete_to >= most and n_clauses == 1 and self.reach >= self.within - TIE,
            self.reach,
            bool(np.ptp(problem.table.weight) > 0),
            self.table.columns,
            self.table.y,
        )

    @property
    def rng(self) -> np.random.Generator:
        """A new generator, the same for every search."""
        return np.random.default_rng(self.random_state)

    def wrong(self, rule: RuleSet) -> float:
        """Compute the share of rows, by their input weight, that a rule predicts wrongly."""
        return self.table.error(rule, self.table.sample_weight)

    def problem_without(self, column: str | None) -> Any:
        """Build the table of conditions without those of one column."""
        learner = self.learner
        if column is not None:
            learner = BoxSearchClassifier(**learner.get_params(deep=False))
            given = as_constraints(learner.constraints)
            learner.constraints = replace(given, forbidden=(*given.forbidden, column), required=())
        problem = learner.problem_of(self.table, self.learner.positive_label)
        problem.work_until(self.clock.end)
        return problem

    def list_near(
        self, space: RuleSpace, priced: list[PricedRule], selected_cost: float
    ) -> list[PricedRule]:
        """List the rules within the margin: all with one clause, and those found with more."""
        total = float(space.problem.table.weight.sum())
        margin, self.reach = self.within * total, self.within
        best = min([selected_cost, *(r.cost for r in priced)])
        rules = list(priced)
        for size, listed in space.clauses(margin, best, self.max_rules):
            rules = priced + [space.price_rule([clause]) for clause in listed.clauses]
            if not listed.complete:
                break
            self.complete_to, self.reach = size, min(self.within, listed.margin / total)
        best = min([selected_cost, *(r.cost for r in rules)])
        if space.max_clauses > 1:
            rules = space.grow_rules(rules, best + margin, GROWN)
            best = min([selected_cost, *(r.cost for r in rules)])
        unique = {r.columns: r for r in rules if r.cost <= best + margin + TIE}
        near = sorted(unique.values(), key=_order)
        if len(near) > self.max_rules:
            self.reach = min(self.reach, (near[self.max_rules - 1].cost - best) / total)
        return near[: self.max_rules]

    def tabulate_columns(
        self,
        space: RuleSpace,
        priced_rules: list[PricedRule],
        without: Mapping[str, PricedRule],
        names: Mapping[Any, frozenset[str]],
        cheapest: float,
    ) -> pd.DataFrame:
        """Build one row per column."""
        total = float(space.problem.table.weight.sum())
        read = [names[r.columns] for r in priced_rules]
        hand = {
            name: sum(  # of a condition that computes with several columns, one test of each
                sum(test.feature == name for test in c.tests) or int(name in c.features)
                for clause in self.rule.clauses
                for c in clause.conditions
            )
            for name in self.rule.features
        }
        others = sorted(set().union(*read) - set(hand))
        rows = []
        for name in (*sorted(hand, key=lambda f: -hand[f]), *others):
            lacking = [r for r, reads in zip(priced_rules, read, strict=True) if name not in reads]
            share = sum(name in reads for reads in read) / max(1, len(read))
            row = [name, hand.get(name, 0), share, bool(read) and not lacking]
            options = [*lacking, *([without[name]] if name in without else [])]
            if not options:
                rows.append((*row, None, math.nan, math.nan, False, ()))
                continue
            best = min(options, key=_order)
            rule, cost = space.rule(best), best.cost / total
            instead = tuple(sorted(space.features(best) - set(hand)))
            as_good = cost <= cheapest + self.within + TIE
            rows.append((*row, rule, self.wrong(rule), cost, as_good, instead))
        kinds = ["column", "selected", "share", "needed", "without", "wrong", "cost", "as_good"]
        return pd.DataFrame(rows, columns=[*kinds, "instead"])


def _order(rule: PricedRule) -> tuple[Any, ...]:
    return round(rule.cost, 9), rule.n_conditions, rule.columns
