"""Proof from its conditions, or a search for a violation, that a rule is monotone in a column."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from rulekit.exceptions import RuleError
from rulekit.rules.analysis.row_search import Row, TooLongError, ViolationSearch
from rulekit.rules.condition import value_text
from rulekit.rules.constraints import Constraints
from rulekit.rules.rule_set import Label, rule_of

MOST_STEPS = 100_000


@dataclass(frozen=True)
class MonotonicityCheck:
    """Result of a monotonicity check.

    Attributes
    ----------
    feature : str
    direction : {">", "<"}
        Whether it rises or falls.
    towards : label
        The class that the prediction must not leave.
    kept : bool or None
        Whether this holds for every possible row; None if it could not be verified.
    example : (dict, dict) or None
        Of a violation: a row, and the same row with the column raised (for "<" lowered); the
        prediction is `towards` for the first and not for the second.
    missing : bool or None
        What the conditions on the column answer where it has no value: True if all of them hold,
        False if none does, None if some do or there is none. Steps to or from a missing value
        are not checked.
    """

    feature: str
    direction: str
    towards: Label
    kept: bool | None
    example: tuple[Row, Row] | None = None
    missing: bool | None = None

    @property
    def sentence(self) -> str:
        """Return the constraint and whether the rule satisfies it, as a sentence."""
        return self.sentence_with()

    def sentence_with(self, name: Callable[[str], str] = str) -> str:
        """Return the sentence with column names as `name` writes them."""
        column, verb = name(self.feature), "rises" if self.direction == ">" else "falls"
        text = f"If only {column} {verb}, the prediction may change to {self.towards}, never away "
        if self.kept is None:
            return f"{text}from it: could not be verified."
        outcome = "holds for every possible row." if self.kept else "violated. "
        if not self.kept and self.example is not None:
            before, after = (value_text(row[self.feature]) for row in self.example)
            rest = [
                f"{name(other)} {'is missing' if v is None else f'= {value_text(v)}'}"
                for other, v in self.example[0].items()
                if other != self.feature
            ]
            where = f" with {', '.join(rest)}" if rest else ""
            outcome += (
                f"For example{where}, the prediction is {self.towards} for {column} = {before} and "
                f"not for {column} = {after}."
            )
        gap = ""
        if self.missing is not None:
            how_gap = "hold" if self.missing else "do not hold"
            gap = f" Where {column} is missing, conditions on it {how_gap}."
        return f"{text}from it: {outcome}{gap}"

    def describe_row(self, answer: Label, name: Callable[[str], str] = str) -> str:
        """Return what a satisfied constraint implies for one row; empty if it is not satisfied."""
        if not self.kept:
            return ""
        is_class = answer == self.towards
        more = "higher" if (self.direction == ">") == is_class else "lower"
        change = f"change this prediction {'away from' if is_class else 'to'} {self.towards}"
        return f"A {more} {name(self.feature)} alone cannot {change}."


def check_monotonicity(
    model: Any, feature: str, towards: Label, direction: str = ">"
) -> MonotonicityCheck:
    """Check whether predictions never turn away from a class as one column rises or falls.

    Parameters
    ----------
    model : RuleSet or fitted model
    feature : str
        A column of numbers or truth values (false is below true).
    towards, direction
        As in `MonotonicityCheck`.

    Returns
    -------
    MonotonicityCheck
        `kept` is exact for rules of tests of one column and of points; for sums of columns it is
        True or None, as what such sums can be together is not looked into; None, too, where a
        column's dates are read in several ways, or the search took more than 100 000 steps.

    Raises
    ------
    RuleError
        If the direction is another word, or the rule compares the column with text.

    Notes
    -----
    The search is exponential in the number of columns at worst, and rarely so: a branch ends as
    soon as the answers before and after the step are known.

    Examples
    --------
    >>> from rulekit.rules import Clause, Literal, RuleSet
    >>> rule = RuleSet(
    ...     (Clause((Literal("age", ">", 30), Literal("age", "<=", 60))),), ("yes",), "dnf", "no"
    ... )
    >>> found = check_monotonicity(rule, "age", "yes")
    >>> found.kept, [row["age"] for row in found.example]
    (False, [60.0, 61.0])
    """
    rule = rule_of(model)
    if direction not in (">", "<"):
        raise RuleError(f"`direction` must be '<' or '>', got {direction!r}.")
    tests = [t for c in rule.conditions for t in (c.tests or (c,)) if feature in t.features]
    gaps = {test.missing for test in tests}
    missing = gaps.pop() if len(gaps) == 1 else None
    result = partial(MonotonicityCheck, feature, direction, towards, missing=missing)
    sign = 1 if direction == ">" else -1
    ways = zip(rule.clauses, (sign if v == towards else -sign for v in rule.labels), strict=False)
    # clauses of the class only start to match, all others only cease to
    if all(c.trend(feature) in (0, way) for clause, way in ways for c in clause.conditions):
        return result(True)
    try:
        search = ViolationSearch(rule, feature, towards, direction, MOST_STEPS)
        violation = search.first_violation()
    except TooLongError:
        return result(None)
    if violation is None:
        return result(True)
    return result(None) if search.sums else result(False, violation)


def monotonicity_checks(
    model: Any, constraints: Constraints | Mapping[str, Any] | None = None
) -> tuple[MonotonicityCheck, ...]:
    """Check every requested direction.

    Parameters
    ----------
    model : RuleSet or fitted model
    constraints : Constraints or mapping, default=None
        The constraints to check; None for the `constraints` of the model, if it has any. Without
        `towards` directions lead to the class that the rule describes.

    Returns
    -------
    tuple of MonotonicityCheck
        One a direction.

    Raises
    ------
    RuleError
        If it describes several; or as `check_monotonicity` does.
    """
    constraints = getattr(model, "constraints", None) if constraints is None else constraints
    if isinstance(constraints, Mapping):
        constraints = Constraints.from_dict(constraints)
    if constraints is None or not constraints.directions:
        return ()
    towards = constraints.towards
    if towards is None:
        labels = {getattr(model, "positive_label_", None)} - {None} or set(rule_of(model).labels)
        if len(labels) != 1:
            raise RuleError(
                "Directions lead to one class, but the rule does not say which. Name it by "
                "`towards`."
            )
        (towards,) = labels
    pairs = dict(constraints.directions).items()
    return tuple(check_monotonicity(model, name, towards, sign) for name, sign in pairs)
