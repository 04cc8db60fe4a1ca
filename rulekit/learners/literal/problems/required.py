"""Required conditions, added where they cost least."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rulekit.exceptions import RuleError
from rulekit.learners.literal.problems.binary_problem import BinaryProblem
from rulekit.learners.literal.problems.cell_problem import CellProblem
from rulekit.rules import Clause, Literal, RuleSet, simplify
from rulekit.rules.constraints import ColumnOrLiteral
from rulekit.rules.rule_set import Label


@dataclass(frozen=True)
class RequiredConditions:
    """Adds required conditions to a rule that was learned without them."""

    required: tuple[ColumnOrLiteral, ...]
    problem: BinaryProblem | CellProblem
    label: Label
    max_clauses: int

    def added_to(self, rule: RuleSet) -> RuleSet:
        """Add each missing required condition to a rule."""
        for k, item in enumerate(self.required):
            wanted = self.required[: k + 1]
            if _all_granted(rule, wanted):
                continue
            options = [simplify(option) for option in self._additions(rule, item)]
            options = [option for option in options if _all_granted(option, wanted)]
            if not options:
                names = ", ".join(repr(str(w)) for w in wanted)
                raise RuleError(
                    f"The rule cannot hold what is required ({names}): whatever is added makes "
                    "another condition redundant. Remove one requirement, or allow more clauses."
                )
            costs = [self._wrong_weight(option) for option in options]
            rule = options[int(np.argmin(np.round(costs, 9)))]
        return rule

    def _additions(self, rule: RuleSet, item: ColumnOrLiteral) -> list[RuleSet]:
        """List the rules with one more literal that satisfies the requirement."""
        places = [clause for clause in rule.clauses if clause.conditions]
        if len(places) < self.max_clauses:
            places.append(Clause((), "and" if rule.form == "dnf" else "or"))
        options = []
        for r in range(len(places)):
            for literal in self._candidates(item):
                clauses = [*places[:r], _with(places[r], literal), *places[r + 1 :]]
                kept = tuple(clause for clause in clauses if clause.conditions)
                labels = (self.label,) * len(kept)
                options.append(RuleSet(kept, labels, rule.form, rule.default))
        return options

    def _candidates(self, item: ColumnOrLiteral) -> list[Literal]:
        if not isinstance(item, str):
            return [item]
        found = [literal for literal in self.problem.literals if literal.feature == item]
        if not found:
            raise RuleError(
                f"Column {item!r} is required in the rule, but gives no condition that may be "
                "used: it is constant, or all its conditions are forbidden. Remove the requirement."
            )
        return found

    def _wrong_weight(self, rule: RuleSet) -> float:
        """Compute the weight of the training rows that a rule predicts wrongly."""
        y = self.problem.y
        described = ~y if rule.form == "dnf" else y
        wrong = rule.mask(self.problem.columns) != described
        return float(self.problem.weight[wrong].sum())


def _all_granted(rule: RuleSet, required: Sequence[ColumnOrLiteral]) -> bool:
    literals = [literal for clause in rule.clauses for literal in clause.literals]
    return all(any(_grants(literal, item) for literal in literals) for item in required)


def _grants(literal: Literal, item: ColumnOrLiteral) -> bool:
    return literal.feature == item if isinstance(item, str) else literal == item


def _with(clause: Clause, literal: Literal) -> Clause:
    kept = [c for c in clause.literals if (c.feature, c.op) != (literal.feature, literal.op)]
    return Clause((*kept, literal), clause.op)
