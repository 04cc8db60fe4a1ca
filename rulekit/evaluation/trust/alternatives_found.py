"""Result of a search for alternatives: the rules, their columns, and where they differ."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rulekit._renamed import former_name
from rulekit.learners import BoxSearchClassifier
from rulekit.rules import Columns, RuleSet

PAIRS = 20  # rules that are compared in pairs by default
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
        Their classes.
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

    in_hand = former_name("in_hand", "selected")
    in_hand_wrong = former_name("in_hand_wrong", "selected_wrong")
    in_hand_cost = former_name("in_hand_cost", "selected_cost")

    @cached_property
    def leading(self) -> list[int]:
        """Numbers of the cheapest rule of each set of columns."""
        return self.table.drop_duplicates("columns")["rule"].tolist()

    def disagreement(self, rules: Sequence[int] | None = None) -> pd.DataFrame:
        """Compute how often each pair of rules predicts differently.

        Parameters
        ----------
        rules : sequence of int, optional
            Numbers of rules; by default the first 20 of `leading`.

        Returns
        -------
        DataFrame of shape (m, m)
            Shares of rows, indexed by the rules' numbers on both sides.
        """
        numbers = list(self.leading[:PAIRS] if rules is None else rules)
        held = np.array([self.rules[k].mask(self.X) for k in numbers], dtype=bool)
        held = held.reshape(len(numbers), len(self.y))
        shares = (held[:, None, :] != held[None, :, :]).mean(axis=2)
        return pd.DataFrame(shares, index=numbers, columns=numbers)

    def differing_rows(self, rule: int | RuleSet) -> NDArray[np.intp]:
        """Return the positions of the rows that a rule (or number) predicts differently."""
        other = self._rule(rule).predict(self.X) != self.selected.predict(self.X)
        return np.flatnonzero(other)

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
        learner = BoxSearchClassifier(
            theta=0.0,
            n_clauses=1,
            max_conditions=2,
            positive_label="otherwise",
            refine_thresholds=True,
            random_state=0,
        )
        difference = learner._fit_quietly(
            frame, np.where(differing, "otherwise", "the same")
        ).rule_set_
        return None if difference.is_constant else difference

    def _rule(self, rule: int | RuleSet) -> RuleSet:
        return rule if isinstance(rule, RuleSet) else self.rules[rule]

    def sentences(self, names: Names | None = None) -> list[str]:
        """Return how many rules there are, which columns they need, and how far they differ."""
        return _Words(self, names or {}).sentences()


@dataclass(frozen=True)
class _Words:
    """Sentences about alternatives."""

    found: Alternatives
    names: Names

    def sentences(self) -> list[str]:
        """Return sentences on the number, on each column, and on the pairs."""
        alternatives = self.found
        if not alternatives.rules:
            return [
                f"No rule over these conditions costs at most {self.margin} more than the rule in "
                f"hand; {self.price}."
            ]
        sentences = [
            self.number(),
            *(self.column(row) for _, row in alternatives.columns.iterrows()),
        ]
        return [sentence for sentence in (*sentences, self.pairs()) if sentence]

    @property
    def margin(self) -> str:
        alternatives = self.found
        return f"{_percent(alternatives.within)} of the rows"

    @property
    def price(self) -> str:
        row = "its weight" if self.found.weighted else "1"
        return f"a wrong row counts {row}, a condition {self.found.theta:.3g}"

    def number(self) -> str:
        """Return how many there are, and whether the list is complete."""
        alternatives, n = self.found, len(self.found.rules)
        rules = "1 rule costs" if n == 1 else f"{n:,} rules cost"
        head = f"{rules} at most {self.margin} more than the best ({self.price})"
        size = _plural(alternatives.max_conditions, "condition")
        if alternatives.complete:
            return f"{head}. These are all rules of one clause and at most {size}."
        if alternatives.margin < alternatives.within:
            most = f"within {100 * alternatives.margin:.2g} %"
            these = "all" if alternatives.max_clauses == 1 else "those found"
            return f"{head}; there are more, and these are {these} {most}."
        text = (
            f"{head}. All rules of one clause and at most {alternatives.complete_to} are among them"
        )
        text = text.replace(
            f"most {alternatives.complete_to} ",
            f"most {_plural(alternatives.complete_to, 'condition')} ",
        )
        if alternatives.max_clauses == 1:
            return f"{text}; of those up to {size} time allowed a part."
        return f"{text}; rules of several clauses were searched for, and there may be more."

    def column(self, row: Any) -> str:
        """Return whether a column is needed, or what replaces it."""
        alternatives, name = self.found, self.called(row["column"])
        every = "Every one of them reads" if len(alternatives.rules) > 1 else "It reads"
        if row["needed"] and not row["selected"]:
            return f"{every} {name}, which the given rule does not."
        if not row["selected"]:
            return ""
        against = (
            f"{_percent(row['wrong'])} of the rows instead of "
            f"{_percent(alternatives.selected_wrong)}"
        )
        if not row["as_good"]:
            return f"{every} {name}: the best rule found without it is wrong in {against}."
        others = [self.called(c) for c in row["instead"]]
        replacement = "no other column takes its place"
        if others:
            listed = " and ".join(filter(None, (", ".join(others[:-1]), others[-1])))
            replacement = f"{listed} {'takes' if len(others) == 1 else 'take'} its place"
        return f"{name} can be left out: {replacement}, and {against} are wrong."

    def pairs(self) -> str:
        """Return how far the rules differ."""
        shares = self.found.disagreement().to_numpy()
        pairs = shares[np.triu_indices(len(shares), 1)]
        if not len(pairs):
            return ""
        return (
            f"The best rules of {len(shares)} sets of columns give different answers to "
            f"{_percent(pairs.mean())} of the rows on average, two by two, and to "
            f"{_percent(pairs.max())} at most."
        )

    def called(self, name: str) -> str:
        return self.names.get(name, name)


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"


def _plural(n: int, word: str) -> str:
    return f"{n} {word}" if n == 1 else f"{n} {word}s"
