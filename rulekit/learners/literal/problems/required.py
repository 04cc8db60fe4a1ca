"""Required conditions, added where they cost least."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rulekit.exceptions import RuleError
from rulekit.learners.literal.problems.binary_problem import BinaryProblem
from rulekit.learners.literal.problems.cell_problem import CellProblem
from rulekit.rules import Clause, Literal, RuleSet, simplify
from rulekit.rules.constraints import ColumnOrLiteral as Wish
from rulekit.rules.rule_set import Label


@dataclass(frozen=True)
class RequiredConditions:
    """Adds required conditions to a rule that was learned without them."""

    wishes: tuple[Wish, ...]
    problem: BinaryProblem | CellProblem
    label: Label
    max_clauses: int

    def added_to(self, rule: RuleSet) -> RuleSet:
        """Add each missing required condition to a rule."""
        for k, wish in enumerate(self.wishes):
            wanted = self.wishes[: k + 1]
            if _all_granted(rule, wanted):
                continue
            options = [simplify(option) for option in self._additions(rule, wish)]
            options = [option for option in options if _all_granted(option, wanted)]
            if not options:
                names = ", ".join(repr(str(w)) for w in wanted)
                raise RuleError(
                    f"The rule cannot hold what is required ({names}): whatever is added makes "
                    "another condition redundant. Drop one of these wishes, or allow more clauses."
                )
            costs = [self._wrong_weight(option) for option in options]
            rule = options[int(np.argmin(np.round(costs, 9)))]
        return rule

    def _additions(self, rule: RuleSet, wish: Wish) -> list[RuleSet]:
        """List the rules with one more literal that satisfies the requirement."""
        places = [clause for clause in rule.clauses if clause.conditions]
        if len(places) < self.max_clauses:
            places.append(Clause((), "and" if rule.form == "dnf" else "or"))
        options = []
        for r in range(len(places)):
            for literal in self._candidates(wish):
                clauses = [*places[:r], _with(places[r], literal), *places[r + 1 :]]
                kept = tuple(clause for clause in clauses if clause.conditions)
                labels = (self.label,) * len(kept)
                options.append(RuleSet(kept, labels, rule.form, rule.default))
        return options

    def _candidates(self, wish: Wish) -> list[Literal]:
        if not isinstance(wish, str):
            return [wish]
        found = [literal for literal in self.problem.literals if literal.feature == wish]
        if not found:
            raise RuleError(
                f"Column {wish!r} is required in the rule, but gives no condition that may be "
                "used: it is constant, or all its conditions are forbidden. Drop the wish."
            )
        return found

    def _wrong_weight(self, rule: RuleSet) -> float:
        """Compute the weight of the training rows that a rule predicts wrongly."""
        y = self.problem.y
        described = ~y if rule.form == "dnf" else y
        wrong = rule.mask(self.problem.columns) != described
        return float(self.problem.weight[wrong].sum())


def _all_granted(rule: RuleSet, wishes: Sequence[Wish]) -> bool:
    literals = [literal for clause in rule.clauses for literal in clause.literals]
    return all(any(_grants(literal, wish) for literal in literals) for wish in wishes)


def _grants(literal: Literal, wish: Wish) -> bool:
    return literal.feature == wish if isinstance(wish, str) else literal == wish


def _with(clause: Clause, literal: Literal) -> Clause:
    kept = [c for c in clause.literals if (c.feature, c.op) != (literal.feature, literal.op)]
    return Clause((*kept, literal), clause.op)
