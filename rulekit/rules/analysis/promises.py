"""Monotonicity of a rule: a rising column never turns the prediction away from a class.

Proved from the conditions alone, for every row there can be: where each condition goes one way,
that is seen at once, else it is searched for a step that breaks the promise.
"""

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from rulekit.exceptions import RuleError
from rulekit.rules.analysis.violations import Row, TooLongError, ViolationSearch
from rulekit.rules.condition import value_text
from rulekit.rules.constraints import Constraints
from rulekit.rules.rule_set import Label, RuleSet, rule_of


@dataclass(frozen=True)
class PromiseCheck:
    """Result of a monotonicity check.

    Attributes
    ----------
    feature : str
        The column.
    direction : {">", "<"}
        Whether it rises or falls.
    towards : label
        The class that the answer must not turn away from.
    kept : bool or None
        Whether the rule keeps the promise, whatever the row; None where that was not settled.
    example : (dict, dict) or None
        Of a broken promise: a row, and the same row with the column raised (for "<" lowered), of
        which the first is answered `towards` and the second is not.
    missing : bool or None
        What the conditions on the column answer where it has no value: True if all of them hold,
        False if none does, None if some do or there is none. A step to or from a missing value is
        not promised.
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

    def told(self, name: Callable[[str], str] = str) -> str:
        """Return `sentence_with(name)`; deprecated."""
        warnings.warn(
            "`told` is now `sentence_with`. Use the new name.", FutureWarning, stacklevel=2
        )
        return self.sentence_with(name)

    def sentence_with(self, name: Callable[[str], str] = str) -> str:
        """Return the sentence with the caller's column names.

        Parameters
        ----------
        name : callable, default=str
            What a column is called, by its name.
        """
        column, verb = name(self.feature), "rises" if self.direction == ">" else "falls"
        promise = (
            f"As {column} {verb} and all else stays, the answer may turn to {self.towards}, never "
            "away from it"
        )
        if self.kept is None:
            return f"{promise}: whether the rule keeps this was not settled."
        how = "the rule keeps this for every row there can be."
        if not self.kept:
            how = f"the rule breaks this. {self._broken(name)}"
        gap = ""
        if self.missing is not None:
            how_gap = "hold" if self.missing else "do not hold"
            gap = f" Where {column} is missing, conditions on it {how_gap}."
        return f"{promise}: {how}{gap}"

    def of_row(self, answer: Label, name: Callable[[str], str] = str) -> str:
        """Return what a satisfied constraint implies for one row; empty if it is not satisfied."""
        if not self.kept:
            return ""
        up = (self.direction == ">") == (answer == self.towards)
        more, to = ("higher", "lower")[not up], answer == self.towards
        end = (
            f"could not turn this answer away from {self.towards}"
            if to
            else (f"could not turn this answer to {self.towards}")
        )
        return f"A {more} {name(self.feature)} alone {end}: the rule promises it."

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
            f"For example{where}, {own} = {before} is answered {self.towards} and "
            f"{own} = {after} is not."
        )


def check_promise(model: Any, feature: str, towards: Label, direction: str = ">") -> PromiseCheck:
    """Check whether predictions never turn away from a class as one column rises or falls.

    Parameters
    ----------
    model : RuleSet or fitted model
    feature : str
        A column of numbers or truth values (false is below true).
    towards : label
        The class that the answer may turn to, and must not turn away from.
    direction : {">", "<"}, default=">"
        Whether the column rises or falls.

    Returns
    -------
    PromiseCheck
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
    >>> found = check_promise(rule, "age", "yes")
    >>> found.kept, [row["age"] for row in found.example]
    (False, [60.0, 61.0])
    """
    rule = rule_of(model)
    if direction not in (">", "<"):
        raise RuleError(f"The direction of a promise must be '<' or '>', got {direction!r}.")
    missing = _where_missing(rule, feature)
    if _each_goes_its_way(rule, feature, towards, 1 if direction == ">" else -1):
        return PromiseCheck(feature, direction, towards, True, None, missing)
    try:
        search = ViolationSearch(rule, feature, towards, direction)
        found = search.first_violation()
    except TooLongError:
        return PromiseCheck(feature, direction, towards, None, None, missing)
    if found is None:
        return PromiseCheck(feature, direction, towards, True, None, missing)
    if search.sums:
        return PromiseCheck(feature, direction, towards, None, None, missing)
    return PromiseCheck(feature, direction, towards, False, found, missing)


def promises_of(
    model: Any,
    constraints: Constraints | Mapping[str, Any] | None = None,
    *,
    wishes: Constraints | Mapping[str, Any] | None = None,
) -> tuple[PromiseCheck, ...]:
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
    tuple of PromiseCheck
        One a direction.

    Raises
    ------
    RuleError
        If it describes several; or as `check_promise` does.
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
    return tuple(check_promise(model, name, towards, sign) for name, sign in pairs)


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
