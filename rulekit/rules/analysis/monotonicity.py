"""Monotonicity of a rule: a rising column never turns the prediction away from a class.

Proved from the conditions alone, for every row there can be: where each condition goes one way,
that is seen at once, otherwise a step that violates it is searched for.
"""

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from rulekit._renamed import former_name
from rulekit.exceptions import RuleError
from rulekit.rules.analysis.violations import Row, TooLongError, ViolationSearch
from rulekit.rules.condition import value_text
from rulekit.rules.constraints import Constraints
from rulekit.rules.rule_set import Label, RuleSet, rule_of


@dataclass(frozen=True)
class MonotonicityCheck:
    """Result of a monotonicity check.

    Attributes
    ----------
    feature : str
        The column.
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

    told = former_name("told", "sentence_with")

    def sentence_with(self, name: Callable[[str], str] = str) -> str:
        """Return the sentence with the caller's column names.

        Parameters
        ----------
        name : callable, default=str
            What a column is called, by its name.
        """
        column, verb = name(self.feature), "rises" if self.direction == ">" else "falls"
        constraint = (
            f"If only {column} {verb}, the prediction may change to {self.towards}, never away "
            "from it"
        )
        if self.kept is None:
            return f"{constraint}: could not be verified."
        how = "holds for every possible row."
        if not self.kept:
            how = f"violated. {self._broken(name)}"
        gap = ""
        if self.missing is not None:
            how_gap = "hold" if self.missing else "do not hold"
            gap = f" Where {column} is missing, conditions on it {how_gap}."
        return f"{constraint}: {how}{gap}"

    def of_row(self, answer: Label, name: Callable[[str], str] = str) -> str:
        """Return what a satisfied constraint implies for one row; empty if it is not satisfied."""
        if not self.kept:
            return ""
        up = (self.direction == ">") == (answer == self.towards)
        more, to = ("higher", "lower")[not up], answer == self.towards
        end = (
            f"cannot change this prediction away from {self.towards}"
            if to
            else f"cannot change this prediction to {self.towards}"
        )
        return f"A {more} {name(self.feature)} alone {end}."

    def _broken(self, name: Callable[[str], str]) -> str:
        if self.example is None:
            return ""
        before, after = (value_text(row[self.feature]) for row in self.example)
        rest = [
            f"{name(column)} {'is missing' if v is None else f'= {value_text(v)}'}"
            for column, v in self.example[0].items()
            if column != self.feature
        ]
        where = f" with {', '.join(rest)}" if rest else ""
        own = name(self.feature)
        return (
            f"For example{where}, the prediction is {self.towards} for {own} = {before} and not "
            f"for {own} = {after}."
        )


def check_monotonicity(
    model: Any, feature: str, towards: Label, direction: str = ">"
) -> MonotonicityCheck:
    """Check whether predictions never turn away from a class as one column rises or falls.

    Parameters
    ----------
    model : RuleSet or fitted model
    feature : str
        A column of numbers or truth values (false is below true).
    towards : label
        The class that the prediction may change to, and must not leave.
    direction : {">", "<"}, default=">"
        Whether the column rises or falls.

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
    >>> from rulekit.rules import Clause, Literal
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
    missing = _where_missing(rule, feature)
    if _each_goes_its_way(rule, feature, towards, 1 if direction == ">" else -1):
        return MonotonicityCheck(feature, direction, towards, True, None, missing)
    try:
        search = ViolationSearch(rule, feature, towards, direction)
        found = search.first_violation()
    except TooLongError:
        return MonotonicityCheck(feature, direction, towards, None, None, missing)
    if found is None:
        return MonotonicityCheck(feature, direction, towards, True, None, missing)
    if search.sums:
        return MonotonicityCheck(feature, direction, towards, None, None, missing)
    return MonotonicityCheck(feature, direction, towards, False, found, missing)


def monotonicity_checks(
    model: Any,
    constraints: Constraints | Mapping[str, Any] | None = None,
    *,
    wishes: Constraints | Mapping[str, Any] | None = None,
) -> tuple[MonotonicityCheck, ...]:
    """Check every requested direction.

    Parameters
    ----------
    model : RuleSet or fitted model
    constraints : Constraints or mapping, default=None
        The constraints to check; None for the `constraints` of the model, if it has any. Without
        `towards` directions lead to the class that the rule describes.
    wishes : Constraints or mapping, default=None
        Deprecated name of `constraints`.

    Returns
    -------
    tuple of MonotonicityCheck
        One a direction.

    Raises
    ------
    RuleError
        If it describes several; or as `check_monotonicity` does.
    """
    if wishes is not None:
        warnings.warn(
            "`wishes` is now `constraints`. Use the new name.", FutureWarning, stacklevel=2
        )
        constraints = wishes
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


def _where_missing(rule: RuleSet, feature: str) -> bool | None:
    answers = {
        test.missing
        for clause in rule.clauses
        for condition in clause.conditions
        for test in (condition.tests or (condition,))
        if feature in test.features
    }
    return answers.pop() if len(answers) == 1 else None


def _each_goes_its_way(rule: RuleSet, feature: str, towards: Label, sign: int) -> bool:
    """Whether clauses of the class only start to match and all others only cease to."""
    for clause, label in zip(rule.clauses, rule.labels, strict=False):
        allowed = (0, sign if label == towards else -sign)
        if any(c.trend(feature) not in allowed for c in clause.conditions):
            return False
    return True
