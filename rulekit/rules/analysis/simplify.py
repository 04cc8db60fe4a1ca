"""Shorter rule sets with the same prediction for every possible row."""

from collections.abc import Sequence

from rulekit.rules.column_test import FeatureTest, feature_test, intervals
from rulekit.rules.condition import Condition
from rulekit.rules.literal import Literal
from rulekit.rules.rule_set import Clause, Label, RuleSet


def simplify(rule_set: RuleSet) -> RuleSet:
    """Remove redundant parts of a rule set without changing any prediction.

    Within a clause, the literals of one column become as few as possible: implied ones go
    (``x > 3`` beside ``x > 5``), values tested one by one are gathered (``c == red or c == blue``
    becomes ``c in {blue, red}``), ``x >= 5 and x <= 5`` becomes ``x == 5``, and all of them say the
    same about a missing value. What gives 0 points goes; points of a single condition become the
    condition. Clauses that cannot hold (DNF) or cannot fail (CNF) go, and so do
    clauses that never decide a row: those whose rows an earlier clause takes, or a later one with
    the same label when no clause of another label is in between.

    Parameters
    ----------
    rule_set : RuleSet

    Returns
    -------
    RuleSet
        Of the same form, labels and default. A DNF that holds nowhere has no clauses, one that
        holds everywhere a single clause without conditions; a CNF the other way round. Literals of
        one column stand together, where the column was first read.

    Notes
    -----
    "Every row" means every combination of values, seen in training or not, missing ones included,
    on which the rule set can be evaluated at all. Nothing is assumed of a column: that one holds
    only whole numbers, or only two levels, is not used. Simplifying twice changes nothing more.
    Cost is O(k**2 m) for k clauses of m literals.

    Examples
    --------
    >>> both = Clause((Literal("age", ">", 40), Literal("age", ">", 50)))
    >>> simplify(RuleSet((both,), ("ill",), "dnf", "well")).clauses[0].conditions
    (Literal(feature='age', op='>', value=50.0, missing=False),)
    """
    if rule_set.form == "cnf":
        label = rule_set.labels[0]
        mirrored = simplify(rule_set.negated())
        if not mirrored.clauses:
            return RuleSet((), (label,), "cnf", rule_set.default)
        return mirrored.negated()
    clauses: list[tuple[Clause, Label]] = []
    for clause, label in zip(rule_set.clauses, rule_set.labels, strict=True):
        shorter = simplify_clause(clause)
        if shorter is not None:
            clauses.append((shorter, label))
    alive = _deciding(clauses)
    return RuleSet(
        tuple(clause for clause, _ in alive),
        tuple(label for _, label in alive),
        "dnf",
        rule_set.default,
    )


def simplify_clause(clause: Clause) -> Clause | None:
    """Write a clause with as few literals per column as possible.

    >>> red, blue = Literal("colour", "==", "red"), Literal("colour", "==", "blue")
    >>> simplify_clause(Clause((red, blue), "or")).conditions
    (Literal(feature='colour', op='in', value=('blue', 'red'), missing=False),)
    >>> simplify_clause(Clause((red, blue), "and")) is None
    True
    """
    if clause.op == "or":
        mirrored = simplify_clause(clause.negated())
        return None if mirrored is None else mirrored.negated()
    conditions: list[Condition] = []
    shorter = Clause(tuple(c.shorter() for c in clause.conditions), "and")
    for test in intervals(shorter):
        if not isinstance(test, FeatureTest):
            conditions.append(test)
        elif test.never:
            return None
        else:
            conditions.extend(test.fewest_literals())
    joined = [c for c in conditions if not isinstance(c, Literal)]
    if any(a.implies(b.negated()) for a in joined for b in joined):
        return None
    implied = [c for k, c in enumerate(joined) if _is_redundant(joined, k)]
    return Clause(tuple(c for c in conditions if c not in implied), "and")


def _is_redundant(conditions: Sequence[Condition], k: int) -> bool:
    """Whether another condition (the earlier of two equivalent ones) implies the k-th."""
    condition = conditions[k]
    return any(
        other.implies(condition) and (j < k or not condition.implies(other))
        for j, other in enumerate(conditions)
        if j != k
    )


def implies(narrow: Clause, wide: Clause) -> bool:
    """Return whether every row that meets one AND surely meets another.

    >>> old, middle = Literal("age", ">", 50), Literal("age", ">", 40)
    >>> implies(Clause((old,)), Clause((middle,))), implies(Clause((middle,)), Clause((old,)))
    (True, False)
    """
    by_scale = _by_scale(narrow)
    if any(feature_test(literals).never for literals in by_scale.values()):
        return True
    others = [c for c in wide.conditions if not isinstance(c, Literal)]
    if any(not any(condition.implies(c) for condition in narrow.conditions) for c in others):
        return False
    return all(_is_implied(by_scale.get(f, []), more) for f, more in _by_scale(wide).items())


def _is_implied(given: Sequence[Literal], more: Sequence[Literal]) -> bool:
    """Return whether further literals of a column exclude nothing new."""
    together = feature_test([*given, *more])
    if not given:
        return together.always
    return feature_test(given).same_as == together.same_as


def _by_scale(clause: Clause) -> dict[object, list[Literal]]:
    """Group literals by the scale they compare; see `Literal.scale`."""
    by_scale: dict[object, list[Literal]] = {}
    for literal in clause.literals:
        by_scale.setdefault((literal.feature, literal.scale), []).append(literal)
    return by_scale


def _deciding(kept: Sequence[tuple[Clause, Label]]) -> list[tuple[Clause, Label]]:
    """Remove the ANDs that never decide a row."""
    alive: list[tuple[Clause, Label]] = []
    for clause, label in kept:
        if any(implies(clause, earlier) for earlier, _ in alive):
            continue
        run = len(alive)
        while run > 0 and alive[run - 1][1] == label:
            run -= 1
        later = [pair for pair in alive[run:] if not implies(pair[0], clause)]
        alive = [*alive[:run], *later, (clause, label)]
    return alive
